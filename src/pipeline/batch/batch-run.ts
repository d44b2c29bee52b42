import { apiError } from '../../conventions/errors.ts';
import { timestamp } from '../../conventions/timestamp.ts';
import type { IdempotencyRecord } from '../../plan/plan.ts';
import type { Batch, BatchOperation } from './batch-body.ts';
import { batchName, type BatchRecord, type OperationResult } from './batch-record.ts';
import { type ParsedBody, parseBody } from '../write/parsed-body.ts';
import type { WriteResult } from '../write/write-result.ts';
import { recordName, type KeyedRequest, RETENTION } from '../write/idempotency.ts';
import type { Negotiated } from '../negotiate.ts';
import { requestedWrite } from '../write/requested-write.ts';
import { subRequest } from './sub-request.ts';
import type { Surroundings } from '../surroundings.ts';
import type { WriteOperation } from '../write/write.ts';

/** What the body of an operation, which stands in JSON itself, can be. */
const JSON_BODIES: ReadonlySet<string> = new Set(['json', 'merge-patch', 'json-patch']);

/** How much the results of a batch may hold, as a multiple of a body: they are kept for a day and told whole. */
const RESULTS = 16;

/** A batch on its way, and what of it is remembered. */
export interface BatchRun {
  readonly request: Negotiated;
  readonly batch: Batch;
  /** The key of the whole; null where it has none. */
  readonly asked: KeyedRequest | null;
  readonly dry: boolean;
}

/** An operation as the write that it asks for, and its body. @throws {ApiError} what it would get alone */
export async function readOperation(
  asked: BatchOperation,
  { request, asked: key }: BatchRun,
  surroundings: Surroundings,
): Promise<{ readonly operation: WriteOperation; readonly body: ParsedBody | null }> {
  const alone = subRequest(asked, request, surroundings);
  if (alone.bodyType !== null && !JSON_BODIES.has(alone.bodyType.kind)) {
    throw apiError(
      'REQUEST_MEDIA_TYPE_UNSUPPORTED',
      'The body of an operation is JSON; send other types by themselves.',
    );
  }
  const write = requestedWrite(alone);
  if (write === null) throw new Error(`${asked.method} ${asked.path} is no write`);
  if (write.dry) {
    throw apiError('REQUEST_PARAMETER_INVALID', 'Send dry_run with the batch, not with an operation of it.', {
      details: [{ field: 'dry_run', message: 'holds for the whole batch' }],
    });
  }
  const { operation } = write;
  const { compiled, takesBody } = operation;
  const mayLackKey =
    asked.method === 'PUT' || asked.method === 'DELETE' || compiled.resource.idempotency === 'optional';
  if (!mayLackKey && key === null) recordName(alone, true, surroundings);
  const body = takesBody ? await parseBody(alone, compiled, surroundings.compiled.model.limits) : null;
  return { operation, body };
}

/** How much of a batch's results an effect takes. */
export function sizeOf(effect: WriteResult): number {
  return JSON.stringify(effect).length;
}

/** @param held by results so far @throws {ApiError} REQUEST_BODY_TOO_LARGE: they could not be kept and told together */
export function admitResults(held: number, { compiled }: Surroundings): void {
  if (held <= RESULTS * compiled.model.limits.body) return;
  throw apiError(
    'REQUEST_BODY_TOO_LARGE',
    'The results of the batch are too large to be told together; send these operations in several batches.',
  );
}

/** The result of an operation that was done. */
export function doneResult(
  { request }: WriteOperation,
  effect: WriteResult,
): OperationResult & { readonly kind: 'done' } {
  const { method, preferences } = request;
  return { kind: 'done', method, preferences, replayed: false, effect };
}

/** What is told of a batch that has been run. */
export function recordOf(
  { batch }: BatchRun,
  results: readonly OperationResult[],
  { uuid, now }: Surroundings,
): BatchRecord {
  return { id: uuid(), atomic: batch.atomic, at: timestamp(now()), results };
}

/**
 * What is remembered of a batch: under its id; under the key of its request, where it has one, only where that is. A batch of which something
 * may be tried again has no answer under its key yet: sent again, it goes on with that.
 */
export function memosOf(
  record: BatchRecord,
  { request, asked }: BatchRun,
  { now }: Surroundings,
): readonly IdempotencyRecord[] {
  const expiresAt = now() + RETENTION;
  const name = batchName(record.id, request);
  const own = { name, request: asked?.request ?? '', outcome: JSON.stringify(record), expiresAt };
  if (asked === null || record.results.some(mayBeTriedAgain)) return [own];
  return [own, { ...asked, outcome: JSON.stringify(name), expiresAt }];
}

function mayBeTriedAgain(result: OperationResult): boolean {
  return result.kind === 'failed' && result.headers['Retry-After'] !== undefined;
}
