import { quoted } from '../../conventions/text/quoted.ts';
import { ApiError, type ErrorDetail } from '../../conventions/errors.ts';
import type { WriteUnit } from '../../plan/plan.ts';
import { TimeSlices } from '../../platform/time-slices.ts';
import { isRetryable, MAX_ATTEMPTS, refusedWrite } from '../write/commit-write.ts';
import type { PreparedWrite, WriteOperation } from '../write/write.ts';
import { olderContractError } from '../write/older-contract-error.ts';
import { writeRefusal } from '../write/write-refusal.ts';
import { type BatchRecord, batchWithRevisions } from './batch-record.ts';
import {
  type BatchRun,
  type BatchServices,
  checkResultSize,
  doneResult,
  idempotencyRecordsOf,
  readOperation,
  recordOf,
  sizeOf,
} from './batch-run.ts';
import { StagedRows } from '../staged/staged-rows.ts';

/** What an atomic batch stages for one of its operations. */
interface Step extends PreparedWrite {
  readonly operation: WriteOperation;
  /** Index of its first plan in the unit. */
  readonly firstPlan: number;
}

/** All operations in one transaction, each prepared against the rows as those before it would leave them. */
export function runAtomic(run: BatchRun, services: BatchServices): Promise<BatchRecord | 'recorded'> {
  const { contract } = run.request;
  return services.commits.afterReaders([...contract.resources.keys()], () => runAttempts(run, services));
}

async function runAttempts(run: BatchRun, services: BatchServices): Promise<BatchRecord | 'recorded'> {
  const { dry } = run;
  const since = services.sources.now();
  for (let attempts = 1; ; attempts++) {
    const { steps, plans, expectStamps } = await stageAll(run, services);
    const results = steps.map(({ operation, result }) => doneResult(operation, result));
    const record = recordOf(run, results, services);
    const records = dry ? [] : await idempotencyRecordsOf(record, run, services);
    const outcome = await services.commits.commit({ plans, expectStamps, records, dry }, { since });
    if (outcome.kind === 'committed') return batchWithRevisions(record, outcome.revisions);
    if (outcome.kind === 'recorded') return 'recorded';
    const failed = 'plan' in outcome ? steps.findLastIndex(({ firstPlan }) => firstPlan <= outcome.plan) : 0;
    const step = steps[failed];
    if (step === undefined) throw new Error(`a batch without operations was refused: ${outcome.kind}`);
    if (!isRetryable(outcome, step.operation) || attempts === MAX_ATTEMPTS) {
      const refusal = writeRefusal(outcome, refusedWrite(outcome, plans, step.operation));
      throw inOperation(failed, olderContractError(refusal, step.operation));
    }
  }
}

/** An atomic batch, staged. */
interface StagedBatch extends Required<Pick<WriteUnit, 'plans' | 'expectStamps'>> {
  readonly steps: readonly Step[];
}

async function stageAll(run: BatchRun, services: BatchServices): Promise<StagedBatch> {
  const { model } = run.request.contract.unrestricted();
  const { rows, source: staged } = run.request.rows.over((stored) => new StagedRows(stored, model));
  const stagedRun = { ...run, request: { ...run.request, rows } };
  const steps: Step[] = [];
  const stamps = new Map<string, number>();
  const slices = new TimeSlices();
  let size = 0;
  for (const [index, received] of run.batch.operations.entries()) {
    await slices.next();
    try {
      const { operation, body } = await readOperation(received, stagedRun, services);
      const firstPlan = staged.plans.length;
      const prepared = await operation.prepare(body, firstPlan, services);
      size += sizeOf(prepared.result);
      checkResultSize(size, run.request);
      await staged.stage(prepared.plans);
      if (prepared.expectStamps.length > 0) services.commits.readsRows(operation.compiled.resource.name);
      // The first one counts: what was read later has to be the same.
      for (const { resource, stamp } of [...prepared.expectStamps, ...prepared.judgedBy])
        stamps.set(resource, stamps.get(resource) ?? stamp);
      steps.push({ ...prepared, operation, firstPlan });
    } catch (error) {
      throw inOperation(index, error);
    }
  }
  const expectStamps = [...stamps].map(([resource, stamp]) => ({ resource, stamp }));
  return { steps, plans: staged.plans, expectStamps };
}

/** A failure of an atomic batch: the operation's status, code and header fields such as `Allow`, its fields prefixed (MET-13). */
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

/** A detail of an operation's error, with its place in the batch. A parameter is part of the path, so the message names it. */
function detailIn(operation: string, code: string, { field, message }: ErrorDetail): ErrorDetail {
  if (/^(?:REQUEST_PARAMETER|QUERY|PAGINATION|API_VERSION)_/.test(code)) {
    return { field: `${operation}.path`, message: `${quoted(field)} ${message}` };
  }
  return { field: fieldIn(operation, field), message };
}

/** Where in the batch an error is. Names of header fields begin with a capital letter, and names of members never do. */
function fieldIn(operation: string, field: string): string {
  if (/^[A-Z]/.test(field)) return `${operation}.headers.${field}`;
  if (field === 'body') return `${operation}.body`;
  return field.startsWith('[') ? `${operation}.body${field}` : `${operation}.body.${field}`;
}
