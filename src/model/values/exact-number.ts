import { counted } from './messages.ts';

/** Most digits of a decimal for which the model sets no precision. */
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

/** The bounds of a decimal: `precision` counts all digits, `scale` those after the point; null where there is none. */
export interface DecimalBounds {
  readonly precision: number | null;
  readonly scale: number | null;
}

/**
 * A decimal as it is stored (REP-7): no leading zeros, never `-0`, exactly `scale` decimals where one is declared, else none
 * that is a trailing zero. null where the text is no decimal. It is never rounded: a finer value keeps its digits.
 */
export function storedDecimal(text: string, scale: number | null): string | null {
  const digits = readDigits(text);
  if (digits === null) return null;
  const fraction = scale === null ? digits.fraction : digits.fraction.padEnd(scale, '0');
  return `${digits.negative ? '-' : ''}${digits.whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** What keeps a text from being a decimal within its bounds, in words; null where nothing does. */
export function decimalError(text: string, { precision, scale }: DecimalBounds): string | null {
  const digits = readDigits(text);
  if (digits === null) return 'must be a decimal number in text, such as "19.99"';
  if (scale !== null && digits.fraction.length > scale) {
    return scale === 0 ? 'must have no decimals' : `must have at most ${counted(scale, 'decimal')}`;
  }
  const whole = digits.whole === '0' ? 0 : digits.whole.length;
  if (precision !== null && scale !== null) {
    if (whole <= precision - scale) return null;
    return `must have at most ${counted(precision - scale, 'digit')} before the point`;
  }
  const most = precision ?? MAX_DIGITS;
  return whole + digits.fraction.length > most ? `must have at most ${counted(most, 'digit')}` : null;
}

/** An int64 as it is stored: no leading zeros, never `-0`. null where the text is no integer from -2^63 to 2^63-1. */
export function storedInt64(text: string): string | null {
  const digits = readDigits(text);
  if (digits === null || text.includes('.') || digits.whole.length > INT64_DIGITS) return null;
  const value = BigInt(`${digits.negative ? '-' : ''}${digits.whole}`);
  return value >= -INT64_LIMIT && value < INT64_LIMIT ? String(value) : null;
}

/** Compares two decimal or int64 texts by value: negative, 0 or positive. A text that is neither counts as zero. */
export function compareNumbers(a: string, b: string): number {
  const [left, right] = [readDigits(a) ?? ZERO, readDigits(b) ?? ZERO];
  if (left.negative !== right.negative) return left.negative ? -1 : 1;
  const magnitude =
    left.whole.length - right.whole.length || order(left.whole, right.whole) || order(left.fraction, right.fraction);
  // Taken from 0, so that equal ones never compare as -0.
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

/* Zeros are taken off by hand: a pattern such as `0+$` takes quadratic time on long runs of them. */

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
