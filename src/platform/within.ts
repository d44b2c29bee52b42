/** Waits for something, but for so many milliseconds at most. @returns whether it came to its end */
export async function within(milliseconds: number, end: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), milliseconds);
  try {
    return await Promise.race([end.then(() => true), promise]);
  } finally {
    clearTimeout(timer);
  }
}
