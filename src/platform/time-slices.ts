import { setImmediate } from 'node:timers/promises';
import { monotonicNow } from './clock.ts';

/** How long a consumer may run before the event loop does other work. */
interface SliceLimit {
  readonly items: number;
  readonly milliseconds: number;
}

/**
 * Passes items on, in slices: after so many items, or so much time, the event loop first does what else is waiting. Items that are in memory
 * already would otherwise be consumed one after another, without a request of another client in between.
 */
export async function* inTimeSlices<T>(
  items: AsyncIterable<T>,
  limit: SliceLimit,
  now: () => number = monotonicNow,
): AsyncGenerator<T> {
  let [count, end] = [0, now() + limit.milliseconds];
  for await (const item of items) {
    if (count === limit.items || now() >= end) {
      await setImmediate();
      [count, end] = [0, now() + limit.milliseconds];
    }
    count += 1;
    yield item;
  }
}
