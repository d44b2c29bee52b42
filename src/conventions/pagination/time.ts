import type { JsonObject } from '../json.ts';
import { cursorPosition } from './cursor.ts';
import type { Position } from './position.ts';

/** A stretch of time: from `start` on, up to and without `before`; null where it is open (PAGE-7). RFC 3339. */
export interface TimeWindow {
  readonly start: string | null;
  readonly before: string | null;
}

/** The items of a stretch of time, in the order of time, from the first on (S 4.5, PAGE-4). The window is a filter; the walk goes on by cursor. */
export function timePosition({ start, before }: TimeWindow, limit: number, end: () => string): Position {
  const walk = cursorPosition(null, limit, end);
  return {
    ...walk,
    technique: 'time',
    members: (walked, neighbours): JsonObject => {
      const { after: _start, ...tokens } = walk.members(walked, neighbours);
      return { start_time: start, before, ...tokens };
    },
  };
}
