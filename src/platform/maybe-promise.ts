/** A value that is there, or that comes later. Each turn of the promise queue costs a request that needs nothing from elsewhere about as much as finding its row. */
export type MaybePromise<T> = T | Promise<T>;

/** What follows from a value: at once where it is there, else when it has come. */
export function after<T, U>(value: MaybePromise<T>, follow: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(follow) : follow(value);
}

/** Runs what may fail at once or later; `recover` makes of the failure what is told instead. */
export function attempt<T>(run: () => MaybePromise<T>, recover: (error: unknown) => MaybePromise<T>): MaybePromise<T> {
  try {
    const value = run();
    return value instanceof Promise ? value.catch(recover) : value;
  } catch (error) {
    return recover(error);
  }
}

/** All of several values: an array where each is there, else a promise of one. */
export function allOf<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  return values.every(isValue) ? values : Promise.all(values);
}

function isValue<T>(value: MaybePromise<T>): value is T {
  return !(value instanceof Promise);
}
