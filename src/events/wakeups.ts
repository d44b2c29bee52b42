/** Longest delay of a timer: the clock may have been set meanwhile. */
const MAX_TIMER = 60_000;

/** Runs work when there may be some: once at a time, and once more where it was woken meanwhile. */
export class Wakeups {
  readonly #run: () => Promise<void>;
  readonly #elapsed: () => number;
  #running: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  #timer: NodeJS.Timeout | null = null;
  #timerEnd = Number.POSITIVE_INFINITY;

  /** @param run never rejects @param elapsed monotonic milliseconds */
  constructor(run: () => Promise<void>, elapsed: () => number) {
    this.#run = run;
    this.#elapsed = elapsed;
  }

  now(): void {
    if (this.#stopped) return;
    if (this.#running !== null) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#running = this.#run().finally(() => {
      this.#running = null;
      if (this.#again) this.now();
    });
  }

  /** Wakes it after so many milliseconds, unless that happens earlier anyway. */
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

  /** Wakes it no more. Resolves when the work that runs has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#clear();
    await this.#running;
  }

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#timerEnd = Number.POSITIVE_INFINITY;
  }
}
