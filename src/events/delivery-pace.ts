import type { MeasuredLoad, WriteLoad } from './write-load.ts';

/**
 * Milliseconds between two bursts of attempts while their rate is limited. The events of a burst are read together, and
 * its results are stored together.
 */
export const BURST_INTERVAL = 20;

/**
 * Minimum attempts for each write while writes need all of the process's time. An attempt costs about as much as a
 * write.
 */
const PER_WRITE = 0.05;

/** Factors of the rate after a period without idle time, and after one with some. */
const REDUCTION = 0.7;
const GROWTH = 2;
/** Attempts per second above which there is no limit. */
const UNLIMITED = 5_000;

interface DeliveryPaceOptions {
  /** Attempts per second while writes need all of the process's time; null for no limit. */
  readonly busyRate: number | null;
  readonly load: Pick<WriteLoad, 'last'>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
}

/**
 * Limits the rate of attempts, so that writes have priority. While the process has no idle time, the rate decreases
 * step by step to a share of the writes. It increases again as soon as there is idle time. A backlog uses the time that
 * writes leave, and its own load does not count as theirs.
 */
export class DeliveryPace {
  readonly #options: DeliveryPaceOptions;
  /** Attempts per second. */
  #rate = Number.POSITIVE_INFINITY;
  #load: MeasuredLoad | null = null;
  /** Attempts since the load was read, and when that was. */
  #starts = 0;
  #since: number;
  /** Attempts that may start in this burst, with the fraction that is left for the next one. */
  #credit = 1;
  /** Monotonic milliseconds of the last burst. */
  #burst: number;

  constructor(options: DeliveryPaceOptions) {
    this.#options = options;
    this.#since = options.elapsed();
    this.#burst = this.#since;
  }

  /** True if the rate of attempts is limited, because writes need the time of the process. */
  get isLimited(): boolean {
    this.#adapt();
    return this.#rate !== Number.POSITIVE_INFINITY;
  }

  /** Milliseconds until an attempt may start; 0 if it may start now. */
  get wait(): number {
    if (!this.isLimited || this.#credit >= 1) return 0;
    const now = this.#options.elapsed();
    const passed = now - this.#burst;
    if (passed < BURST_INTERVAL) return BURST_INTERVAL - passed;
    // Timers are late while the event loop is busy: a burst makes up for one that was missed.
    const most = Math.max(1, (this.#rate * 2 * BURST_INTERVAL) / 1_000);
    this.#credit = Math.min(most, this.#credit + (this.#rate * passed) / 1_000);
    this.#burst = now;
    return this.#credit >= 1 ? 0 : Math.max(BURST_INTERVAL, ((1 - this.#credit) * 1_000) / this.#rate);
  }

  /** Counts an attempt that starts. */
  started(): void {
    this.#starts += 1;
    this.#credit = Math.max(0, this.#credit - 1);
  }

  #adapt(): void {
    const { busyRate, load, elapsed } = this.#options;
    const { last } = load;
    if (busyRate === null || last === this.#load) return;
    const { writes, isWriting, isSaturated } = last;
    const now = elapsed();
    const started = (this.#starts * 1_000) / Math.max(1, now - this.#since);
    this.#load = last;
    this.#starts = 0;
    this.#since = now;
    const grown = this.#rate * GROWTH;
    if (isWriting && isSaturated)
      this.#rate = Math.max(Math.min(busyRate, writes * PER_WRITE), Math.min(this.#rate, started) * REDUCTION);
    else this.#rate = isWriting && grown < UNLIMITED ? grown : Number.POSITIVE_INFINITY;
  }
}
