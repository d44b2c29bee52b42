import { type ErrorBody, resourceError } from '../../conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../conventions/json.ts';
import type { Method } from '../../conventions/methods.ts';
import type { Preferences } from '../../conventions/prefer.ts';
import { timestamp } from '../../conventions/timestamp.ts';
import type { StoredIdempotencyRecord } from '../../plan/plan.ts';
import { withRevisions, type WriteResult, writeResponse } from '../write/write-result.ts';
import type { ApiResponse } from '../exchange.ts';
import { RETENTION } from '../write/idempotency.ts';
import type { Negotiated } from '../negotiate.ts';
import type { Surroundings } from '../surroundings.ts';

/** What became of one operation of a batch, as data. */
export type OperationResult =
  | {
      readonly kind: 'done';
      readonly method: Method;
      readonly preferences: Preferences;
      readonly replayed: boolean;
      readonly effect: WriteResult;
    }
  | { readonly kind: 'failed'; readonly error: ErrorBody; readonly headers: Readonly<Record<string, string>> };

/** What became of a batch: kept for a day, and told again in whatever form it is asked for (MET-13). */
export interface BatchRecord {
  readonly id: string;
  readonly atomic: boolean;
  /** RFC 3339. */
  readonly at: string;
  readonly results: readonly OperationResult[];
}

/** Fields of an answer that say something of the operation, not of the exchange that carries it. */
const TOLD_FIELDS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-patch',
  'allow',
  'content-location',
  'content-type',
  'dry-run',
  'etag',
  'idempotent-replayed',
  'link',
  'location',
  'preference-applied',
  'retry-after',
]);

/** The record that a memo holds. */
export function recordedBatch({ outcome, revisions }: StoredIdempotencyRecord): BatchRecord {
  const record: BatchRecord = JSON.parse(outcome);
  return batchWithRevisions(record, revisions);
}

/** A record once its unit is committed. @param revisions those that the plans of the unit drew, in order */
export function batchWithRevisions(record: BatchRecord, revisions: readonly number[]): BatchRecord {
  const results = record.results.map((result) =>
    result.kind === 'done' ? { ...result, effect: withRevisions(result.effect, revisions) } : result,
  );
  return { ...record, results };
}

/** The name under which a batch is remembered: its caller's alone. */
export function batchName(id: string, { principal }: Negotiated): string {
  return `batch:${principal.scope}:${id}`;
}

/** A batch as its caller sees it. @param dry whether nothing was kept (MET-14) */
export function batchDocument(
  record: BatchRecord,
  request: Negotiated,
  dry: boolean,
  surroundings: Surroundings,
): JsonObject {
  const { id, atomic, at, results } = record;
  const done = results.filter(({ kind }) => kind === 'done').length;
  const status = done === results.length ? 'succeeded' : done === 0 ? 'failed' : 'partially_failed';
  const told = { atomic, status, results: results.map((result) => showResult(result, request, dry, surroundings)) };
  // What was only tried can be asked for nowhere.
  if (dry) return told;
  return {
    id,
    ...told,
    created_at: at,
    expires_at: timestamp(Date.parse(at) + RETENTION),
    links: { self: batchAddress(id, request, surroundings) },
  };
}

export function batchAddress(id: string, { base }: Negotiated, { compiled }: Surroundings): string {
  return compiled.addresses.system(base, compiled.model.system.batches, id);
}

function showResult(
  result: OperationResult,
  request: Negotiated,
  dry: boolean,
  surroundings: Surroundings,
): JsonObject {
  if (result.kind === 'failed') {
    const { error, headers } = result;
    const type = { 'Content-Type': 'application/json' };
    return { status: error.httpStatus, headers: { ...headers, ...type }, body: errorJson(error) };
  }
  const { method, preferences, replayed, effect } = result;
  const alone = { ...request, method, preferences };
  const answer = writeResponse(effect, alone, { replayed, dry }, surroundings);
  return { status: answer.status, headers: toldHeaders(answer), body: bodyJson(answer) };
}

function toldHeaders({ headers }: ApiResponse): JsonObject {
  const told: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (TOLD_FIELDS.has(name.toLowerCase())) told[name] = value;
  }
  return told;
}

function bodyJson({ body }: ApiResponse): Json {
  if (typeof body !== 'string') return null;
  const value: Json = JSON.parse(body);
  return isJsonObject(value) ? value : null;
}

function errorJson({ details, ...error }: ErrorBody): JsonObject {
  return { ...error, details: details.map(({ field, message }) => ({ field, message })) };
}

export function batchNotFound(): Error {
  return resourceError(
    'BATCH',
    'NOT_FOUND',
    'There is no batch with this id for this caller; it is kept for 24 hours.',
  );
}
