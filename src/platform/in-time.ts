/**
 * What work gives, where that is there in time. The work itself goes on: nothing can stop a promise.
 *
 * @param time milliseconds
 * @param late makes the error for what takes longer
 */
export async function inTime<T>(work: Promise<T>, time: number, late: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), time);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
