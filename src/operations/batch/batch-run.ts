import { apiError } from '../../conventions/errors.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import type { IdempotencyRecord, WrittenRows } from '../../plan/write-unit.ts';
import type { Observe } from '../../observe/observation.ts';
import type { Caller } from '../caller.ts';
import { type KeyedRequest, keyRequired } from '../write/idempotency.ts';
import type { ParsedBody } from '../write/parsed-body.ts';
import { readBody, type RequestedWrite, type RunServices } from '../write/write-request.ts';
import { recordableResult, withWrittenRow, type WriteResult } from '../write/write-result.ts';
import type { ReceivedBatch, ReceivedOperation } from './batch-body.ts';
import { batchName, type BatchRecord, type OperationResult, storedBatch, storedResults } from './batch-record.ts';

/** Services that run a batch. */
export interface BatchServices extends RunServices {
  readonly observe: Observe;
}

/**
 * Maximum size of the results of a batch, as a multiple of the maximum body. They are stored for a day and sent in one
 * response.
 */
const MAX_RESULTS = 16;

/** A batch that is being run. */
export interface BatchRun {
  readonly caller: Caller;
  readonly batch: ReceivedBatch;
  /** The key of the whole batch; null if it has none. */
  readonly keyed: KeyedRequest | null;
  readonly dry: boolean;
}

/**
 * Plans an operation as the write that it requests, and reads its body.
 *
 * @throws {ApiError} as it would be refused alone
 */
export async function readOperation(
  received: ReceivedOperation,
  { caller, keyed }: BatchRun,
): Promise<{ readonly write: RequestedWrite; readonly body: ParsedBody | null }> {
  const write = received.plan(caller);
  if (write.request.dry) {
    throw apiError('REQUEST_PARAMETER_INVALID', 'Send dry_run with the batch, not with an operation of it.', {
      details: [{ field: 'dry_run', message: 'applies to the whole batch' }],
    });
  }
  if (write.requiresKey && keyed === null) throw keyRequired();
  return { write, body: await readBody(write) };
}

/** Characters that a result adds to the record of its batch. */
export function resultSize(result: WriteResult): number {
  return JSON.stringify(result).length;
}

/**
 * @param size of the results so far
 * @throws {ApiError} REQUEST_BODY_TOO_LARGE: they could not be stored and sent together
 */
export function checkResultSize(size: number, { contract }: Pick<Caller, 'contract'>): void {
  if (size <= MAX_RESULTS * contract.model.limits.body) return;
  throw apiError(
    'REQUEST_BODY_TOO_LARGE',
    'The results of the batch are too large for one response; send these operations in several batches.',
  );
}

/** Makes the result of an operation that was done. */
export function doneResult({ request }: RequestedWrite, result: WriteResult): OperationResult & { kind: 'done' } {
  const { method, preferences } = request;
  return { kind: 'done', method, preferences, replayed: false, result };
}

/** Makes the record of a batch that was run. */
export function batchRecord(
  { batch }: BatchRun,
  results: readonly OperationResult[],
  { sources }: Pick<BatchServices, 'sources'>,
): BatchRecord {
  return { id: sources.uuid(), atomic: batch.atomic, at: timestamp(sources.writtenAt()), results };
}

/**
 * Makes the stored records of a batch: its results under its id, and the name of that record under the key of its
 * request. A batch with an operation that may be retried has no record under its key yet: sent again, it continues
 * there.
 */
export async function idempotencyRecords(
  record: BatchRecord,
  { caller, keyed }: BatchRun,
  { idempotency }: Pick<BatchServices, 'idempotency'>,
): Promise<readonly IdempotencyRecord[]> {
  const recorded = (each: OperationResult): OperationResult => {
    if (each.kind === 'failed') return each;
    const { stored } = caller.contract.resourceOf(each.result.resource);
    return { ...each, result: recordableResult(each.result, stored) };
  };
  const name = batchName(record.id, caller.principal);
  const stored = await storedBatch(record, recorded);
  const own = idempotency.record({ name, request: keyed?.request ?? '' }, (rows) =>
    rows.size === 0 ? stored : { ...stored, results: storedResults(record, (each) => recorded(completed(each, rows))) },
  );
  if (keyed === null || record.results.some(isRetryableResult)) return [own];
  return [own, idempotency.record(keyed, () => name)];
}

function completed(each: OperationResult, rows: WrittenRows): OperationResult {
  return each.kind === 'failed' ? each : { ...each, result: withWrittenRow(each.result, rows) };
}

function isRetryableResult(result: OperationResult): boolean {
  return result.kind === 'failed' && result.headers['Retry-After'] !== undefined;
}
