import type { WriteLoad } from './write-load.ts';

/** Milliseconds of a pause that later starts may make up for: where the loop is busy, a timer is late. */
const MAX_BURST = 20;

/** Attempts for each write, at most, while writes need the whole time of the process: an attempt costs about as much as a write. */
const MAX_PER_WRITE = 0.1;

interface DeliveryPaceOptions {
  /** Attempts per second while writes need the whole time of the process; null for no limit. */
  readonly busyRate: number | null;
  readonly load: Pick<WriteLoad, 'isHigh' | 'rate'>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
}

/** Says when attempts may start, so that they leave the time of the process to writes. */
export class DeliveryPace {
  readonly #options: DeliveryPaceOptions;
  /** Monotonic milliseconds of the next start. */
  #next = 0;

  constructor(options: DeliveryPaceOptions) {
    this.#options = options;
  }

  /** Milliseconds until an attempt may start; 0: now. */
  get wait(): number {
    const { busyRate, load, elapsed } = this.#options;
    return busyRate !== null && load.isHigh ? Math.max(0, this.#next - elapsed()) : 0;
  }

  /** An attempt starts. */
  started(): void {
    const { busyRate, load, elapsed } = this.#options;
    if (busyRate === null || !load.isHigh) return;
    const rate = Math.min(busyRate, load.rate * MAX_PER_WRITE);
    this.#next = Math.max(this.#next, elapsed() - MAX_BURST) + 1_000 / rate;
  }
}
