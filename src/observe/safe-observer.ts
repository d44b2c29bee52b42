import type { Observe } from './observation.ts';

/**
 * A sink whose failures are its own: what is observed goes on, whether the sink throws or what it promises is rejected. Applications hand
 * sinks in, and a request must not fail by one.
 */
export function safeObserver(observe: Observe): Observe {
  return (observation) => {
    try {
      const told: unknown = observe(observation);
      if (told instanceof Promise) told.catch(() => undefined);
    } catch {
      // There is nobody else to tell.
    }
  };
}
