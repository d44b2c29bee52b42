/** Milliseconds over which the load is measured. */
const WINDOW = 50;
/** The share of the time of its thread from which on a process has none to spare. */
const SATURATED = 0.9;
/** Commits per second from which on it is writes that need it. */
const MIN_COMMITS = 100;

interface WriteLoadOptions {
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** The share of the time of this thread that was used since the last call, from 0 to 1. */
  readonly utilization: () => number;
}

/** Whether writes need all the time that this process has. */
export class WriteLoad {
  readonly #options: WriteLoadOptions;
  #since: number;
  #commits = 0;
  #isHigh = false;
  #rate = 0;

  constructor(options: WriteLoadOptions) {
    this.#options = options;
    this.#since = options.elapsed();
  }

  /** A write of this process was committed. */
  committed(): void {
    this.#commits += 1;
  }

  get isHigh(): boolean {
    this.#measure();
    return this.#isHigh;
  }

  /** Commits per second. */
  get rate(): number {
    this.#measure();
    return this.#rate;
  }

  #measure(): void {
    const { elapsed, utilization } = this.#options;
    const now = elapsed();
    const duration = now - this.#since;
    if (duration < WINDOW) return;
    this.#rate = (this.#commits * 1_000) / duration;
    this.#isHigh = utilization() >= SATURATED && this.#rate >= MIN_COMMITS;
    this.#since = now;
    this.#commits = 0;
  }
}
