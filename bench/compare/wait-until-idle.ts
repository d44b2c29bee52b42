import { setTimeout } from 'node:timers/promises';
import type { BenchServer } from '../server.ts';

/** Milliseconds between two polls, and microseconds of CPU time between them that count as idle. */
const POLL_INTERVAL = 100;
const IDLE_CPU = 10_000;
const MAX_POLLS = 300;

/**
 * Waits until a server has completed the requests that were in flight when its load ended, for at most half a minute.
 * All servers share one processor, and a slow server needs more than a second for 32 requests, which would slow down
 * the next one.
 *
 * @param pause waits between two polls
 */
export async function waitUntilIdle(
  { cpu }: Pick<BenchServer, 'cpu'>,
  pause: () => Promise<void> = () => setTimeout(POLL_INTERVAL),
): Promise<void> {
  let before = cpu();
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    await pause();
    const now = cpu();
    if (now - before <= IDLE_CPU) return;
    before = now;
  }
}
