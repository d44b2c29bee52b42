import type { ErrorBody } from '../conventions/errors.ts';
import type { JsonObject } from '../conventions/json/json.ts';
import type { LinkValue } from '../conventions/url/links.ts';
import { preferenceApplied } from '../conventions/headers/prefer.ts';
import { timestamp } from '../conventions/text/timestamp.ts';
import { writeJson } from '../formats/json.ts';
import { TimeSlices } from '../platform/time-slices.ts';
import type { BatchOutcome } from '../operations/batch/batch.ts';
import type { BatchRecord, OperationResult } from '../operations/batch/batch-record.ts';
import type { LinesOutcome } from '../operations/batch/ndjson.ts';
import type { BufferedResponse, StreamedResponse } from '../exchange/handler.ts';
import type { Negotiated } from '../pipeline/negotiate.ts';
import type { Services } from '../pipeline/services.ts';
import { RETENTION } from '../operations/write/idempotency.ts';
import { canonicalLink, conditionalResponse, selectedDocument } from './conditional-response.ts';
import { addLinks, appliedPreferences, commonHeaders, uncachedResponse } from './response.ts';
import { showsSecrets, writeResponse } from './write-response.ts';

type ETagServices = Pick<Services, 'etags'>;

/** Header fields of a response that belong to the operation, not to the exchange that carries it. */
const OPERATION_FIELDS: ReadonlySet<string> = new Set([
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

/** The response to a batch that was run (MET-13). */
export async function batchResponse(
  request: Negotiated,
  { record, replayed, dry }: BatchOutcome,
  services: ETagServices,
): Promise<BufferedResponse> {
  const url = batchUrl(record.id, request);
  const headers = [
    ...commonHeaders(request.exchange, request.contract),
    ...(replayed ? ['Idempotent-Replayed', 'true'] : []),
    ...(dry ? ['Dry-Run', 'true'] : ['Location', url]),
  ];
  if (!dry) addLinks(headers, canonicalLinks(record.id, request));
  if (request.preferences.return === 'minimal' && !dry) {
    const applied = ['Preference-Applied', preferenceApplied(['return=minimal']) ?? ''];
    return uncachedResponse(201, [...headers, ...applied], null);
  }
  const text = await writeBatch(request, record, dry, services);
  const isShown = record.results.some((each) => each.kind === 'done' && showsSecrets(request, each.result));
  const etag = isShown ? [] : ['ETag', services.etags.content(request, text)];
  const validators = dry ? [] : ['Content-Location', url, ...etag];
  return uncachedResponse(
    dry ? 200 : 201,
    [...headers, 'Content-Type', request.offer.contentType, ...validators, ...appliedPreferences(request)],
    text,
  );
}

/** The response to GET of a batch. */
export async function batchRecordResponse(
  request: Negotiated,
  record: BatchRecord,
  services: ETagServices,
): Promise<BufferedResponse> {
  const text = await writeBatch(request, record, false, services);
  const selected = selectedDocument(services.etags.content(request, text));
  return conditionalResponse(request, selected, { links: canonicalLinks(record.id, request), body: () => text });
}

/** The response to NDJSON: a result line for each line, streamed (MET-13). */
export function linesResponse(request: Negotiated, { dry, results }: LinesOutcome): StreamedResponse {
  const headers = [
    ...commonHeaders(request.exchange, request.contract),
    ...(dry ? ['Dry-Run', 'true'] : []),
    'Content-Type',
    request.offer.contentType,
    ...appliedPreferences(request),
  ];
  return uncachedResponse(200, headers, results);
}

/**
 * A batch as JSON. Its results, which may be large, are written one by one.
 *
 * @param dry whether nothing was stored (MET-14): then the batch has no URL
 */
async function writeBatch(
  request: Negotiated,
  record: BatchRecord,
  dry: boolean,
  services: ETagServices,
): Promise<string> {
  const { id, atomic, at, results } = record;
  const done = results.filter(({ kind }) => kind === 'done').length;
  const status = done === results.length ? 'succeeded' : done === 0 ? 'failed' : 'partially_failed';
  const texts: string[] = [];
  const slices = new TimeSlices();
  for (const result of results) {
    await slices.next();
    texts.push(resultJson(request, result, dry, services));
  }
  const written = `"results":[${texts.join(',')}]`;
  if (dry) return `${writeJson({ atomic, status }).slice(0, -1)},${written}}`;
  const validity = { created_at: at, expires_at: timestamp(Date.parse(at) + RETENTION) };
  const end = writeJson({ ...validity, links: { self: batchUrl(id, request) } });
  return `${writeJson({ id, atomic, status }).slice(0, -1)},${written},${end.slice(1)}`;
}

function batchUrl(id: string, { base, contract }: Pick<Negotiated, 'base' | 'contract'>): string {
  return contract.urls.system(base, contract.model.system.batches, id);
}

/** REP-9: the path-versioned URL of a batch, for a request in another version carrier. */
function canonicalLinks(id: string, request: Negotiated): readonly LinkValue[] {
  return canonicalLink(request, (base) => batchUrl(id, { ...request, base }));
}

/** The result of an operation, with the JSON that the response to it alone has. */
function resultJson(request: Negotiated, operation: OperationResult, dry: boolean, services: ETagServices): string {
  if (operation.kind === 'failed') {
    const { error, headers } = operation;
    const type = { 'Content-Type': 'application/json' };
    return writeJson({ status: error.httpStatus, headers: { ...headers, ...type }, body: errorJson(error) });
  }
  const { method, preferences, replayed, result } = operation;
  const response = writeResponse({ ...request, method, preferences }, { result, replayed, dry }, services);
  const { status, body } = response;
  if (body instanceof Uint8Array) throw new Error('the response to an operation is bytes');
  return `${writeJson({ status, headers: operationHeaders(response) }).slice(0, -1)},"body":${body ?? 'null'}}`;
}

function operationHeaders({ headers }: BufferedResponse): JsonObject {
  const kept: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (OPERATION_FIELDS.has(name.toLowerCase())) kept[name] = value;
  }
  return kept;
}

function errorJson({ details, ...error }: ErrorBody): JsonObject {
  return { ...error, details: details.map(({ field, message }) => ({ field, message })) };
}
