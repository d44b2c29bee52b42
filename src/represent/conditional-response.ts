import {
  cacheControl,
  combineDirectives,
  type CacheDirectives,
  isShared,
  privateDirectives,
} from '../conventions/headers/cache-control.ts';
import { resourceError } from '../conventions/errors.ts';
import type { ETagsByLength } from '../conventions/headers/etag.ts';
import type { LinkValue } from '../conventions/url/links.ts';
import { evaluateRead, listedETag } from '../conventions/headers/preconditions.ts';
import type { Resource } from '../model/model.ts';
import type { LinkBase } from '../plan/routes/url-builder.ts';
import type { BufferedResponse } from '../exchange/handler.ts';
import type { Negotiated } from '../pipeline/negotiate.ts';
import type { Modified } from '../operations/read/item-cache.ts';
import { etagOf } from '../operations/etags.ts';
import { addLinks, appliedPreferences, commonHeaders, type HeaderList } from './response.ts';

/** The selected representation of a read (RFC 9110 3.2): its validators, and what caches may do with it. */
export interface SelectedRepresentation {
  /** null for what has no rows, such as the root. */
  readonly resource: Resource | null;
  /** What the model declares of all resources in it; null where it declares nothing. */
  readonly cache: CacheDirectives | null;
  /** Whether it depends on who calls by what it shows of other resources (NEG-3). */
  readonly variesByCaller: boolean;
  readonly etags: ETagsByLength;
  /** null where no `Last-Modified` is sent. */
  readonly lastModified: () => Modified | null;
}

const undated = (): null => null;

/** The content of a 200. */
export interface Content {
  readonly links: readonly LinkValue[];
  /** Further header fields. */
  readonly headers?: HeaderList;
  readonly body: () => string | Uint8Array;
}

/** The representation of a resource. @param others the resources that it shows or depends on besides */
export function selectedOf(
  resource: Resource,
  others: readonly Resource[],
  etags: ETagsByLength,
  lastModified: SelectedRepresentation['lastModified'] = undated,
): SelectedRepresentation {
  const cache = others.map((each) => each.cache).reduce(combineDirectives, resource.cache);
  const variesByCaller = others.some((each) => !each.sameForEveryCaller);
  return { resource, cache, variesByCaller, etags, lastModified };
}

/** The representation of something that is no resource of the model. */
export function selectedDocument(etag: string): SelectedRepresentation {
  return {
    resource: null,
    cache: null,
    variesByCaller: false,
    etags: { short: etag, long: etag },
    lastModified: undated,
  };
}

/** 200, or 304 where the client's copy is current (CACHE-2, CACHE-3). @throws {ApiError} 412 */
export function conditionalResponse(
  request: Negotiated,
  selected: SelectedRepresentation,
  content: Content,
): BufferedResponse {
  if (!isNotModified(request, selected)) return okResponse(request, selected, content);
  const { etags } = selected;
  return notModifiedResponse(
    request,
    selected,
    listedETag(request.preconditions, etags) ?? etagOf(etags, content.body()),
  );
}

/** Whether the client's copy is current. @throws {ApiError} 412 */
export function isNotModified(request: Negotiated, selected: SelectedRepresentation): boolean {
  const { preconditions } = request;
  const { etags, lastModified } = selected;
  const etag = listedETag(preconditions, etags) ?? etags.short;
  const verdict = evaluateRead(preconditions, { etag, lastModified });
  // The root has no state that a condition could guard, and so no error code for a failed one: it is sent all the same.
  if (verdict === 'failed' && selected.resource !== null) throw preconditionFailed(selected.resource);
  return verdict === 'not-modified';
}

/** 304 with the validators of the client's copy. @param etag which of the ETags of the representation names that copy */
export function notModifiedResponse(
  request: Negotiated,
  selected: SelectedRepresentation,
  etag: string,
): BufferedResponse {
  return { status: 304, headers: validatorHeaders(request, selected, etag), body: null };
}

function okResponse(
  request: Negotiated,
  selected: SelectedRepresentation,
  { links, headers: further = [], body }: Content,
): BufferedResponse {
  const text = body();
  const headers = validatorHeaders(request, selected, etagOf(selected.etags, text));
  const lastModified = selected.lastModified();
  if (lastModified !== null) headers.push('Last-Modified', lastModified.date);
  headers.push('Content-Type', request.offer.contentType);
  addLinks(headers, links);
  headers.push(...appliedPreferences(request), ...further);
  return { status: 200, headers, body: text };
}

/** A new list, which the caller may extend. */
function validatorHeaders(request: Negotiated, selected: SelectedRepresentation, etag: string): string[] {
  const { exchange, contract, credentials } = request;
  const isReadByCaller = dependsOnKnownFields(request);
  const cache = isReadByCaller ? privateDirectives(selected.cache) : selected.cache;
  if (isReadByCaller || selected.variesByCaller) exchange.note.variesByCaller = true;
  const quota = isShared(cache) ? null : exchange.note.quota;
  const headers = commonHeaders(exchange, contract, quota);
  headers.push('ETag', etag, 'Cache-Control', cacheControl({ credentials, cache }));
  return headers;
}

/** Whether the meaning of the URL depends on the fields that the caller knows: a lenient server ignores a filter by a field that it may not read (QRY-5). */
function dependsOnKnownFields({ contract, preferences }: Negotiated): boolean {
  return preferences.handling === 'lenient' && contract.hasFieldRules;
}

/** REP-9: a response in another version carrier than the path links to its path-versioned URL. */
export function canonicalLink(
  { contract, version }: Negotiated,
  urlBelow: (base: LinkBase) => string,
): readonly LinkValue[] {
  return version.carrier === 'path' ? [] : [{ rel: 'canonical', href: urlBelow(contract.linkBases.canonical) }];
}

/** 412 {R}_PRECONDITION_FAILED. */
export function preconditionFailed(resource: Resource): Error {
  const message = 'A precondition of the request does not hold; read the resource again and repeat with its new ETag.';
  return resourceError(resource.code, 'PRECONDITION_FAILED', message);
}
