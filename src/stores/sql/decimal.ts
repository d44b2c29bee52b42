const PLAIN = /^(-?)(\d+)(?:\.(\d+))?$/;

/** Added to an exponent so that it has no sign. Allows numbers with five million digits. */
const EXPONENT_BASE = 5_000_000;
const EXPONENT_DIGITS = 7;

/** Ends the digits of a negative number. It is greater than every digit, so that -5 comes after -5.1. */
const END = '~';

/** A decimal times 10^scale, rounded down to an integer, and whether that is exact. */
export interface ScaledFloor {
  readonly floor: bigint;
  readonly exact: boolean;
}

/**
 * A decimal times 10^scale, rounded down to an integer: `19.9` at scale 2 is exactly 1990, `-0.001` is rounded down to
 * -1.
 *
 * @returns undefined for an invalid decimal
 */
export function scaledFloor(decimal: string, scale: number): ScaledFloor | undefined {
  const match = PLAIN.exec(decimal);
  if (match === null) return undefined;
  const [, sign = '', whole = '', places = ''] = match;
  const kept = places.replace(/0+$/, '');
  const exact = kept.length <= scale;
  const towardsZero = BigInt(`${sign}${whole}${kept.slice(0, scale).padEnd(scale, '0')}`);
  return { floor: exact || sign === '' ? towardsZero : towardsZero - 1n, exact };
}

/**
 * A decimal times 10^scale: `19.9` at scale 2 is 1990.
 *
 * @returns undefined for an invalid decimal, or one with more digits than the scale
 */
export function scaledInteger(decimal: string, scale: number): bigint | undefined {
  const scaled = scaledFloor(decimal, scale);
  return scaled?.exact === true ? scaled.floor : undefined;
}

/** The decimal of a scaled integer, with exactly `scale` digits after the point: `1990` at scale 2 is `19.90`. */
export function scaledDecimal(integer: string, scale: number): string {
  if (scale === 0) return integer;
  const negative = integer.startsWith('-');
  const digits = (negative ? integer.slice(1) : integer).padStart(scale + 1, '0');
  return `${negative ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function complement(digits: string): string {
  let complemented = '';
  for (const digit of digits) complemented += String(9 - Number(digit));
  return complemented;
}

/**
 * A decimal of any size as text whose byte order is the order of the values (QRY-7). Equal values have equal keys.
 * Positive: `2`, the exponent, the digits. Zero: `1`. Negative: `0`, then both complemented, then an end mark.
 *
 * @returns undefined for an invalid decimal
 */
export function decimalKey(decimal: string): string | undefined {
  const match = PLAIN.exec(decimal);
  if (match === null) return undefined;
  const [, sign = '', whole = '', places = ''] = match;
  const all = `${whole}${places}`;
  const first = all.search(/[1-9]/);
  if (first === -1) return '1';
  const digits = all.slice(first).replace(/0+$/, '');
  const exponent = String(EXPONENT_BASE + whole.length - first).padStart(EXPONENT_DIGITS, '0');
  return sign === '' ? `2${exponent}${digits}` : `0${complement(exponent)}${complement(digits)}${END}`;
}

/**
 * The decimal of a key, with at least `scale` digits after the point. At scale 0 the shortest form: `1.5`, `-0.02`,
 * `300`.
 */
export function keyedDecimal(key: string, scale: number): string {
  if (key === '1') return joinDigits('0', ''.padEnd(scale, '0'));
  const negative = key.startsWith('0');
  const body = negative ? complement(key.slice(1, -END.length)) : key.slice(1);
  const point = Number(body.slice(0, EXPONENT_DIGITS)) - EXPONENT_BASE;
  const digits = body.slice(EXPONENT_DIGITS);
  const whole = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
  const places = point <= 0 ? `${'0'.repeat(-point)}${digits}` : digits.slice(point);
  return `${negative ? '-' : ''}${joinDigits(whole, places.padEnd(scale, '0'))}`;
}

function joinDigits(whole: string, places: string): string {
  return places === '' ? whole : `${whole}.${places}`;
}
