import { setTimeout } from 'node:timers/promises';
import { monotonicNow } from '../../../platform/clock.ts';
import type { Random } from '../../../platform/random.ts';
import { BUSY_TIMEOUT, isBusy } from '../connection/sqlite-connection.ts';

/** Milliseconds of the first and of the longest pause: a commit of another process takes one to a few. */
const MIN_DELAY = 1;
const MAX_DELAY = 4;
const BYTES = 2;

/**
 * How this process waits while another one writes: it tries again after a pause, and answers requests meanwhile. SQLite would wait by itself,
 * and keep the thread.
 */
export class BusyRetry {
  /** Milliseconds in all. */
  readonly timeout: number;
  readonly #random: Random;

  constructor(random: Random, timeout: number = BUSY_TIMEOUT) {
    this.#random = random;
    this.timeout = timeout;
  }

  /** Milliseconds before the next try: longer after each, and by chance, so that processes that wait do not all come back at once. */
  delay(tries: number): number {
    const longest = Math.min(MAX_DELAY, MIN_DELAY * 2 ** tries);
    const chance = Number.parseInt(this.#random.hex(BYTES), 16) / 256 ** BYTES;
    return MIN_DELAY + chance * (longest - MIN_DELAY);
  }

  /** Does what needs the database for writing, once no other process has it. @throws what `isBusy` recognises, where one keeps it too long */
  async run<T>(act: () => T): Promise<T> {
    const since = monotonicNow();
    for (let tries = 1; ; tries += 1) {
      try {
        return act();
      } catch (error) {
        if (!isBusy(error) || monotonicNow() - since >= this.timeout) throw error;
        await setTimeout(this.delay(tries));
      }
    }
  }
}
