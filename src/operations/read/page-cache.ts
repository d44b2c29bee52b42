import { secondHit } from '../../cache/admission-filter.ts';
import { type Cache, createCache } from '../../cache/cache.ts';
import type { LinkValue } from '../../conventions/url/links.ts';

/** A page, represented. */
export interface CachedPage {
  /** A string where it is short, else mostly bytes. */
  readonly body: string | Uint8Array;
  readonly links: readonly LinkValue[];
  /** Header fields, names and values alternating. */
  readonly metadata: readonly string[];
}

/** Characters of cached pages, with their links and metadata. */
const MAX_WEIGHT = 8_388_608;
/** What a page counts besides its characters: one without items may have no text. */
const PAGE_WEIGHT = 400;
/** Keys that the admission filter knows, about as many as there is room for. */
const RECENT_KEYS = 1_024;

/**
 * Pages by their ETags (CACHE-2). An ETag names everything that a page is made of, so that a page is never stale: the
 * stamps of its resources, and through them and the query the *visibility*; the *contract* and the *permission* by its
 * variant. Never an identity.
 */
export type PageCache = Cache<CachedPage>;

export function createPageCache(): PageCache {
  return createCache({ maxWeight: MAX_WEIGHT, weigh, admits: secondHit(RECENT_KEYS) });
}

function weigh({ body, links, metadata }: CachedPage, etag: string): number {
  const strings = [etag, body, ...links.map(({ href }) => href), ...metadata];
  return strings.reduce((sum, { length }) => sum + length, PAGE_WEIGHT);
}
