import { monotonicNow, loopIteration } from '../platform/clock.ts';

/** Identifies the current event-loop iteration and the time. */
interface LoopClock {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** A number that differs for each event-loop iteration. */
  readonly iteration: () => number;
}

/** Up to this many requests are no overload: a single long task delayed them. */
const MIN_REQUESTS = 8;

/**
 * Measures how long the current event-loop iteration has been handling requests: the last ones have waited that long. A timer would report it
 * only after the iteration, and with a thousand connections, which libuv polls again before it runs timers, seconds late.
 */
export class LoopIteration {
  readonly #clock: LoopClock;
  readonly #maxDuration: number;
  #iteration = Number.NaN;
  #startedAt = 0;
  #requests = 0;

  /** @param maxDuration milliseconds after which a running iteration counts as a new one, so that requests are accepted again */
  constructor(maxDuration: number, clock: LoopClock = { now: monotonicNow, iteration: loopIteration }) {
    this.#maxDuration = maxDuration;
    this.#clock = clock;
  }

  /** Counts a request. @returns milliseconds since the first request of this iteration; null if there were few before it */
  recordRequest(): number | null {
    const now = this.#clock.now();
    const iteration = this.#clock.iteration();
    if (iteration !== this.#iteration || now - this.#startedAt > this.#maxDuration) {
      this.#iteration = iteration;
      this.#startedAt = now;
      this.#requests = 0;
    }
    this.#requests += 1;
    return this.#requests > MIN_REQUESTS ? now - this.#startedAt : null;
  }
}
