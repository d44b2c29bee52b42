import { apiError } from '../../conventions/errors.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import type { IdempotencyRecord } from '../../plan/plan.ts';
import type { Negotiated } from '../../pipeline/negotiate.ts';
import type { Received } from '../../pipeline/receive.ts';
import type { Services } from '../../pipeline/services.ts';
import type { KeyedRequest } from '../write/idempotency.ts';
import { type ParsedBody, parseBody } from '../write/parsed-body.ts';
import { requestedWrite } from '../write/requested-write.ts';
import type { WriteOperation } from '../write/write.ts';
import type { RunServices } from '../write/write-request.ts';
import { recordedResult, type WriteResult } from '../write/write-result.ts';
import { batchName, type BatchRecord, type OperationResult, storedBatch } from './batch-record.ts';
import { type ReceivedBatch, subRequest } from '../../pipeline/sub-request.ts';

/** What running a batch needs. */
export type BatchServices = RunServices & Pick<Services, 'observe'>;

/** The body of an operation, which is part of JSON itself, can be one of these. */
const JSON_BODIES: ReadonlySet<string> = new Set(['json', 'merge-patch', 'json-patch']);

/** How large the results of a batch may be, as a multiple of a body: they are stored for a day and sent in one response. */
const MAX_RESULTS = 16;

/** A batch that is being run. */
export interface BatchRun {
  readonly request: Negotiated;
  readonly batch: ReceivedBatch;
  /** The key of the whole; null where it has none. */
  readonly keyed: KeyedRequest | null;
  readonly dry: boolean;
}

/** An operation as the write that it requests, and its body. @throws {ApiError} as it would be refused alone */
export async function readOperation(
  received: Received,
  { request, keyed }: BatchRun,
  { idempotency }: Pick<Services, 'idempotency'>,
): Promise<{ readonly operation: WriteOperation; readonly body: ParsedBody | null }> {
  const alone = subRequest(received, request);
  if (alone.bodyType !== null && !JSON_BODIES.has(alone.bodyType.kind)) {
    throw apiError(
      'REQUEST_MEDIA_TYPE_UNSUPPORTED',
      'The body of an operation is JSON; send other types in requests of their own.',
    );
  }
  const write = requestedWrite(alone);
  if (write.dry) {
    throw apiError('REQUEST_PARAMETER_INVALID', 'Send dry_run with the batch, not with an operation of it.', {
      details: [{ field: 'dry_run', message: 'applies to the whole batch' }],
    });
  }
  const { operation } = write;
  const { compiled, shown, takesBody } = operation;
  const needsNoKey =
    alone.method === 'PUT' || alone.method === 'DELETE' || compiled.resource.idempotency === 'optional';
  if (!needsNoKey && keyed === null) idempotency.name(alone, true);
  const body = takesBody ? await parseBody(alone, shown) : null;
  return { operation, body };
}

/** Characters that a result adds to the record of its batch. */
export function sizeOf(result: WriteResult): number {
  return JSON.stringify(result).length;
}

/** @param size of the results so far @throws {ApiError} REQUEST_BODY_TOO_LARGE: they could not be stored and sent together */
export function checkResultSize(size: number, { contract }: Negotiated): void {
  if (size <= MAX_RESULTS * contract.model.limits.body) return;
  throw apiError(
    'REQUEST_BODY_TOO_LARGE',
    'The results of the batch are too large for one response; send these operations in several batches.',
  );
}

/** The result of an operation that was done. */
export function doneResult({ request }: WriteOperation, result: WriteResult): OperationResult & { kind: 'done' } {
  const { method, preferences } = request;
  return { kind: 'done', method, preferences, replayed: false, result };
}

/** The record of a batch that was run. */
export function recordOf(
  { batch }: BatchRun,
  results: readonly OperationResult[],
  { sources }: Pick<Services, 'sources'>,
): BatchRecord {
  return { id: sources.uuid(), atomic: batch.atomic, at: timestamp(sources.writtenAt()), results };
}

/**
 * What is stored for a batch: its record under its id, and the name of that under the key of its request. A batch with an operation that may
 * be retried has no record under its key yet: sent again, it continues there.
 */
export async function idempotencyRecordsOf(
  record: BatchRecord,
  { request, keyed }: BatchRun,
  { idempotency }: Pick<Services, 'idempotency'>,
): Promise<readonly IdempotencyRecord[]> {
  const recorded = (each: OperationResult): OperationResult => {
    if (each.kind === 'failed') return each;
    const { stored } = request.contract.resourceOf(each.result.resource);
    return { ...each, result: recordedResult(each.result, stored) };
  };
  const name = batchName(record.id, request);
  const own = idempotency.record({ name, request: keyed?.request ?? '' }, await storedBatch(record, recorded));
  if (keyed === null || record.results.some(isRetryableResult)) return [own];
  return [own, idempotency.record(keyed, name)];
}

function isRetryableResult(result: OperationResult): boolean {
  return result.kind === 'failed' && result.headers['Retry-After'] !== undefined;
}
