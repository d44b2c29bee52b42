import { setImmediate } from 'node:timers/promises';
import { monotonicNow } from './clock.ts';

/** How long the work of one request may run before the event loop does other work. */
interface SliceLimit {
  readonly items: number;
  readonly milliseconds: number;
}

const SLICE: SliceLimit = { items: 256, milliseconds: 10 };

/**
 * Divides the work of one request into slices: after so many items, or so much time, the event loop first does what else is waiting. Items
 * that are in memory would otherwise be handled one after another, without a request of another client in between.
 */
export class TimeSlices {
  readonly #limit: SliceLimit;
  readonly #now: () => number;
  #items = 0;
  #end: number;

  constructor(limit = SLICE, now: () => number = monotonicNow) {
    this.#limit = limit;
    this.#now = now;
    this.#end = now() + limit.milliseconds;
  }

  /** Call and await it before each item. */
  async next(): Promise<void> {
    const { items, milliseconds } = this.#limit;
    if (this.#items === items || this.#now() >= this.#end) {
      await setImmediate();
      this.#items = 0;
      this.#end = this.#now() + milliseconds;
    }
    this.#items += 1;
  }
}

/** Passes items on in {@link TimeSlices}. */
export async function* inTimeSlices<T>(items: AsyncIterable<T>, slices = new TimeSlices()): AsyncGenerator<T> {
  for await (const item of items) {
    await slices.next();
    yield item;
  }
}
