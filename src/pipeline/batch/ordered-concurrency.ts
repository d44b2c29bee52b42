/** A piece of work that was begun, and what it holds until its result is taken. */
export interface StartedTask {
  readonly bytes: number;
  /** Never rejects. */
  readonly result: Promise<string>;
}

/** How much may be under way at once. */
export interface ConcurrencyLimit {
  readonly items: number;
  readonly bytes: number;
}

type Next<T> =
  | { readonly kind: 'item'; readonly item: T }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Begins work on items as they come, several at a time, and gives the results in the order of the items, each as soon as it is there and those
 * before it are taken. Where the window is full, the next item waits until a result is taken: memory is bounded by it.
 *
 * @param begin null for an item that takes no work
 * @throws what the source throws, after the results of what it gave before
 */
export async function* runOrdered<T>(
  source: AsyncIterable<T>,
  begin: (item: T) => StartedTask | null,
  window: ConcurrencyLimit,
): AsyncGenerator<string> {
  const items = source[Symbol.asyncIterator]();
  const queue: StartedTask[] = [];
  let held = 0;
  let next: Promise<Next<T>> | null = read(items);
  try {
    for (;;) {
      const [first] = queue;
      const isFull = queue.length >= window.items || held > window.bytes;
      if (first !== undefined && (next === null || isFull || (await isReady(first.result, next)))) {
        queue.shift();
        held -= first.bytes;
        yield await first.result;
        continue;
      }
      if (next === null) return;
      const came: Next<T> = await next;
      if (came.kind === 'failed') {
        for (const { result } of queue) yield await result;
        throw came.error;
      }
      next = came.kind === 'end' ? null : read(items);
      const begun = came.kind === 'item' ? begin(came.item) : null;
      if (begun === null) continue;
      held += begun.bytes;
      queue.push(begun);
    }
  } finally {
    await items.return?.();
  }
}

/** Whether a result is there before the next item is. */
function isReady(result: Promise<string>, next: Promise<unknown>): Promise<boolean> {
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
