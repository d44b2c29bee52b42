import { quoted } from '../../conventions/text/quoted.ts';
import { ApiError, type ErrorDetail } from '../../conventions/errors.ts';
import type { WriteUnit } from '../../plan/write-unit.ts';
import { TimeSlices } from '../../platform/time-slices.ts';
import { isRetryable, MAX_ATTEMPTS, refusedWrite } from '../write/commit-write.ts';
import { olderContractError } from '../write/refusals/older-contract-error.ts';
import type { RequestedWrite } from '../write/write-request.ts';
import type { PreparedWrite } from '../write/write.ts';
import { writeRefusal } from '../write/refusals/write-refusal.ts';
import { type BatchRecord, batchWithRevisions } from './batch-record.ts';
import {
  type BatchRun,
  type BatchServices,
  checkResultSize,
  doneResult,
  batchRecord,
  idempotencyRecords,
  readOperation,
  resultSize,
} from './batch-run.ts';
import { StagedRows } from '../staged/staged-rows.ts';

/** One operation of an atomic batch, staged. */
interface Step extends PreparedWrite {
  readonly write: RequestedWrite;
  /** Index of its first plan in the unit. */
  readonly firstPlan: number;
}

/** Runs all operations in one transaction. Each is prepared against the rows that the previous ones would leave. */
export function runAtomic(run: BatchRun, services: BatchServices): Promise<BatchRecord | 'recorded'> {
  const { contract } = run.caller;
  return services.commits.afterReaders([...contract.resources.keys()], () => runAttempts(run, services));
}

async function runAttempts(run: BatchRun, services: BatchServices): Promise<BatchRecord | 'recorded'> {
  const { dry } = run;
  const since = services.sources.now();
  for (let attempts = 1; ; attempts++) {
    const { steps, plans, expectStamps } = await stageAll(run, services);
    const results = steps.map(({ write, result }) => doneResult(write, result));
    const record = batchRecord(run, results, services);
    const records = dry ? [] : await idempotencyRecords(record, run, services);
    const outcome = await services.commits.commit({ plans, expectStamps, records, dry }, { since });
    if (outcome.kind === 'committed') return batchWithRevisions(record, outcome);
    if (outcome.kind === 'recorded') return 'recorded';
    const failed = 'plan' in outcome ? steps.findLastIndex(({ firstPlan }) => firstPlan <= outcome.plan) : 0;
    const step = steps[failed];
    if (step === undefined) throw new Error(`a batch without operations was refused: ${outcome.kind}`);
    const { operation } = step.write;
    if (!isRetryable(outcome, operation) || attempts === MAX_ATTEMPTS) {
      const refusal = writeRefusal(outcome, refusedWrite(outcome, plans, operation));
      throw inOperation(failed, olderContractError(refusal, operation));
    }
  }
}

/** An atomic batch, staged. */
interface StagedBatch extends Required<Pick<WriteUnit, 'plans' | 'expectStamps'>> {
  readonly steps: readonly Step[];
}

async function stageAll(run: BatchRun, services: BatchServices): Promise<StagedBatch> {
  const { caller } = run;
  const { model } = caller.contract.unrestricted();
  const { rows, source: staged } = caller.rows.over((stored) => new StagedRows(stored, model));
  const stagedRun = { ...run, caller: { ...caller, rows } };
  const steps: Step[] = [];
  const stamps = new Map<string, number>();
  const slices = new TimeSlices();
  let size = 0;
  for (const [index, received] of run.batch.operations.entries()) {
    await slices.next();
    try {
      const { write, body } = await readOperation(received, stagedRun);
      const firstPlan = staged.plans.length;
      const prepared = await write.operation.prepare(body, firstPlan, services);
      size += resultSize(prepared.result);
      checkResultSize(size, caller);
      await staged.stage(prepared.plans);
      if (prepared.expectStamps.length > 0) services.commits.readsRows(write.operation.systemResource.resource.name);
      // The first stamp counts: later reads must be of the same state.
      for (const { resource, stamp } of [...prepared.expectStamps, ...prepared.judgedBy])
        stamps.set(resource, stamps.get(resource) ?? stamp);
      steps.push({ ...prepared, write, firstPlan });
    } catch (error) {
      throw inOperation(index, error);
    }
  }
  const expectStamps = [...stamps].map(([resource, stamp]) => ({ resource, stamp }));
  return { steps, plans: staged.plans, expectStamps };
}

/**
 * Makes the failure of an atomic batch from that of an operation: its status, code and header fields, with prefixed
 * fields (MET-13).
 */
export function inOperation(index: number, failure: unknown): unknown {
  if (!(failure instanceof ApiError)) return failure;
  const at = `operations[${index}]`;
  const { status, code, message, details, headers, cause } = failure;
  const located: readonly ErrorDetail[] =
    details.length === 0
      ? [{ field: at, message: 'failed; nothing of the batch was done' }]
      : details.map((detail) => detailIn(at, code, detail));
  return new ApiError(status, code, `${at}: ${message}`, { details: located, headers, cause });
}

/**
 * Adds the place in the batch to a detail of an operation's error. A parameter is part of the path, so the message
 * names it.
 */
function detailIn(operation: string, code: string, { field, message }: ErrorDetail): ErrorDetail {
  if (/^(?:REQUEST_PARAMETER|QUERY|PAGINATION|API_VERSION)_/.test(code)) {
    return { field: `${operation}.path`, message: `${quoted(field)} ${message}` };
  }
  return { field: fieldIn(operation, field), message };
}

/** Locates a field in the batch. Names of header fields begin with a capital letter, names of members never do. */
function fieldIn(operation: string, field: string): string {
  if (/^[A-Z]/.test(field)) return `${operation}.headers.${field}`;
  if (field === 'body') return `${operation}.body`;
  return field.startsWith('[') ? `${operation}.body${field}` : `${operation}.body.${field}`;
}
