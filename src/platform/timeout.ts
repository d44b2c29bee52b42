/**
 * What work gives, where that is there in time. The work itself goes on: nothing can stop a promise.
 *
 * @param time milliseconds
 * @param late gives or throws what stands for work that takes longer
 */
export async function withTimeout<T>(work: Promise<T>, time: number, late: () => T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => resolve('late'), time);
  try {
    // In an object of its own what work gives is never taken for being late.
    const first = await Promise.race([work.then((given) => ({ given })), promise]);
    return first === 'late' ? late() : first.given;
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for something, but for so many milliseconds at most. @returns whether it came to its end */
export function settlesWithin(work: Promise<unknown>, time: number): Promise<boolean> {
  return withTimeout(
    work.then(() => true),
    time,
    () => false,
  );
}
