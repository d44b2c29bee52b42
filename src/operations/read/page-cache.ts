import { secondHit } from '../../cache/admission-filter.ts';
import { type Cache, createCache } from '../../cache/cache.ts';
import type { LinkValue } from '../../conventions/url/links.ts';

/** A page, represented. */
export interface CachedPage {
  /** A string if it is short, otherwise mostly bytes. */
  readonly body: string | Uint8Array;
  readonly links: readonly LinkValue[];
  /** Header fields, names and values alternating. */
  readonly metadata: readonly string[];
  /** The ETag of its bytes, by which clients know it. Absent if that is the one by which it is cached. */
  readonly etag?: string;
}

/** Characters of cached pages, with their links and metadata. */
const MAX_WEIGHT = 8_388_608;
/** The weight of a page besides its characters: a page without items may have none. */
const PAGE_WEIGHT = 400;
/** Keys that the admission filter knows, about as many as there is room for. */
const RECENT_KEYS = 1_024;

/**
 * Caches pages by their ETags (CACHE-2). An ETag depends on everything that the page depends on, so that a page is
 * never stale. The query and the stamps of its resources include the *visibility*; its variant includes the *contract*
 * and the *permission*. It never depends on an identity.
 */
export type PageCache = Cache<CachedPage>;

export function createPageCache(): PageCache {
  return createCache({ maxWeight: MAX_WEIGHT, weigh, admits: secondHit(RECENT_KEYS) });
}

function weigh({ body, links, metadata }: CachedPage, etag: string): number {
  const strings = [etag, body, ...links.map(({ href }) => href), ...metadata];
  return strings.reduce((sum, { length }) => sum + length, PAGE_WEIGHT);
}
