import { randomFillSync } from 'node:crypto';

/** Where unpredictable bits come from; handed in, so that a test can say what they are. */
export interface Random {
  /** That many random bytes, as twice as many lower-case hexadecimal digits. */
  hex(bytes: number): string;
}

const POOL_BYTES = 4096;

/** The cryptographic generator of the platform. Digits are drawn in stocks: one call for a few of them costs more than they do. */
export function createRandom(): Random {
  const pool = Buffer.alloc(POOL_BYTES);
  let digits = '';
  let used = 0;

  return {
    hex(bytes) {
      const wanted = bytes * 2;
      if (bytes > POOL_BYTES) return randomFillSync(Buffer.alloc(bytes)).toString('hex');
      if (used + wanted > digits.length) {
        digits = randomFillSync(pool).toString('hex');
        used = 0;
      }
      used += wanted;
      return digits.slice(used - wanted, used);
    },
  };
}
