import type { JsonObject } from '../json.ts';
import { cursorPagination } from './cursor.ts';
import type { Pagination } from './pagination.ts';

/** A stretch of time: from `start` on, up to and without `before`; null where it is open (PAGE-7). RFC 3339. */
export interface TimeRange {
  readonly start: string | null;
  readonly before: string | null;
}

/** The items of a stretch of time, in the order of time, from the first on (S 4.5, PAGE-4). The window is a filter; the walk goes on by cursor. */
export function timePagination({ start, before }: TimeRange, limit: number, end: () => string): Pagination {
  const walk = cursorPagination(null, limit, end);
  return {
    ...walk,
    technique: 'time',
    members: (walked, neighbours): JsonObject => {
      const { after: _start, ...tokens } = walk.members(walked, neighbours);
      return { start_time: start, before, ...tokens };
    },
  };
}
