import { type ApiError, apiError } from '../../conventions/errors.ts';
import { operationRules } from '../../plan/routes/operation-rules.ts';
import type { StoredIdempotencyRecord } from '../../plan/plan.ts';
import type { Contract } from '../../contract/contract.ts';
import type { Negotiated } from '../../pipeline/negotiate.ts';
import type { Services } from '../../pipeline/services.ts';
import { notFound } from '../read/item.ts';
import { seesResult } from '../write/row-access.ts';
import { type ParsedBody, parseBody } from '../write/parsed-body.ts';
import { bodyBytes, stateRules } from '../write/write-request.ts';
import { inOperation, runAtomic } from './atomic.ts';
import { readBatch } from './batch-body.ts';
import { batchName, batchNotFound, type BatchRecord, type OperationResult, recordedBatch } from './batch-record.ts';
import type { BatchServices } from './batch-run.ts';
import { failedResult, runIndependent } from './independent.ts';
import { type ReceivedBatch, receiveBatch } from '../../pipeline/sub-request.ts';

/** A batch that was run, now or by an earlier request with the same idempotency key. */
export interface BatchOutcome {
  readonly kind: 'batch';
  readonly record: BatchRecord;
  readonly replayed: boolean;
  readonly dry: boolean;
}

/** A batch that was run before. */
export interface StoredBatch {
  readonly kind: 'batch-record';
  readonly record: BatchRecord;
}

/** A batch is no resource of the model: its body is JSON alone. */
const SHAPE = { resource: { singular: 'batch' }, bodyType: { kind: 'object', members: [] } } as const;

/** POST to the batches (MET-13): several writes, all or none of them where the batch is atomic, else each by itself, in order. */
export async function runBatch(request: Negotiated, dry: boolean, services: BatchServices): Promise<BatchOutcome> {
  const { idempotency } = services;
  const checked = idempotency.name(request, false);
  const name = dry ? null : checked;
  const body = await parseBody(request, SHAPE);
  const keyed = name === null ? null : { name, request: idempotency.requestDigest(request, bodyBytes(body)) };
  const run = async (): Promise<BatchRecord | 'recorded'> => {
    const batch = batchIn(body, request);
    // All or none of them, as they are written. The request has taken what one write takes.
    if (batch.atomic) await request.quota?.takeMore(batch.operations.length - 1);
    return (batch.atomic ? runAtomic : runIndependent)({ request, batch, keyed, dry }, services);
  };
  if (keyed !== null) {
    const replay = async (record: StoredIdempotencyRecord): Promise<BatchRecord> =>
      replayedBatch(await batchOf(record, services), request, services);
    const { value, replayed } = await idempotency.runOnce(keyed, run, replay);
    return { kind: 'batch', record: value, replayed, dry };
  }
  const record = await run();
  if (record === 'recorded') throw new Error('a batch without a key was recorded');
  return { kind: 'batch', record, replayed: false, dry };
}

/** GET of a batch: for a day, by its caller alone (MET-13). @throws {ApiError} BATCH_NOT_FOUND */
export async function readBatchRecord(request: Negotiated, id: string, services: BatchServices): Promise<StoredBatch> {
  const { idempotency } = services;
  const record = await idempotency.find(batchName(id, request));
  if (record === null) throw batchNotFound();
  return { kind: 'batch-record', record: await judgedBatch(await recordedBatch(record), request, services) };
}

function batchIn(body: ParsedBody, request: Negotiated): ReceivedBatch {
  if (body.kind === 'invalid') throw body.error;
  return receiveBatch(readBatch(body.json, request.preferences.handling === 'lenient'), request);
}

/**
 * An earlier batch that is sent again, as its caller may have it now (MET-12): an atomic one as a whole or not at all.
 *
 * @throws {ApiError} AUTH_SCOPE_INSUFFICIENT; 404
 */
async function replayedBatch(record: BatchRecord, request: Negotiated, services: BatchServices): Promise<BatchRecord> {
  if (!record.atomic) return judgedBatch(record, request, services);
  for (const [index, each] of record.results.entries()) {
    const error = await resultError(each, request);
    if (error !== null) throw inOperation(index, error);
  }
  return record;
}

/** An earlier batch: an operation whose scope the caller has lost, or whose row it would not see now, is refused as a new one would be. */
async function judgedBatch(record: BatchRecord, request: Negotiated, services: BatchServices): Promise<BatchRecord> {
  const results: OperationResult[] = [];
  for (const each of record.results) {
    const error = await resultError(each, request);
    results.push(error === null ? each : failedResult(error, request, services));
  }
  return { ...record, results };
}

/** Why the caller may not have an earlier result now; null where it may. */
async function resultError(earlier: OperationResult, request: Negotiated): Promise<ApiError | null> {
  if (earlier.kind === 'failed') return null;
  const { result } = earlier;
  const compiled = request.contract.resources.get(result.resource);
  if (compiled === undefined) return notInContract(request.contract);
  const refused = request.accessError([...operationRules(compiled.resource, earlier.method), ...stateRules(result)]);
  if (refused !== null) return refused;
  return (await seesResult(request, result)) ? null : notFound(compiled.resource);
}

/** VER-5: a batch that was run in another version may have written what this one does not have. */
function notInContract({ version }: Contract): ApiError {
  return apiError('REQUEST_ROUTE_NOT_FOUND', `Version ${version} does not have the resource of this operation.`);
}

/** The batch that the record of a key names. Both are retained for the same time. */
async function batchOf(
  { outcome }: StoredIdempotencyRecord,
  { idempotency }: Pick<Services, 'idempotency'>,
): Promise<BatchRecord> {
  const name: string = JSON.parse(outcome);
  const record = await idempotency.find(name);
  if (record === null) throw batchNotFound();
  return recordedBatch(record);
}
