import { randomFillSync } from 'node:crypto';

/** Where unpredictable bits come from; handed in, so that a test can say what they are. */
export interface Random {
  /** That many random bytes, as twice as many lower-case hexadecimal digits. */
  hex(bytes: number): string;
}

const POOL_BYTES = 4096;

/** The cryptographic generator of the platform. Bits are drawn in stocks: one call for a few of them costs more than they do. */
export function createRandom(): Random {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;

  return {
    hex(bytes) {
      if (bytes > POOL_BYTES) return randomFillSync(Buffer.alloc(bytes)).toString('hex');
      if (used + bytes > POOL_BYTES) {
        randomFillSync(pool);
        used = 0;
      }
      used += bytes;
      return pool.toString('hex', used - bytes, used);
    },
  };
}
