import { setImmediate } from 'node:timers/promises';

/**
 * The result of a promise, or of `onTimeout` where the promise takes longer. The work goes on all the same: a promise
 * cannot be stopped.
 *
 * @param timeout milliseconds
 * @param onTimeout returns what takes the place of the result, or throws
 */
export async function withTimeout<T>(work: Promise<T>, timeout: number, onTimeout: () => T): Promise<T> {
  const { promise: expired, resolve } = Promise.withResolvers<'expired'>();
  const timer = setTimeout(() => resolve('expired'), timeout);
  try {
    // Wrapped, so that no result is taken for the timeout.
    const first = await Promise.race([work.then((result) => ({ result })), expired]);
    return first === 'expired' ? onTimeout() : first.result;
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a promise to be fulfilled, for so many milliseconds at most. @returns whether it was */
export function settlesWithin(work: Promise<unknown>, timeout: number): Promise<boolean> {
  return withTimeout(
    work.then(() => true),
    timeout,
    () => false,
  );
}

/**
 * The answer of a server.
 *
 * @param timeout milliseconds
 * @param server its name, for the message
 * @throws {Error} where there is no answer in time, although this process was not too busy to read it
 */
export async function answeredWithin<T>(answer: Promise<T>, timeout: number, server: string): Promise<T> {
  const first = await withTimeout(
    answer.then((value) => ({ value })),
    timeout,
    () => null,
  );
  if (first !== null) return first.value;
  // Timers run before what has arrived is read.
  await setImmediate();
  return Promise.race([answer, Promise.reject<T>(new Error(`${server} did not answer within ${timeout} ms`))]);
}
