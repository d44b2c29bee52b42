import type { QueryPairs, Pagination, FetchedPage } from './pagination.ts';

/** Skip `offset` items, then return up to `limit` (S 4.5). Bounds are checked before. */
export function offsetPagination(offset: number, limit: number, maxOffset: number): Pagination {
  const at = (place: number): QueryPairs => [['offset', String(place)]];
  return {
    technique: 'offset',
    window: { kind: 'offset', offset, limit },
    parameters: at(offset),
    countsByDefault: true,
    members: () => ({ offset }),
    links: (walked) => ({
      first: at(0),
      prev: offset === 0 ? null : at(Math.max(0, Math.min(offset, exactCount(walked, offset)) - limit)),
      next: walked.hasMore ? nextPage(walked, offset + limit, maxOffset, at) : null,
      last: lastOffset(walked, limit, maxOffset, at),
    }),
  };
}

/** How many items there are; where that is not known, at least as many as are passed over. */
export function exactCount({ total }: FetchedPage, passed: number): number {
  return total?.exact === true ? total.count : passed;
}

/** The page after this one. Where its offset would be refused, the walk goes on by cursor, so that no item is out of reach. */
export function nextPage(
  walked: FetchedPage,
  offset: number,
  maxOffset: number,
  at: (offset: number) => QueryPairs,
): QueryPairs {
  return offset <= maxOffset ? at(offset) : [['after', walked.cursor('after-last')]];
}

/** The last page, known only from an exact total. */
export function lastOffset(
  walked: FetchedPage,
  limit: number,
  maxOffset: number,
  at: (offset: number) => QueryPairs,
): QueryPairs | null {
  if (walked.total === null || !walked.total.exact) return null;
  const offset = Math.max(0, Math.ceil(walked.total.count / limit) - 1) * limit;
  return offset <= maxOffset ? at(offset) : null;
}
