import { randomBytes } from 'node:crypto';

/** The source of unpredictable bits; injected, so that a test can choose them. */
export interface Random {
  /** So many random bytes, in lower-case hexadecimal: two digits each. */
  hex(bytes: number): string;
}

const POOL_BYTES = 4_096;

/**
 * The cryptographic generator of the platform. It fills a pool: a call of the generator costs more than the few bytes
 * that an id takes.
 */
export function createRandom(): Random {
  const generate = (bytes: number): string => randomBytes(bytes).toString('hex');
  let pool = '';
  let used = 0;

  return {
    hex(bytes) {
      if (bytes > POOL_BYTES) return generate(bytes);
      if (used + 2 * bytes > pool.length) {
        pool = generate(POOL_BYTES);
        used = 0;
      }
      used += 2 * bytes;
      return pool.slice(used - 2 * bytes, used);
    },
  };
}
