import { setTimeout } from 'node:timers/promises';
import type { Random } from '../../../platform/random.ts';
import { BUSY_TIMEOUT } from '../connection/sqlite-connection.ts';
import { isBusy } from '../driver/sqlite-errors.ts';

/** Milliseconds of the shortest and the longest delay: a commit of another process takes one to a few. */
const MIN_DELAY = 1;
const MAX_DELAY = 4;
const BYTES = 2;

interface BusyRetryOptions {
  readonly random: Random;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Milliseconds in all. Default: 5,000. */
  readonly timeout?: number | undefined;
}

export interface RunOptions {
  /** Milliseconds in all. Default: those of the retry. */
  readonly timeout?: number;
  /** The longest delay in milliseconds. Default: 4. */
  readonly maxDelay?: number;
  /** Stops retrying: `run` rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each delay. @param waited milliseconds since the first attempt */
  readonly onBusy?: (waited: number) => void;
}

/**
 * Waits for a database that another process has locked: repeats an attempt that fails with SQLITE_BUSY, with backoff
 * and jitter. SQLite's own busy handler would block the thread; this one serves other requests between attempts.
 */
export class BusyRetry {
  /** Milliseconds in all. */
  readonly timeout: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly #random: Random;

  constructor({ random, now, timeout = BUSY_TIMEOUT }: BusyRetryOptions) {
    this.#random = random;
    this.now = now;
    this.timeout = timeout;
  }

  /** Makes the first attempt synchronously. @throws what `isBusy` recognises, where the database stays locked */
  async run<T>(attempt: () => T, options: RunOptions = {}): Promise<T> {
    const { timeout = this.timeout, maxDelay = MAX_DELAY, signal, onBusy } = options;
    const since = this.now();
    for (let attempts = 1; ; attempts += 1) {
      try {
        return attempt();
      } catch (error) {
        const waited = this.now() - since;
        if (!isBusy(error) || waited >= timeout) throw error;
        onBusy?.(waited);
      }
      // If the signal ends the delay, the next line throws its reason.
      await setTimeout(this.delay(attempts, maxDelay), undefined, { signal }).catch(() => undefined);
      signal?.throwIfAborted();
    }
  }

  /** Milliseconds before the next attempt: exponential, and random so that waiting processes do not retry together. */
  delay(attempts: number, maxDelay = MAX_DELAY): number {
    const longest = Math.min(maxDelay, MIN_DELAY * 2 ** attempts);
    const fraction = Number.parseInt(this.#random.hex(BYTES), 16) / 256 ** BYTES;
    return MIN_DELAY + fraction * (longest - MIN_DELAY);
  }
}
