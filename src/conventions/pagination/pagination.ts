import type { Json, JsonObject } from '../json.ts';
import type { QueryPair } from '../query.ts';

/** Where a page starts and how long it is. A seek position holds one value for each key of the order; null is the end that the walk starts from. */
export type PageWindow =
  | { readonly kind: 'offset'; readonly offset: number; readonly limit: number }
  | {
      readonly kind: 'seek';
      readonly after: readonly Json[] | null;
      readonly backward: boolean;
      readonly limit: number;
    };

/** Query parameters, in order. */
export type QueryPairs = readonly QueryPair[];

/** How many items a collection has; not `exact` means at least so many (PAGE-9). */
export interface Total {
  readonly count: number;
  readonly exact: boolean;
}

/** What was found at a position. */
export interface FetchedPage {
  readonly count: number;
  /** Whether items follow in the direction of the walk. */
  readonly hasMore: boolean;
  readonly total: Total | null;
  /** The token for the place after the last item, or before the first one (walking back). Only where `count` is positive. */
  cursor(edge: 'after-last' | 'before-first'): string;
  /** The text at a path of the last item. Only where `count` is positive. */
  last(path: string): string;
}

/** The pages around a page, each as the parameters that name it; null where there is none. */
export interface PageLinks {
  readonly first: QueryPairs;
  readonly prev: QueryPairs | null;
  readonly next: QueryPairs | null;
  readonly last: QueryPairs | null;
}

/** A place in a collection, as one technique names it (PAGE-4). Every technique is a function that makes one of these. */
export interface Pagination {
  readonly technique: 'page' | 'offset' | 'cursor' | 'keyset' | 'time' | 'seek';
  readonly window: PageWindow;
  /** The parameters that name this place in a URL. */
  readonly parameters: QueryPairs;
  /** Whether totals are counted when nobody asks (PAGE-9). */
  readonly countsByDefault: boolean;
  links(walked: FetchedPage): PageLinks;
  /** The members of `page` that are this technique's own (PAGE-1). */
  members(walked: FetchedPage, links: PageLinks): JsonObject;
}
