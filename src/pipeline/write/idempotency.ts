import { ApiError, apiError } from '../../conventions/errors.ts';
import { readIdempotencyKey } from '../../conventions/idempotency-key.ts';
import type { IdempotencyRecord, StoredIdempotencyRecord } from '../../plan/plan.ts';
import type { ParsedBody } from './parsed-body.ts';
import { withRevisions, type WriteResult } from './write-result.ts';
import type { Negotiated } from '../negotiate.ts';
import type { Surroundings } from '../surroundings.ts';

/** How long an answer can be asked for again, in milliseconds (MET-12). */
export const RETENTION = 24 * 60 * 60 * 1_000;

const FIELD = 'Idempotency-Key';

/** A request that is done at most once: what its answer is found by, and what tells it from another under the same key. */
export interface KeyedRequest {
  readonly name: string;
  readonly request: string;
}

/**
 * The key of a request, as the name under which its answer is remembered: that of the caller, method, path and key (MET-12).
 *
 * @param required whether the request must have one
 * @returns null where it has none
 * @throws {ApiError} IDEMPOTENCY_KEY_INVALID, IDEMPOTENCY_KEY_REQUIRED
 */
export function recordName(request: Negotiated, required: boolean, { digest }: Surroundings): string | null {
  const key = readIdempotencyKey(request.exchange.fields.get('idempotency-key'));
  if (key !== null)
    return `key:${digest(JSON.stringify([request.principal.scope, request.method, request.segments, key]))}`;
  if (!required) return null;
  throw apiError('IDEMPOTENCY_KEY_REQUIRED', 'Send an Idempotency-Key, so that this request can be repeated safely.', {
    details: [{ field: FIELD, message: 'is required' }],
  });
}

/** What tells a request from another under its key: target, version, type and body. @param bytes of the body, inflated */
export function requestDigest(request: Negotiated, bytes: Uint8Array, { digest, version }: Surroundings): string {
  const { exchange } = request;
  return digest(JSON.stringify([exchange.request.target, version, exchange.fields.get('content-type'), digest(bytes)]));
}

/** What became of a request under a key. */
export type Outcome<T> = { readonly outcome: T; readonly replayed: boolean };

/**
 * Does a request once. The answer is remembered by the run itself, in the transaction of its write; what fails is not, and runs again. Where
 * another process does the same request meanwhile, its answer is given, and no refusal that only its change brought about (step 13 before 14).
 *
 * @param run does it; `remembered` where the memo stands already
 * @param read what a memo says
 * @throws {ApiError} IDEMPOTENCY_KEY_REUSED: another request had the key; IDEMPOTENCY_KEY_IN_PROGRESS: the first is not done yet
 */
export async function runOnce<T>(
  { name, request }: KeyedRequest,
  run: () => Promise<T | 'recorded'>,
  read: (memo: StoredIdempotencyRecord) => T | Promise<T>,
  surroundings: Surroundings,
): Promise<Outcome<T>> {
  const { running } = surroundings;
  if (running.has(name)) throw inProgress();
  running.add(name);
  try {
    const earlier = await recall(name, request, surroundings);
    if (earlier !== null) return { outcome: await read(earlier), replayed: true };
    const outcome = await orRefusal(run);
    if (outcome !== 'recorded' && !(outcome instanceof ApiError)) return { outcome, replayed: false };
    const meanwhile = await recall(name, request, surroundings);
    if (meanwhile === null) throw outcome === 'recorded' ? inProgress() : outcome;
    return { outcome: await read(meanwhile), replayed: true };
  } finally {
    running.delete(name);
  }
}

/** What a run gives, or the refusal that it ends in. */
async function orRefusal<T>(run: () => Promise<T>): Promise<T | ApiError> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

async function recall(
  name: string,
  request: string,
  { store, now }: Surroundings,
): Promise<StoredIdempotencyRecord | null> {
  const memo = await store.idempotencyRecords.find(name, now());
  if (memo === null || memo.request === request) return memo;
  const message = 'This Idempotency-Key was sent with another request; use a new key for each request.';
  throw apiError('IDEMPOTENCY_KEY_REUSED', message, {
    details: [{ field: FIELD, message: 'belongs to another request' }],
  });
}

/** What is remembered of a single write. */
export function recordOfResult(
  { name, request }: KeyedRequest,
  { now }: Pick<Surroundings, 'now'>,
): (effect: WriteResult) => IdempotencyRecord {
  return (effect) => ({ name, request, outcome: JSON.stringify(effect), expiresAt: now() + RETENTION });
}

/** The effect that a memo tells of. */
export function recordedResult({ outcome, revisions }: StoredIdempotencyRecord): WriteResult {
  const effect: WriteResult = JSON.parse(outcome);
  return withRevisions(effect, revisions);
}

/** The bytes of a body that may have none. */
export function bytesOf(body: ParsedBody | null): Uint8Array {
  return body?.bytes ?? new Uint8Array();
}

function inProgress(): Error {
  const message = 'A request with this Idempotency-Key is still being answered; send it again in a moment.';
  return apiError('IDEMPOTENCY_KEY_IN_PROGRESS', message, { headers: { 'Retry-After': '1' } });
}
