import type { Observe } from './observation.ts';

/**
 * Wraps an observer of the application so that its errors, thrown or rejected, are ignored: an observer must not make a
 * request fail.
 */
export function safeObserver(observe: Observe): Observe {
  return (observation) => {
    try {
      const result: unknown = observe(observation);
      if (result instanceof Promise) result.catch(() => undefined);
    } catch {
      // The observer is the only place to report to.
    }
  };
}
