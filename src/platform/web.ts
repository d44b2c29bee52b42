// The web platform as programs need it, in browsers, Node.js, Bun and Deno alike: no `node:` modules.

/**
 * The time, waiting and randomness of a program that may run in a browser; injected, so that a test can choose them.
 */
export interface WebPlatform {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after so many milliseconds, or at an abort: the caller looks at the signal. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** At least 0 and less than 1. */
  random(): number;
  /** A text of 128 random bits. */
  uniqueKey(): string;
}

/** The web platform itself. */
export const webPlatform: WebPlatform = {
  now: () => Date.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal?.addEventListener('abort', end);
      if (signal?.aborted === true) end();
    }),
  random: () => Math.random(),
  // Not randomUUID, which pages without TLS do not have.
  uniqueKey: () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-'),
};
