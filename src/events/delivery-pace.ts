import type { WriteLoad } from './write-load.ts';

/** Milliseconds of a pause that later starts may make up for: where the loop is busy, a timer is late. */
const MAX_BURST = 20;

interface DeliveryPaceOptions {
  /** Attempts per second while writes need the whole time of the process; null for no limit. */
  readonly busyRate: number | null;
  readonly load: Pick<WriteLoad, 'isHigh'>;
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
    return this.#isLimited ? Math.max(0, this.#next - this.#options.elapsed()) : 0;
  }

  /** An attempt starts. */
  started(): void {
    const { busyRate, elapsed } = this.#options;
    if (this.#isLimited) this.#next = Math.max(this.#next, elapsed() - MAX_BURST) + 1_000 / (busyRate ?? 0);
  }

  get #isLimited(): boolean {
    const { busyRate, load } = this.#options;
    return busyRate !== null && load.isHigh;
  }
}
