/**
 * A value that is there already or comes later. Reads from a cache and from SQLite's request thread are synchronous,
 * those of other stores are not.
 */
export type MaybePromise<T> = T | Promise<T>;

/**
 * Continues with a value, in the same tick where it is there already. Elsewhere than here use `await`:
 *
 * - The steps of a cached response: pipeline, caller, quota, change stamps, compressed body. An `await` there costs
 *   every request a promise and a timeout, and its response is not sent with others of its tick.
 * - The steps of a GET that SQLite reads on the request thread: an item, and a small page without expansions.
 * - The writes of hooks (`operations/write/hook-work.ts`): they keep the order of the calls that no hook awaits.
 */
export function chain<T, U>(value: MaybePromise<T>, follow: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(follow) : follow(value);
}

/** Runs what may throw or reject; `recover` turns the failure into a value. Synchronous where `run` is. */
export function attempt<T>(run: () => MaybePromise<T>, recover: (error: unknown) => MaybePromise<T>): MaybePromise<T> {
  try {
    const value = run();
    return value instanceof Promise ? value.catch(recover) : value;
  } catch (error) {
    return recover(error);
  }
}

/** All of several values: an array where each is there, else a promise of one. */
export function awaitAll<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  return values.every(isValue) ? values : Promise.all(values);
}

function isValue<T>(value: MaybePromise<T>): value is T {
  return !(value instanceof Promise);
}
