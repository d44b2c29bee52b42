import { monotonicNow } from './clock.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** The bound of the work of one request, after which the event loop does other work. */
interface SliceLimit {
  readonly items: number;
  readonly milliseconds: number;
}

const SLICE: SliceLimit = { items: 256, milliseconds: 10 };

/** The work that waits for the next slice, in order. */
const waiting: (() => void)[] = [];

/**
 * Lets the event loop do other work. One slice of all waiting work runs in each iteration of the loop. Slices of many
 * requests in one iteration would together keep others waiting as one long request does.
 */
function nextSlice(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(startNext);
  });
}

function startNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startNext);
}

/**
 * Divides the work of one request into slices: after so many items, or so much time, the event loop first does what
 * else is waiting. Items that are in memory would otherwise be handled one after another, without a request of another
 * client in between.
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
      await nextSlice();
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

/** Work that may be interrupted wherever it yields, and its result. */
export type Steps<T> = Generator<void, T, void>;

/**
 * Does work in steps: in this tick if it ends within one slice, else with the rest of it in further slices.
 *
 * @throws what the steps throw
 */
export function runSteps<T>(steps: Steps<T>, now: () => number = monotonicNow): MaybePromise<T> {
  const first = runSlice(steps, now);
  return first.done === true ? first.value : runRest(steps, now);
}

/** Does all steps in this tick, for commands, which serve no requests. @throws what the steps throw */
export function finishSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

async function runRest<T>(steps: Steps<T>, now: () => number): Promise<T> {
  for (;;) {
    await nextSlice();
    const slice = runSlice(steps, now);
    if (slice.done === true) return slice.value;
  }
}

function runSlice<T>(steps: Steps<T>, now: () => number): IteratorResult<void, T> {
  const end = now() + SLICE.milliseconds;
  for (;;) {
    const step = steps.next();
    if (step.done === true || now() >= end) return step;
  }
}
