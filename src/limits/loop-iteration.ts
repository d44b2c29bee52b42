import { monotonicNow, loopIteration } from '../platform/clock.ts';

/** How a turn tells the time, and itself from the next one. */
export interface LoopClock {
  /** Milliseconds from any beginning. */
  readonly now: () => number;
  /** Another number in each turn of the event loop. */
  readonly iteration: () => number;
}

/** So few requests are no crowd: what made them late is one long task. */
const FEW = 8;

/**
 * How long the event loop has been answering requests in one go: those that it answers last have waited for so long. It is known at once,
 * where a timer tells of it when the turn is over, and with a thousand connections or more, of which libuv looks at as many again before it
 * runs a timer, seconds later.
 */
export class LoopIteration {
  readonly #clock: LoopClock;
  readonly #maxDuration: number;
  #iteration = Number.NaN;
  #begun = 0;
  #requests = 0;

  /** @param longest milliseconds after which a turn that does not end counts as another one: then there is room for requests again */
  constructor(longest: number, clock: LoopClock = { now: monotonicNow, iteration: loopIteration }) {
    this.#maxDuration = longest;
    this.#clock = clock;
  }

  /** Another request is to be answered. @returns milliseconds since the first one of this turn; null where there were few before it */
  recordRequest(): number | null {
    const now = this.#clock.now();
    const iteration = this.#clock.iteration();
    if (iteration !== this.#iteration || now - this.#begun > this.#maxDuration) {
      this.#iteration = iteration;
      this.#begun = now;
      this.#requests = 0;
    }
    this.#requests += 1;
    return this.#requests > FEW ? now - this.#begun : null;
  }
}
