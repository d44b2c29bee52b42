import { setTimeout } from 'node:timers/promises';
import type { BenchServer } from '../server.ts';

/** Milliseconds between two looks, and microseconds of processor time between them that are no work. */
const EVERY = 100;
const NOTHING = 10_000;
const MOST_LOOKS = 300;

/**
 * Waits until a server has done what was left when its load ended: servers share a processor, and a slow one is not through with 32 requests
 * for more than a second, which the next one would lack. It waits for half a minute at most.
 *
 * @param pause passes the time between two looks
 */
export async function atRest(
  { cpu }: Pick<BenchServer, 'cpu'>,
  pause: () => Promise<void> = () => setTimeout(EVERY),
): Promise<void> {
  let before = cpu();
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    await pause();
    const now = cpu();
    if (now - before <= NOTHING) return;
    before = now;
  }
}
