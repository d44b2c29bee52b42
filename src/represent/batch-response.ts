import type { ErrorBody } from '../conventions/errors.ts';
import type { JsonObject } from '../conventions/json/json.ts';
import type { LinkValue } from '../conventions/url/links.ts';
import { preferenceApplied } from '../conventions/headers/prefer.ts';
import { timestamp } from '../conventions/text/timestamp.ts';
import { writeJson } from '../formats/json.ts';
import { TimeSlices } from '../platform/time-slices.ts';
import type { BufferedResponse, StreamedResponse } from '../exchange/handler.ts';
import type { BatchOutcome } from '../operations/batch/batch.ts';
import type { BatchRecord, OperationResult } from '../operations/batch/batch-record.ts';
import type { LineResult, LinesOutcome } from '../operations/batch/ndjson.ts';
import { type ETags, selectDocument } from '../operations/etags.ts';
import { RETENTION } from '../operations/write/idempotency.ts';
import { canonicalLink, conditionalResponse } from './conditional-response.ts';
import type { Reply } from './reply.ts';
import { addLinks, appliedPreferences, commonHeaders, uncachedResponse } from './response.ts';
import { showsSecrets, writeResponse } from './write-response.ts';

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

/** Responds to a batch that was run (MET-13). */
export async function batchResponse(
  reply: Reply,
  { record, replayed, dry }: BatchOutcome,
  services: { readonly etags: ETags },
): Promise<BufferedResponse> {
  const url = batchUrl(record.id, reply);
  const headers = [
    ...commonHeaders(reply.exchange),
    ...(replayed ? ['Idempotent-Replayed', 'true'] : []),
    ...(dry ? ['Dry-Run', 'true'] : ['Location', url]),
  ];
  if (!dry) addLinks(headers, canonicalLinks(record.id, reply));
  if (reply.preferences.return === 'minimal' && !dry) {
    const applied = ['Preference-Applied', preferenceApplied(['return=minimal']) ?? ''];
    return uncachedResponse(201, [...headers, ...applied], null);
  }
  const text = await writeBatch(reply, record, dry, services);
  const isShown = record.results.some((each) => each.kind === 'done' && showsSecrets(reply, each.result));
  const etag = isShown ? [] : ['ETag', services.etags.content(reply.variant, text)];
  const validators = dry ? [] : ['Content-Location', url, ...etag];
  return uncachedResponse(
    dry ? 200 : 201,
    [...headers, 'Content-Type', reply.offer.contentType, ...validators, ...appliedPreferences(reply)],
    text,
  );
}

/** Responds to GET of a batch. */
export async function batchRecordResponse(
  reply: Reply,
  record: BatchRecord,
  services: { readonly etags: ETags },
): Promise<BufferedResponse> {
  const text = await writeBatch(reply, record, false, services);
  const selected = selectDocument(services.etags.content(reply.variant, text));
  return conditionalResponse(reply, selected, { links: canonicalLinks(record.id, reply), body: () => text });
}

/** Responds to NDJSON with a streamed result line for each line (MET-13). */
export function linesResponse(reply: Reply, lines: LinesOutcome): StreamedResponse {
  const { dry } = lines;
  const headers = [
    ...commonHeaders(reply.exchange),
    ...(dry ? ['Dry-Run', 'true'] : []),
    'Content-Type',
    reply.offer.contentType,
    ...appliedPreferences(reply),
  ];
  return uncachedResponse(200, headers, writeLines(reply, lines));
}

async function* writeLines(reply: Reply, lines: LinesOutcome): AsyncGenerator<string> {
  for await (const result of lines.results) yield `${writeJson(lineJson(reply, lines, result))}\n`;
}

function lineJson({ base, contract }: Reply, { compiled, within }: LinesOutcome, result: LineResult): object {
  switch (result.kind) {
    case 'created': {
      const { line, id, replayed } = result;
      const location = contract.urls.item(base, compiled.resource, within, id);
      return { line, status: 201, id, location, ...(replayed ? { replayed } : {}) };
    }
    case 'checked':
      return { line: result.line, status: 200 };
    case 'failed':
      return { line: result.line, status: result.error.httpStatus, error: result.error };
    case 'broken':
      return { error: result.error };
  }
}

/**
 * Writes a batch as JSON. Its results, which may be large, are written one by one.
 *
 * @param dry true if nothing was stored (MET-14): then the batch has no URL
 */
async function writeBatch(
  reply: Reply,
  record: BatchRecord,
  dry: boolean,
  services: { readonly etags: ETags },
): Promise<string> {
  const { id, atomic, at, results } = record;
  const done = results.filter(({ kind }) => kind === 'done').length;
  const status = done === results.length ? 'succeeded' : done === 0 ? 'failed' : 'partially_failed';
  const texts: string[] = [];
  const slices = new TimeSlices();
  for (const result of results) {
    await slices.next();
    texts.push(resultJson(reply, result, dry, services));
  }
  const written = `"results":[${texts.join(',')}]`;
  if (dry) return `${writeJson({ atomic, status }).slice(0, -1)},${written}}`;
  const validity = { created_at: at, expires_at: timestamp(Date.parse(at) + RETENTION) };
  const end = writeJson({ ...validity, links: { self: batchUrl(id, reply) } });
  return `${writeJson({ id, atomic, status }).slice(0, -1)},${written},${end.slice(1)}`;
}

function batchUrl(id: string, { base, contract }: Pick<Reply, 'base' | 'contract'>): string {
  return contract.urls.system(base, contract.model.system.batches, id);
}

/** Links to the path-versioned URL of a batch (REP-9). */
function canonicalLinks(id: string, reply: Reply): readonly LinkValue[] {
  return canonicalLink(reply, (base) => batchUrl(id, { ...reply, base }));
}

/** Writes the result of an operation, with the JSON of the response that it would have alone. */
function resultJson(
  reply: Reply,
  operation: OperationResult,
  dry: boolean,
  services: { readonly etags: ETags },
): string {
  if (operation.kind === 'failed') {
    const { error, headers } = operation;
    const type = { 'Content-Type': 'application/json' };
    return writeJson({ status: error.httpStatus, headers: { ...headers, ...type }, body: errorJson(error) });
  }
  const { method, preferences, replayed, result } = operation;
  const response = writeResponse({ ...reply, preferences }, { method, result, replayed, dry }, services);
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
