import { exactCount, nextPage, lastOffset } from './offset.ts';
import type { QueryPairs, Pagination } from './pagination.ts';

/** Page number: the offset is (page - 1) * limit (S 4.5). `page` counts from 1; bounds are checked before. */
export function pageNumberPagination(page: number, limit: number, maxOffset: number): Pagination {
  const at = (offset: number): QueryPairs => [['page', String(offset / limit + 1)]];
  const offset = (page - 1) * limit;
  return {
    technique: 'page',
    window: { kind: 'offset', offset, limit },
    parameters: [['page', String(page)]],
    countsByDefault: true,
    members: () => ({ page }),
    links: (walked) => {
      const last = lastOffset(walked, limit, maxOffset, at);
      const pages = Math.max(1, Math.ceil(exactCount(walked, (page - 1) * limit) / limit));
      return {
        first: at(0),
        prev: page === 1 ? null : at((Math.min(page - 1, pages) - 1) * limit),
        next: walked.hasMore ? nextPage(walked, offset + limit, maxOffset, at) : null,
        last,
      };
    },
  };
}
