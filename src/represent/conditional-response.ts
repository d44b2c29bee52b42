import { cacheControl, isShared, privateDirectives } from '../conventions/headers/cache-control.ts';
import { listedETag } from '../conventions/headers/preconditions.ts';
import type { LinkValue } from '../conventions/url/links.ts';
import type { BufferedResponse, HeaderList } from '../exchange/handler.ts';
import { bodyETag, isNotModified, type SelectedRepresentation } from '../operations/etags.ts';
import type { LinkBase } from '../plan/routes/url-builder.ts';
import type { Reply } from './reply.ts';
import { addLinks, appliedPreferences, commonHeaders } from './response.ts';

/** The content of a 200. */
export interface Content {
  readonly links: readonly LinkValue[];
  /** Further header fields. */
  readonly headers?: HeaderList;
  readonly body: () => string | Uint8Array;
}

/** Responds with 200, or 304 if the client's copy is current (CACHE-2, CACHE-3). @throws {ApiError} 412 */
export function conditionalResponse(
  reply: Reply,
  selected: SelectedRepresentation,
  content: Content,
): BufferedResponse {
  const { preconditions } = reply;
  if (!isNotModified(preconditions, selected)) return okResponse(reply, selected, content);
  const { etags } = selected;
  return notModifiedResponse(reply, selected, listedETag(preconditions, etags) ?? bodyETag(etags, content.body()));
}

/**
 * Responds with 304 and the validators of the client's copy.
 *
 * @param etag the ETag of the representation that names that copy
 */
export function notModifiedResponse(reply: Reply, selected: SelectedRepresentation, etag: string): BufferedResponse {
  return { status: 304, headers: withoutLinks(validatorHeaders(reply, selected, etag)), body: null };
}

/**
 * Removes the links of a deprecated contract. Caches replace the fields of their copy by those of a 304, and its `Link`
 * has more links.
 */
function withoutLinks(headers: readonly string[]): HeaderList {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name === 'Link');
  return at === -1 ? headers : headers.toSpliced(at, 2);
}

function okResponse(
  reply: Reply,
  selected: SelectedRepresentation,
  { links, headers: further = [], body }: Content,
): BufferedResponse {
  const text = body();
  const headers = validatorHeaders(reply, selected, bodyETag(selected.etags, text));
  const lastModified = selected.lastModified();
  if (lastModified !== null) headers.push('Last-Modified', lastModified.date);
  headers.push('Content-Type', reply.offer.contentType);
  addLinks(headers, links);
  headers.push(...appliedPreferences(reply), ...further);
  return { status: 200, headers, body: text };
}

/** Lists the header fields of a 200 and of a 304: a new list, which the caller may extend. */
function validatorHeaders(reply: Reply, selected: SelectedRepresentation, etag: string): string[] {
  const { exchange, credentials } = reply;
  const isReadByCaller = dependsOnKnownFields(reply);
  const cache = isReadByCaller ? privateDirectives(selected.cache) : selected.cache;
  if (isReadByCaller || selected.variesByCaller) exchange.note.variesByCaller = true;
  const quota = isShared(cache) ? null : exchange.note.quota;
  const headers = commonHeaders(exchange, quota);
  headers.push('ETag', etag, 'Cache-Control', cacheControl({ credentials, cache }));
  return headers;
}

/**
 * True if the meaning of the URL depends on the fields that the caller knows: a lenient server ignores a filter by
 * another field (QRY-5).
 */
function dependsOnKnownFields({ contract, preferences }: Reply): boolean {
  return preferences.handling === 'lenient' && contract.hasFieldRules;
}

/** Links to the path-versioned URL in a response in another version carrier (REP-9). */
export function canonicalLink({ canonicalBase }: Reply, writeUrl: (base: LinkBase) => string): readonly LinkValue[] {
  return canonicalBase === null ? [] : [{ rel: 'canonical', href: writeUrl(canonicalBase) }];
}
