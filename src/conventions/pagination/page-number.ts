import type { QueryPairs } from '../url/query.ts';
import { exactCount, lastOffset, nextPage } from './offset.ts';
import type { Pagination } from './pagination.ts';

/**
 * Page number pagination: the offset is (page - 1) * limit (S 4.5). `page` counts from 1. The caller has checked the
 * bounds.
 */
export function pageNumberPagination(page: number, limit: number, maxOffset: number): Pagination {
  const at = (offset: number): QueryPairs => [['page', String(offset / limit + 1)]];
  const offset = (page - 1) * limit;
  return {
    technique: 'page',
    window: { kind: 'offset', offset, limit },
    parameters: [['page', String(page)]],
    countsByDefault: true,
    members: () => ({ page }),
    links: (fetched) => {
      const last = lastOffset(fetched, limit, maxOffset, at);
      const pages = Math.max(1, Math.ceil(exactCount(fetched, (page - 1) * limit) / limit));
      return {
        first: at(0),
        prev: page === 1 ? null : at((Math.min(page - 1, pages) - 1) * limit),
        next: fetched.hasMore ? nextPage(fetched, offset + limit, maxOffset, at) : null,
        last,
      };
    },
  };
}
