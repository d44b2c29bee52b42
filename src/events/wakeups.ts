/** Longest delay of a timer, because the clock may be set meanwhile. */
const MAX_TIMER = 60_000;

/**
 * Runs work when there may be some. Runs do not overlap, and there is at most one in an event-loop iteration, however
 * many wakeups there are.
 */
export class Wakeups {
  readonly #run: () => Promise<void>;
  readonly #elapsed: () => number;
  #running: Promise<void> | null = null;
  #isWoken = false;
  #stopped = false;
  #timer: NodeJS.Timeout | null = null;
  #timerEnd = Number.POSITIVE_INFINITY;

  /** @param run never rejects @param elapsed monotonic milliseconds */
  constructor(run: () => Promise<void>, elapsed: () => number) {
    this.#run = run;
    this.#elapsed = elapsed;
  }

  /** Runs the work for the first time, before anything else of the event loop. */
  start(): void {
    this.#begin();
  }

  /** Runs the work in the next iteration. */
  now(): void {
    if (this.#stopped || this.#isWoken) return;
    this.#isWoken = true;
    if (this.#running === null) setImmediate(this.#begin);
  }

  /** Runs the work after a number of milliseconds, unless it runs earlier. */
  in(delay: number): void {
    const wait = Math.min(Math.max(Math.ceil(delay), 1), MAX_TIMER);
    const end = this.#elapsed() + wait;
    if (this.#stopped || end >= this.#timerEnd) return;
    this.#clear();
    this.#timerEnd = end;
    this.#timer = setTimeout(() => {
      this.#clear();
      this.now();
    }, wait).unref();
  }

  /** Runs the work no more. Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#clear();
    await this.#running;
  }

  readonly #begin = (): void => {
    if (this.#stopped) return;
    this.#isWoken = false;
    this.#running = this.#run().finally(() => {
      this.#running = null;
      if (this.#isWoken) setImmediate(this.#begin);
    });
  };

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#timerEnd = Number.POSITIVE_INFINITY;
  }
}
