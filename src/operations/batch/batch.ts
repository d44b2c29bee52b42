import { type ApiError, apiError } from '../../conventions/errors.ts';
import type { Contract } from '../../contract/contract.ts';
import { operationRules } from '../../plan/routes/operation-rules.ts';
import type { StoredIdempotencyRecord } from '../../plan/write-unit.ts';
import type { Caller } from '../caller.ts';
import { batchNotFound, notFound } from '../failures.ts';
import type { RequestIdentity } from '../write/idempotency.ts';
import { type ParsedBody, parseBody, type SentBody } from '../write/parsed-body.ts';
import { seesResult } from '../write/row-access.ts';
import { bodyBytes, stateRules } from '../write/write-request.ts';
import { inOperation, runAtomic } from './atomic.ts';
import { readBatch, type ReceivedBatch, receiveBatch, type ReceiveOperation } from './batch-body.ts';
import { batchName, type BatchRecord, type OperationResult, recordedBatch } from './batch-record.ts';
import type { BatchServices } from './batch-run.ts';
import { failedResult, runIndependent } from './independent.ts';

/** A requested batch. */
export interface BatchPlan {
  readonly kind: 'batch';
  readonly body: SentBody;
  /** The `Idempotency-Key`; null without one. */
  readonly key: string | null;
  readonly identity: RequestIdentity;
  /** True if the batch is checked completely, and not stored (MET-14). */
  readonly dry: boolean;
  /** True if unknown members of the body are ignored (REP-5). */
  readonly lenient: boolean;
  readonly receive: ReceiveOperation;
}

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

/** A batch is no resource of the model: its body can only be JSON. */
const SHAPE = { resource: { singular: 'batch' }, bodyType: { kind: 'object', members: [] } } as const;

/** Runs a batch (MET-13): several writes, all or none of them if it is atomic, else each by itself, in order. */
export async function runBatch(caller: Caller, plan: BatchPlan, services: BatchServices): Promise<BatchOutcome> {
  const { key, identity, dry } = plan;
  const { idempotency } = services;
  const name = dry ? null : await idempotency.name(key, identity, caller.principal);
  const body = await parseBody(plan.body, SHAPE, caller.contract.model.limits);
  const keyed = name === null ? null : { name, request: idempotency.requestDigest(identity, bodyBytes(body)) };
  const run = async (): Promise<BatchRecord | 'recorded'> => {
    const batch = batchIn(body, plan);
    // The request has taken the cost of one write.
    if (batch.atomic) await caller.quota?.takeMore(batch.operations.length - 1);
    return (batch.atomic ? runAtomic : runIndependent)({ caller, batch, keyed, dry }, services);
  };
  if (keyed !== null) {
    const replay = async (record: StoredIdempotencyRecord): Promise<BatchRecord> =>
      replayedBatch(await namedBatch(record, services), caller, services);
    const { value, replayed } = await idempotency.runOnce(keyed, run, replay);
    return { kind: 'batch', record: value, replayed, dry };
  }
  const record = await run();
  if (record === 'recorded') throw new Error('a batch without a key was recorded');
  return { kind: 'batch', record, replayed: false, dry };
}

/** Reads a batch: for a day, by its caller alone (MET-13). @throws {ApiError} BATCH_NOT_FOUND */
export async function readBatchRecord(caller: Caller, id: string, services: BatchServices): Promise<StoredBatch> {
  const { idempotency } = services;
  const { identity, formerIdentity } = caller.principal;
  const former = formerIdentity === null ? null : batchName(id, { identity: formerIdentity });
  const record =
    (await idempotency.find(batchName(id, { identity }))) ?? (former === null ? null : await idempotency.find(former));
  if (record === null) throw batchNotFound();
  return { kind: 'batch-record', record: await judgedBatch(await recordedBatch(record), caller, services) };
}

function batchIn(body: ParsedBody, { lenient, receive }: BatchPlan): ReceivedBatch {
  if (body.kind === 'invalid') throw body.error;
  return receiveBatch(readBatch(body.json, lenient), receive);
}

/**
 * Judges a batch that is sent again for its caller now (MET-12). An atomic batch is replayed as a whole or not at all.
 *
 * @throws {ApiError} AUTH_SCOPE_INSUFFICIENT; 404
 */
async function replayedBatch(record: BatchRecord, caller: Caller, services: BatchServices): Promise<BatchRecord> {
  if (!record.atomic) return judgedBatch(record, caller, services);
  for (const [index, each] of record.results.entries()) {
    const error = await resultError(each, caller);
    if (error !== null) throw inOperation(index, error);
  }
  return record;
}

/**
 * Judges an earlier batch. An operation whose scope the caller has lost, or whose row it would not see now, is refused
 * as a new one would be.
 */
async function judgedBatch(record: BatchRecord, caller: Caller, services: BatchServices): Promise<BatchRecord> {
  const results: OperationResult[] = [];
  for (const each of record.results) {
    const error = await resultError(each, caller);
    results.push(error === null ? each : failedResult(error, caller.trace, services));
  }
  return { ...record, results };
}

/** Returns the error of an earlier result that the caller may no longer see; null if it may. */
async function resultError(earlier: OperationResult, caller: Caller): Promise<ApiError | null> {
  if (earlier.kind === 'failed') return null;
  const { result } = earlier;
  const compiled = caller.contract.resources.get(result.resource);
  if (compiled === undefined) return notInContract(caller.contract);
  const refused = caller.accessError([...operationRules(compiled.resource, earlier.method), ...stateRules(result)]);
  if (refused !== null) return refused;
  return (await seesResult(caller, result)) ? null : notFound(compiled.resource);
}

/** Makes the error of a result whose resource this version does not have: the batch was run in another one (VER-5). */
function notInContract({ version }: Contract): ApiError {
  return apiError('REQUEST_ROUTE_NOT_FOUND', `Version ${version} does not have the resource of this operation.`);
}

/** Finds the batch that the record of a key names. Both are retained for the same time. */
async function namedBatch(
  { outcome }: StoredIdempotencyRecord,
  { idempotency }: Pick<BatchServices, 'idempotency'>,
): Promise<BatchRecord> {
  const name: string = JSON.parse(outcome);
  const record = await idempotency.find(name);
  if (record === null) throw batchNotFound();
  return recordedBatch(record);
}
