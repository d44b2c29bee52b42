/** Milliseconds over which the load is measured. */
const WINDOW = 50;
/** The used share of its thread's time above which a process has no idle time. */
const SATURATED = 0.95;
/** Writes per second above which the load is due to writes. */
const MIN_WRITES = 100;

/** The load by writes in a period that has ended. */
export interface MeasuredLoad {
  /** Per second. */
  readonly writes: number;
  /** True if more than a few writes need the time of the process. */
  readonly isWriting: boolean;
  /** True if no idle time was left. */
  readonly isSaturated: boolean;
}

interface WriteLoadOptions {
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** Returns the share of this thread's time that was used since the last call, from 0 to 1. */
  readonly utilization: () => number;
}

/** Measures whether writes need all of the process's time. */
export class WriteLoad {
  readonly #options: WriteLoadOptions;
  #since: number;
  #writes = 0;
  #last: MeasuredLoad = { writes: 0, isWriting: false, isSaturated: false };

  constructor(options: WriteLoadOptions) {
    this.#options = options;
    this.#since = options.elapsed();
  }

  /** Counts a write that this process has committed. */
  committed(): void {
    this.#writes += 1;
  }

  /** The last measured period; each period is a new object. */
  get last(): MeasuredLoad {
    const { elapsed, utilization } = this.#options;
    const now = elapsed();
    const duration = now - this.#since;
    if (duration < WINDOW) return this.#last;
    const writes = (this.#writes * 1_000) / duration;
    this.#last = { writes, isWriting: writes >= MIN_WRITES, isSaturated: utilization() >= SATURATED };
    this.#since = now;
    this.#writes = 0;
    return this.#last;
  }
}
