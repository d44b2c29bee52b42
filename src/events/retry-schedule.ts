const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Before each attempt of a hook, in milliseconds: what fails for a passing reason is soon tried again, what stays broken gets a day. */
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

/** The part of a delay by which it is made longer at most, so that what failed together is not tried together. */
const JITTER = 0.1;

/**
 * How long to wait before the next attempt, in milliseconds (EVT-6); null where there is none.
 *
 * @param made attempts that were made
 * @param random from 0 to 1
 */
export function nextDelay(schedule: readonly number[], made: number, random: number): number | null {
  const delay = schedule[made];
  return delay === undefined ? null : Math.round(delay * (1 + JITTER * random));
}
