const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delay before each attempt of a hook, in milliseconds: early retries for transient failures, about a day in total. */
export const HOOK_SCHEDULE: readonly number[] = [
  0,
  SECOND,
  5 * SECOND,
  30 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  8 * HOUR,
  16 * HOUR,
];

/**
 * Maximum random extension of a delay, as a share of it, so that deliveries that failed together are not retried
 * together.
 */
const JITTER = 0.1;

/**
 * Computes the delay before the next attempt, in milliseconds (EVT-6); null after the last one.
 *
 * @param made number of attempts made
 * @param random from 0 to 1
 */
export function nextDelay(schedule: readonly number[], made: number, random: number): number | null {
  const delay = schedule[made];
  return delay === undefined ? null : Math.round(delay * (1 + JITTER * random));
}
