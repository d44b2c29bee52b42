import { randomBytes } from 'node:crypto';

/** Where unpredictable bits come from; handed in, so that a test can say what they are. */
export interface Random {
  /** That many random bytes, as twice as many lower-case hexadecimal digits. */
  hex(bytes: number): string;
}

const STOCK_BYTES = 4_096;

/**
 * The cryptographic generator of the platform. Bits are drawn, and become digits, in stocks: a call for a few of them costs more than they do.
 */
export function createRandom(): Random {
  const draw = (bytes: number): string => randomBytes(bytes).toString('hex');
  let stock = '';
  let used = 0;

  return {
    hex(bytes) {
      if (bytes > STOCK_BYTES) return draw(bytes);
      if (used + 2 * bytes > stock.length) {
        stock = draw(STOCK_BYTES);
        used = 0;
      }
      used += 2 * bytes;
      return stock.slice(used - 2 * bytes, used);
    },
  };
}
