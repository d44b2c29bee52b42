import { setTimeout } from 'node:timers/promises';
import type { BenchServer } from '../server.ts';

/** Milliseconds between two looks, and microseconds of processor time between them that are no work. */
const POLL_INTERVAL = 100;
const IDLE_CPU = 10_000;
const MAX_POLLS = 300;

/**
 * Waits until a server has done what was left when its load ended: servers share a processor, and a slow one is not through with 32 requests
 * for more than a second, which the next one would lack. It waits for half a minute at most.
 *
 * @param pause passes the time between two looks
 */
export async function waitUntilIdle(
  { cpu }: Pick<BenchServer, 'cpu'>,
  pause: () => Promise<void> = () => setTimeout(POLL_INTERVAL),
): Promise<void> {
  let before = cpu();
  for (let look = 0; look < MAX_POLLS; look += 1) {
    await pause();
    const now = cpu();
    if (now - before <= IDLE_CPU) return;
    before = now;
  }
}
