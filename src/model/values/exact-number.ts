import { counted } from './messages.ts';

/** Maximum digits of a decimal without a declared precision. */
export const MAX_DIGITS = 1000;

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;
const INT64_DIGITS = 19;
const INT64_LIMIT = 2n ** 63n;

/** A number of any length, digit by digit: no leading zeros, no trailing zeros in the fraction. */
interface Digits {
  readonly negative: boolean;
  /** At least one digit. */
  readonly whole: string;
  readonly fraction: string;
}

/**
 * The bounds of a decimal: `precision` counts all digits, `scale` those after the decimal point; null means no bound.
 */
interface DecimalBounds {
  readonly precision: number | null;
  readonly scale: number | null;
}

/**
 * Normalizes a decimal to its stored form (REP-7): no leading zeros, no `-0`, at least `scale` decimals if declared,
 * otherwise no trailing zeros. Returns null for a string that is not a decimal. Never rounds: a value with more
 * decimals keeps them.
 */
export function storedDecimal(text: string, scale: number | null): string | null {
  const digits = readDigits(text);
  if (digits === null) return null;
  const fraction = scale === null ? digits.fraction : digits.fraction.padEnd(scale, '0');
  return `${digits.negative ? '-' : ''}${digits.whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * Returns an error message without the name of the field, such as `must have no decimals`; null for a decimal within
 * its bounds.
 */
export function decimalError(text: string, { precision, scale }: DecimalBounds): string | null {
  const digits = readDigits(text);
  if (digits === null) return 'must be a decimal number as a string, such as "19.99"';
  if (scale !== null && digits.fraction.length > scale) {
    return scale === 0 ? 'must have no decimals' : `must have at most ${counted(scale, 'decimal')}`;
  }
  const whole = digits.whole === '0' ? 0 : digits.whole.length;
  if (precision !== null && scale !== null) {
    if (whole <= precision - scale) return null;
    return `must have at most ${counted(precision - scale, 'digit')} before the decimal point`;
  }
  const max = precision ?? MAX_DIGITS;
  return whole + digits.fraction.length > max ? `must have at most ${counted(max, 'digit')}` : null;
}

/**
 * Normalizes an int64 to its stored form: no leading zeros, no `-0`. Returns null unless it is an integer from -2^63 to
 * 2^63-1.
 */
export function storedInt64(text: string): string | null {
  const digits = readDigits(text);
  if (digits === null || text.includes('.') || digits.whole.length > INT64_DIGITS) return null;
  const value = BigInt(`${digits.negative ? '-' : ''}${digits.whole}`);
  return value >= -INT64_LIMIT && value < INT64_LIMIT ? String(value) : null;
}

/** Compares two decimal or int64 strings by value: negative, 0 or positive. An invalid string counts as zero. */
export function compareNumbers(a: string, b: string): number {
  const [left, right] = [readDigits(a) ?? ZERO, readDigits(b) ?? ZERO];
  if (left.negative !== right.negative) return left.negative ? -1 : 1;
  const magnitude =
    left.whole.length - right.whole.length || order(left.whole, right.whole) || order(left.fraction, right.fraction);
  // Subtracted from 0, so that the result is never -0.
  return left.negative ? 0 - magnitude : magnitude;
}

const ZERO: Digits = { negative: false, whole: '0', fraction: '' };

function readDigits(text: string): Digits | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign, whole = '', fraction = ''] = match;
  const digits = { whole: withoutLeadingZeros(whole), fraction: withoutTrailingZeros(fraction) };
  return { negative: sign === '-' && (digits.whole !== '0' || digits.fraction !== ''), ...digits };
}

/* No regular expressions here: `0+$` takes quadratic time on long runs of zeros. */

function withoutLeadingZeros(digits: string): string {
  let start = 0;
  while (start < digits.length - 1 && digits[start] === '0') start += 1;
  return digits.slice(start);
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
