import type { LinkValue } from '../../conventions/links.ts';
import { SecondHitCache } from '../../cache/second-hit-cache.ts';

/** A page as it is told: its text, and what goes beside it. */
export interface CachedPage {
  readonly text: string;
  readonly links: readonly LinkValue[];
  /** Header fields, names and values in turn. */
  readonly facts: readonly string[];
}

/** Characters of told pages that are kept in each of two generations, of texts and of all that goes beside them. */
const KEPT_PAGES = 4_194_304;
/** What a page takes beside its characters, as many of them: one without items may have no text. */
const KEEPING = 400;
/** About as many pages as there is room for. */
const PAGES = 1_024;

/** Pages by their tags, which tell what they are made of: as long as a tag is made, its page is the one (CACHE-2). */
export type PageCache = SecondHitCache<CachedPage>;

export function createPageCache(): PageCache {
  return new SecondHitCache({ bound: KEPT_PAGES, weigh: weighPage, keys: PAGES });
}

function weighPage({ text, links, facts }: CachedPage, tag: string): number {
  const beside = [...links.map(({ href }) => href), ...facts];
  return beside.reduce((sum, { length }) => sum + length, KEEPING + tag.length + text.length);
}
