import { loopIteration, threadCpuTime } from '../platform/clock.ts';

/** Identifies the current event-loop iteration, and measures what it costs. */
interface LoopMeter {
  /** Milliseconds of processor time that this thread has used. */
  readonly cpu: () => number;
  /** A number that differs for each event-loop iteration. */
  readonly iteration: () => number;
}

/** Up to this many requests are no queue: a single long task delayed them. */
const MIN_REQUESTS = 8;

/**
 * Measures how long the current event-loop iteration has been handling requests: the last ones have waited that long. A
 * timer would report it only after the iteration, and with a thousand connections, which libuv polls again before it
 * runs timers, seconds late. Only processor time of this thread counts: where other programs take the processor, fewer
 * requests would not be handled sooner.
 */
export class LoopIteration {
  readonly #meter: LoopMeter;
  readonly #maxDuration: number;
  #iteration = Number.NaN;
  #startedAt = 0;
  #duration = 0;
  #requests = 0;
  #requestsBefore = 0;
  #inFlight = 0;

  /**
   * @param maxDuration milliseconds after which a running iteration counts as a new one, so that requests are accepted
   *   again
   */
  constructor(maxDuration: number, meter: LoopMeter = { cpu: threadCpuTime, iteration: loopIteration }) {
    this.#maxDuration = maxDuration;
    this.#meter = meter;
  }

  /**
   * Counts a request.
   *
   * @param inFlight the number of requests without a response, this one included
   * @returns milliseconds of processor time since the first request of this iteration; null if there were few before it
   */
  recordRequest(inFlight: number): number | null {
    const { cpu, iteration } = this.#meter;
    const current = iteration();
    this.#inFlight = inFlight;
    if (current !== this.#iteration || this.#duration > this.#maxDuration) {
      this.#iteration = current;
      this.#startedAt = cpu();
      this.#duration = 0;
      this.#requestsBefore = this.#requests;
      this.#requests = 0;
    }
    this.#requests += 1;
    if (this.#requests <= MIN_REQUESTS) return null;
    this.#duration = cpu() - this.#startedAt;
    return this.#duration;
  }

  /**
   * True if requests wait for each other: many came in this iteration or in the one before, or many have no response
   * yet.
   */
  get hasQueue(): boolean {
    return Math.max(this.#requestsBefore, this.#requests, this.#inFlight) > MIN_REQUESTS;
  }
}
