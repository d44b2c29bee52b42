/** A task in progress, and the memory that it holds until its result is consumed. */
export interface StartedTask<R> {
  readonly bytes: number;
  /** Never rejects. */
  readonly result: Promise<R>;
}

/** The limits of the tasks in progress. */
export interface ConcurrencyLimit {
  readonly items: number;
  readonly bytes: number;
}

type Next<T> =
  | { readonly kind: 'item'; readonly item: T }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Starts a task for each item as it arrives, several at a time. Yields the results in the order of the items, each as
 * soon as possible. At the limit, the next item waits until a result is consumed, so that memory is bounded.
 *
 * @param start returns null for an item that needs no task
 * @throws the error of the source, after the results of the items before
 */
export async function* runOrdered<T, R>(
  source: AsyncIterable<T>,
  start: (item: T) => StartedTask<R> | null,
  limit: ConcurrencyLimit,
): AsyncGenerator<R> {
  const items = source[Symbol.asyncIterator]();
  const queue: StartedTask<R>[] = [];
  let held = 0;
  let next: Promise<Next<T>> | null = read(items);
  try {
    for (;;) {
      const [first] = queue;
      const isFull = queue.length >= limit.items || held > limit.bytes;
      if (first !== undefined && (next === null || isFull || (await isReady(first.result, next)))) {
        queue.shift();
        held -= first.bytes;
        yield await first.result;
        continue;
      }
      if (next === null) return;
      const arrived: Next<T> = await next;
      if (arrived.kind === 'failed') {
        for (const { result } of queue) yield await result;
        throw arrived.error;
      }
      next = arrived.kind === 'end' ? null : read(items);
      const task = arrived.kind === 'item' ? start(arrived.item) : null;
      if (task === null) continue;
      held += task.bytes;
      queue.push(task);
    }
  } finally {
    await items.return?.();
  }
}

/** True if the result is available before the next item. */
function isReady(result: Promise<unknown>, next: Promise<unknown>): Promise<boolean> {
  return Promise.race([next.then(() => false), result.then(() => true)]);
}

async function read<T>(items: AsyncIterator<T>): Promise<Next<T>> {
  try {
    const { done, value } = await items.next();
    return done === true ? { kind: 'end' } : { kind: 'item', item: value };
  } catch (error) {
    return { kind: 'failed', error };
  }
}
