import type { Json } from '../../conventions/json/json.ts';
import type { Placement, SqlValue } from './dialect.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DIGITS = '0123456789abcdef';
const LENGTH = 36;
const HYPHENS: ReadonlySet<number> = new Set([8, 13, 18, 23]);

/** True for a UUID in lower case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Writes the hyphens of a UUID. @param digits 32 hexadecimal digits */
export function writeHyphens(digits: string): string {
  return [0, 8, 12, 16, 20].map((from, at, all) => digits.slice(from, all[at + 1])).join('-');
}

/**
 * Locates a text among UUIDs in lower case: every text has a place in their order (QRY-7), which is that of their
 * bytes.
 */
export function placeAmongUuids(value: Json, encode: (uuid: string) => SqlValue): Placement | undefined {
  if (typeof value !== 'string') return undefined;
  if (isUuid(value)) return { kind: 'within', floor: encode(value), exact: true };
  const floor = findFloor(value);
  return floor === null ? { kind: 'below' } : { kind: 'within', floor: encode(writeHyphens(floor)), exact: false };
}

/** Finds the digits of the greatest UUID that is less than a text; null where none is. */
function findFloor(text: string): string | null {
  let digits = '';
  for (let at = 0; at < LENGTH; at += 1) {
    const character = text[at];
    const isHyphen = HYPHENS.has(at);
    const isExpected = isHyphen ? character === '-' : character !== undefined && DIGITS.includes(character);
    if (isExpected) {
      digits += isHyphen ? '' : character;
      continue;
    }
    if (character === undefined) return precede(digits);
    if (isHyphen) return character > '-' ? digits.padEnd(32, 'f') : precede(digits);
    const lower = DIGITS.split('').findLast((digit) => digit < character);
    return lower === undefined ? precede(digits) : (digits + lower).padEnd(32, 'f');
  }
  return digits;
}

/** The digits of the UUID before all those with a prefix. */
function precede(prefix: string): string | null {
  const first = BigInt(`0x${prefix.padEnd(32, '0')}`);
  return first === 0n ? null : (first - 1n).toString(16).padStart(32, '0');
}
