/** Milliseconds over which the load is measured. */
const WINDOW = 50;
/** The share of the time of its thread from which on a process has none to spare. */
const SATURATED = 0.95;
/** Writes per second from which on it is writes that need it. */
const MIN_WRITES = 100;

/** The load by writes in a period that has ended. */
export interface MeasuredLoad {
  /** Per second. */
  readonly writes: number;
  /** True if there are writes that need the time of the process: more than a few. */
  readonly isWriting: boolean;
  /** True if no time was left. */
  readonly isSaturated: boolean;
}

interface WriteLoadOptions {
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** The share of the time of this thread that was used since the last call, from 0 to 1. */
  readonly utilization: () => number;
}

/** True if writes need all the time that this process has. */
export class WriteLoad {
  readonly #options: WriteLoadOptions;
  #since: number;
  #writes = 0;
  #last: MeasuredLoad = { writes: 0, isWriting: false, isSaturated: false };

  constructor(options: WriteLoadOptions) {
    this.#options = options;
    this.#since = options.elapsed();
  }

  /** A write of this process was committed. */
  committed(): void {
    this.#writes += 1;
  }

  /** The last period that was measured: another object with each. */
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
