import { cacheControl, combineDirectives, type CacheDirectives } from '../../conventions/cache-control.ts';
import { resourceError } from '../../conventions/errors.ts';
import { type LinkValue, linkField } from '../../conventions/links.ts';
import { evaluateRead } from '../../conventions/preconditions.ts';
import type { Resource } from '../../model/model.ts';
import type { LinkBase } from '../../plan/url-builder.ts';
import { expandedResources } from '../../plan/expansion.ts';
import type { View } from '../../plan/view.ts';
import { appliedPreferences, commonHeaders, type HeaderList } from './response.ts';
import type { BufferedResponse } from '../exchange.ts';
import type { Negotiated } from '../negotiate.ts';
import { canonicalBase } from '../route.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Modified } from '../read/item-cache.ts';

/** What a read is answered about. */
export interface SelectedRepresentation {
  /** null for what has no rows, such as the root. */
  readonly resource: Resource | null;
  /** What caches may do with all that is told; null where the model says nothing of it. */
  readonly cache: CacheDirectives | null;
  readonly etag: string;
  /** null where no `Last-Modified` goes out. */
  readonly lastModified: () => Modified | null;
}

const undated = (): null => null;

/** The answer to a read that shows something. */
export interface Found {
  readonly links: readonly LinkValue[];
  /** Further header fields. */
  readonly facts?: HeaderList;
  readonly body: () => string;
}

/** What is told of a resource in a view. */
export function readTarget(
  resource: Resource,
  { expansions }: View,
  etag: string,
  lastModified: SelectedRepresentation['lastModified'] = undated,
): SelectedRepresentation {
  const expanded = expandedResources(expansions).map(({ cache }) => cache);
  return { resource, cache: expanded.reduce(combineDirectives, resource.cache), etag, lastModified };
}

/** What is told of no resource. */
export function plainTarget(etag: string): SelectedRepresentation {
  return { resource: null, cache: null, etag, lastModified: undated };
}

/** The answer to a read, or what its preconditions make of it (CACHE-2, CACHE-3). @throws {ApiError} 412 */
export function conditionalResponse(
  request: Negotiated,
  target: SelectedRepresentation,
  surroundings: Surroundings,
  found: Found,
): BufferedResponse {
  return notModified(request, target, surroundings) ?? okResponse(request, target, surroundings, found);
}

/** 304 where the caller has what it would be shown; null where it is to be shown. @throws {ApiError} 412 */
export function notModified(
  request: Negotiated,
  target: SelectedRepresentation,
  surroundings: Surroundings,
): BufferedResponse | null {
  const { resource } = target;
  const verdict = evaluateRead(request.preconditions, target);
  // The root has no state that a condition could guard, and so no code to refuse one with: it is shown all the same.
  if (verdict === 'failed' && resource !== null) throw preconditionFailed(resource);
  if (verdict !== 'not-modified') return null;
  return { status: 304, headers: cachingHeaders(request, target, surroundings), body: null };
}

/** 200, whatever the preconditions say. */
function okResponse(
  request: Negotiated,
  target: SelectedRepresentation,
  surroundings: Surroundings,
  { links, facts = [], body }: Found,
): BufferedResponse {
  const headers = cachingHeaders(request, target, surroundings);
  const lastModified = target.lastModified();
  if (lastModified !== null) headers.push('Last-Modified', lastModified.date);
  headers.push('Content-Type', request.offer.contentType);
  const link = linkField(links);
  if (link !== '') headers.push('Link', link);
  headers.push(...appliedPreferences(request), ...facts);
  return { status: 200, headers, body: body() };
}

/** A list of its own, to be gone on with. */
function cachingHeaders(
  request: Negotiated,
  { cache, etag }: SelectedRepresentation,
  { version }: Surroundings,
): string[] {
  const headers = commonHeaders(request.exchange, version);
  const control = cacheControl({ credentials: request.credentials, cache, sameForEveryCaller: true });
  headers.push('ETag', etag, 'Cache-Control', control);
  return headers;
}

/** REP-9: an answer in another version carrier than the path names its path-versioned URL. */
export function canonicalLink(
  request: Negotiated,
  { compiled }: Surroundings,
  address: (base: LinkBase) => string,
): readonly LinkValue[] {
  if (request.version.carrier === 'path') return [];
  return [{ rel: 'canonical', href: address(canonicalBase(compiled)) }];
}

export function preconditionFailed(resource: Resource): Error {
  const message = 'A precondition of the request does not hold; read the resource again and repeat with its new ETag.';
  return resourceError(resource.code, 'PRECONDITION_FAILED', message);
}
