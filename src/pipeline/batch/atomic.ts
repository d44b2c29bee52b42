import { ApiError, type ErrorDetail } from '../../conventions/errors.ts';
import { type BatchRecord, batchWithRevisions } from './batch-record.ts';
import { type BatchRun, admitResults, doneResult, memosOf, readOperation, recordOf, sizeOf } from './batch-run.ts';
import { MAX_ATTEMPTS, isRetryable, commitUnit } from '../write/commit.ts';
import { StagedRows } from './staged-rows.ts';
import type { Surroundings } from '../surroundings.ts';
import type { WriteOperation, PreparedWrite } from '../write/write.ts';
import { writeRefusal } from '../write/write-refusal.ts';

/** What an atomic batch stages for one of its operations. */
interface Step extends PreparedWrite {
  readonly operation: WriteOperation;
  /** Index of its first plan in the unit. */
  readonly first: number;
}

/** All operations in one transaction, each worked out against what those before it would leave. */
export async function runAtomic(run: BatchRun, surroundings: Surroundings): Promise<BatchRecord | 'recorded'> {
  const { dry } = run;
  const since = surroundings.now();
  for (let attempts = 1; ; attempts++) {
    const staged = new StagedRows(surroundings, surroundings.compiled.model);
    const steps = await stageAll(run, staged, surroundings);
    const record = recordOf(
      run,
      steps.map(({ operation, result }) => doneResult(operation, result)),
      surroundings,
    );
    const memos = dry ? [] : memosOf(record, run, surroundings);
    const outcome = await commitUnit({ plans: staged.plans, records: memos, dry }, since, surroundings);
    if (outcome.kind === 'committed') return batchWithRevisions(record, outcome.revisions);
    if (outcome.kind === 'recorded') return 'recorded';
    const failed = 'plan' in outcome ? steps.findLastIndex(({ first }) => first <= outcome.plan) : 0;
    const step = steps[failed];
    if (step === undefined || !isRetryable(outcome, step.operation) || attempts === MAX_ATTEMPTS) {
      const { resource } = step?.operation.compiled ?? { resource: null };
      if (resource === null) throw new Error(`a batch without operations was refused: ${outcome.kind}`);
      throw inOperation(failed, writeRefusal(outcome, resource, surroundings));
    }
  }
}

async function stageAll(run: BatchRun, staged: StagedRows, surroundings: Surroundings): Promise<readonly Step[]> {
  const steps: Step[] = [];
  let held = 0;
  for (const [index, asked] of run.batch.operations.entries()) {
    try {
      const { operation, body } = await readOperation(asked, run, surroundings);
      const first = staged.plans.length;
      const prepared = await operation.prepare(body, first, { ...surroundings, rows: staged, stamps: staged });
      held += sizeOf(prepared.result);
      admitResults(held, surroundings);
      await staged.stage(prepared.plans);
      steps.push({ ...prepared, operation, first });
    } catch (error) {
      throw inOperation(index, error);
    }
  }
  return steps;
}

/** A failure of an atomic batch: the operation's status and code, its fields prefixed (MET-13). */
function inOperation(index: number, failure: unknown): unknown {
  if (!(failure instanceof ApiError)) return failure;
  const at = `operations[${index}]`;
  const { status, code, message, details, cause } = failure;
  // Other fields say something of the operation's target, which is not this one.
  const retry = failure.headers['Retry-After'];
  const headers = retry === undefined ? {} : { 'Retry-After': retry };
  const told: readonly ErrorDetail[] =
    details.length === 0
      ? [{ field: at, message: 'failed; nothing of the batch was done' }]
      : details.map((detail) => ({ ...detail, field: fieldIn(at, code, detail.field) }));
  return new ApiError(status, code, `${at}: ${message}`, { details: told, headers, cause });
}

/** Where in the batch a fault lies. Names of header fields begin with a capital letter, and names of members never do. */
function fieldIn(operation: string, code: string, field: string): string {
  if (/^(?:REQUEST_PARAMETER|QUERY|REQUEST_URI)_/.test(code)) return `${operation}.path`;
  if (/^[A-Z]/.test(field)) return `${operation}.headers.${field}`;
  if (field === 'body') return `${operation}.body`;
  return field.startsWith('[') ? `${operation}.body${field}` : `${operation}.body.${field}`;
}
