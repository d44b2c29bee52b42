import type { QueryPairs } from '../url/query.ts';
import type { FetchedPage, Pagination } from './pagination.ts';

/** Offset pagination: skips `offset` items, then returns up to `limit` (S 4.5). The caller has checked the bounds. */
export function offsetPagination(offset: number, limit: number, maxOffset: number): Pagination {
  const at = (position: number): QueryPairs => [['offset', String(position)]];
  return {
    technique: 'offset',
    window: { kind: 'offset', offset, limit },
    parameters: at(offset),
    countsByDefault: true,
    members: () => ({ offset }),
    links: (page) => ({
      first: at(0),
      prev: offset === 0 ? null : at(Math.max(0, Math.min(offset, exactCount(page, offset)) - limit)),
      next: page.hasMore ? nextPage(page, offset + page.count, maxOffset, at) : null,
      last: lastOffset(page, limit, maxOffset, at),
    }),
  };
}

/** The number of items; if it is not known, the number of skipped items. */
export function exactCount({ total }: FetchedPage, skipped: number): number {
  return total?.exact === true ? total.count : skipped;
}

/** The next page. Beyond the maximum offset its link is a cursor, so that every item stays reachable. */
export function nextPage(
  page: FetchedPage,
  offset: number,
  maxOffset: number,
  at: (offset: number) => QueryPairs,
): QueryPairs {
  return offset <= maxOffset ? at(offset) : [['after', page.cursor('after-last')]];
}

/** The last page; null without an exact total, and beyond the maximum offset. */
export function lastOffset(
  page: FetchedPage,
  limit: number,
  maxOffset: number,
  at: (offset: number) => QueryPairs,
): QueryPairs | null {
  if (page.total === null || !page.total.exact) return null;
  const offset = Math.max(0, Math.ceil(page.total.count / limit) - 1) * limit;
  return offset <= maxOffset ? at(offset) : null;
}
