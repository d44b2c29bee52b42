import type { JsonObject } from '../json/json.ts';
import { cursorPagination } from './cursor.ts';
import type { Pagination } from './pagination.ts';

/** A time range from `start`, inclusive, to `before`, exclusive; null if open (PAGE-7). RFC 3339. */
export interface TimeRange {
  readonly start: string | null;
  readonly before: string | null;
}

/**
 * Time pagination: the items of a time range in time order (S 4.5, PAGE-4). The range is a filter; later pages use a
 * cursor.
 */
export function timePagination({ start, before }: TimeRange, limit: number, end: () => string): Pagination {
  const firstPage = cursorPagination(null, limit, end);
  return {
    ...firstPage,
    technique: 'time',
    members: (page, links): JsonObject => {
      const { after: _start, ...tokens } = firstPage.members(page, links);
      return { start_time: start, before, ...tokens };
    },
  };
}
