import { once } from './once.ts';

/**
 * A stream at whose end a function runs, once. It ends after its last value, if it fails, and if its reader stops, even
 * before the first value. A generator with `finally` does nothing where it was never started.
 */
export function endingStream<T>(stream: AsyncIterable<T>, end: () => void): AsyncIterable<T> {
  const endOnce = once(end);
  return {
    [Symbol.asyncIterator]() {
      const values = stream[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const result = await values.next();
            if (result.done === true) endOnce();
            return result;
          } catch (error) {
            endOnce();
            throw error;
          }
        },
        async return() {
          try {
            await values.return?.();
          } finally {
            endOnce();
          }
          return { done: true, value: undefined };
        },
      };
    },
  };
}
