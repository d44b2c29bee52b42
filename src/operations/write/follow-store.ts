import type { Observe } from '../../observe/observation.ts';
import type { Clock, MonotonicClock } from '../../platform/clock.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';

/**
 * Milliseconds. A stored time that is further ahead is not followed. The limit exceeds any mistake with time zones. It
 * is so short that a row with a wrong time in the far future does not stop the clock.
 */
const MAX_AHEAD = 24 * 60 * 60 * 1_000;

/** Maximum milliseconds by which the clocks of machines usually differ. */
const USUAL_DIFFERENCE = 60_000;

interface FollowOptions {
  /** As in the store. */
  readonly newestTime: (until: number) => MaybePromise<number | null>;
  readonly clock: Clock;
  /** The clock of writes. */
  readonly written: MonotonicClock;
  readonly observe: Observe;
}

/**
 * Advances the clock of writes to the newest time of the store. The order by time continues that of earlier processes
 * although the machine's clock may have been set back (REP-13).
 */
export async function followStore({ newestTime, clock, written, observe }: FollowOptions): Promise<void> {
  const now = clock.now();
  const newest = await newestTime(Number.MAX_SAFE_INTEGER);
  if (newest === null) return;
  const followed = newest <= now + MAX_AHEAD ? newest : await newestTime(now + MAX_AHEAD);
  if (followed !== null) written.advanceTo(followed);
  if (newest - now <= USUAL_DIFFERENCE) return;
  observe({ kind: 'clock-behind', newest, behind: newest - now, followed: newest === followed });
}
