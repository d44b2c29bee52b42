import type { Json, JsonObject } from '../json/json.ts';
import type { QueryPairs } from '../url/query.ts';

/**
 * Start and length of a page. In a seek, `after` has one value for each sort key; null is the first page, or with
 * `backward` the last one.
 */
export type PageWindow =
  | { readonly kind: 'offset'; readonly offset: number; readonly limit: number }
  | {
      readonly kind: 'seek';
      readonly after: readonly Json[] | null;
      readonly backward: boolean;
      readonly limit: number;
    };

/** The number of items in a collection; if not `exact`, a lower bound (PAGE-9). */
export interface Total {
  readonly count: number;
  readonly exact: boolean;
}

/** A page that was read. */
export interface FetchedPage {
  readonly count: number;
  /** True if more items follow in the direction of the read. */
  readonly hasMore: boolean;
  readonly total: Total | null;
  /** The cursor after the last item, or before the first one, to page backward. Requires a positive `count`. */
  cursor(edge: 'after-last' | 'before-first'): string;
  /**
   * The string at a path of the last item, as a position: null for another value, and for one that is stored more
   * precisely. Requires a positive `count`.
   */
  last(path: string): string | null;
}

/** The links of a page, each as query parameters; null if there is no such page. */
export interface PageLinks {
  readonly first: QueryPairs;
  readonly prev: QueryPairs | null;
  readonly next: QueryPairs | null;
  readonly last: QueryPairs | null;
}

/**
 * The requested page of a collection by one pagination technique (PAGE-4). Each technique has a function that returns
 * one.
 */
export interface Pagination {
  readonly technique: 'page' | 'offset' | 'cursor' | 'keyset' | 'time' | 'seek';
  readonly window: PageWindow;
  /** The query parameters of this page. */
  readonly parameters: QueryPairs;
  /** True if totals are counted without `include_total` (PAGE-9). */
  readonly countsByDefault: boolean;
  links(page: FetchedPage): PageLinks;
  /** The members of `page` that only this technique has (PAGE-1). */
  members(page: FetchedPage, links: PageLinks): JsonObject;
}
