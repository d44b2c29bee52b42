import type { QueryPairs } from '../url/query.ts';
import type { FetchedPage, PageLinks, Pagination } from './pagination.ts';

/** A timestamp and an id. The page starts strictly after this pair (PAGE-7). */
export interface SeekKey {
  /** RFC 3339, as in representations. */
  readonly timestamp: string;
  readonly id: string;
}

/**
 * Seek pagination: the items after a timestamp and an id, which breaks ties (S 4.5, PAGE-7). The item itself need not
 * exist.
 *
 * @param timeField the timestamp property of the collection
 * @param end returns the cursor of the last page
 */
export function seekPagination(key: SeekKey, timeField: string, limit: number, end: () => string): Pagination {
  const at = (timestamp: string, id: string): QueryPairs => [
    ['after_timestamp', timestamp],
    ['after_id', id],
  ];
  return {
    technique: 'seek',
    window: { kind: 'seek', after: [key.timestamp, key.id], backward: false, limit },
    parameters: at(key.timestamp, key.id),
    countsByDefault: false,
    links: (page) => seekLinks(page, [timeField, 'id'], ([timestamp = '', id = '']) => at(timestamp, id), end),
    members: () => ({ after_timestamp: key.timestamp, after_id: key.id }),
  };
}

/**
 * The links of a page that starts after plain values. These parameters can only page forward: `prev` and `last` are
 * cursors. So is `next` after an item whose values are no position.
 *
 * @param paths the values of the last item from which `next` is made
 */
export function seekLinks(
  page: FetchedPage,
  paths: readonly string[],
  next: (values: readonly string[]) => QueryPairs,
  end: () => string,
): PageLinks {
  const hasItems = page.count > 0;
  const after = (): QueryPairs => {
    const values = paths.map((path) => page.last(path)).filter((value) => value !== null);
    return values.length < paths.length ? [['after', page.cursor('after-last')]] : next(values);
  };
  return {
    first: [],
    prev: hasItems ? [['after', page.cursor('before-first')]] : null,
    next: hasItems && page.hasMore ? after() : null,
    last: page.total?.exact === true ? [['after', end()]] : null,
  };
}
