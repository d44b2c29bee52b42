import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

/** The source of new ids. */
export interface Ids {
  /** A new UUIDv7 in lower case, greater as a string than every one before it. */
  uuid(): string;
}

const COUNTER_MAX = 0xfff;
/**
 * A counter starts in the lower half of its range, so that at least 2,048 ids fit into a millisecond (RFC 9562 6.2).
 */
const COUNTER_SEED_MASK = 0x7ff;

/**
 * UUIDv7 whose string order is the order of creation within the process (REP-2), by the dedicated counter of RFC 9562
 * 6.2 (method 1). It has 48 bits of milliseconds, 12 bits of counter in `rand_a`, 62 random bits. While the clock
 * stands still or goes back, the last time stays and the counter goes on. When the counter is full, the next
 * millisecond is used early.
 */
export function createIds({ clock, random }: { readonly clock: Clock; readonly random: Random }): Ids {
  let time = -1;
  let counter = 0;
  /** The part before the counter, made once per millisecond: `0192f3a4-5b6c-7`. */
  let prefix = '';

  function startMillisecond(millisecond: number): void {
    const digits = millisecond.toString(16).padStart(12, '0');
    time = millisecond;
    counter = Number.parseInt(random.hex(2), 16) & COUNTER_SEED_MASK;
    prefix = `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
  }

  return {
    uuid() {
      const now = clock.now();
      if (now > time) startMillisecond(now);
      else if (counter === COUNTER_MAX) startMillisecond(time + 1);
      else counter += 1;
      const tail = random.hex(8);
      // `join` makes a flat string, which `JSON.stringify` writes faster than a concatenated one.
      return [prefix + threeDigits(counter), variant(tail) + tail.slice(1, 4), tail.slice(4)].join('-');
    },
  };
}

const DIGITS = '0123456789abcdef';

/**
 * A number below 4,096 in hexadecimal. Every request gets an id, and `toString(16).padStart` takes as long as the rest
 * of it.
 */
function threeDigits(number: number): string {
  return DIGITS.charAt(number >> 8) + DIGITS.charAt((number >> 4) & 15) + DIGITS.charAt(number & 15);
}

/** The digit of the variant `10` and two random bits (RFC 9562 4.1). */
function variant(hex: string): string {
  return '89ab'.charAt(DIGITS.indexOf(hex.charAt(0)) & 3);
}
