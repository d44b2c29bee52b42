/** The kind of a field, by which its values are compared (QRY-7). Enums, dates and ids are text. */
export type FieldKind = 'text' | 'number' | 'boolean' | 'decimal' | 'time' | 'list';

/** A JSON value; null if unset. */
export type Value = null | string | number | boolean | readonly (string | number)[];

/** Negative if `one` comes before `other`: null first, then by value (PAGE-5, QRY-7). */
export function compareValues(kind: FieldKind, one: Value, other: Value): number {
  if (one === null || other === null) return Number(other === null) - Number(one === null);
  switch (kind) {
    case 'text':
      return compareTexts(String(one), String(other));
    case 'decimal':
      return compareDecimals(String(one), String(other));
    case 'time':
      return Date.parse(String(one)) - Date.parse(String(other));
    case 'number':
    case 'boolean':
      return Math.sign(Number(one) - Number(other));
    case 'list':
      return compareTexts(JSON.stringify(one), JSON.stringify(other));
  }
}

/** Compares by code points, which is the order of the UTF-8 bytes. */
function compareTexts(one: string, other: string): number {
  const ahead = Array.from(one);
  const behind = Array.from(other);
  const at = ahead.findIndex((character, index) => character !== behind[index]);
  if (at === -1) return ahead.length - behind.length;
  return (ahead[at]?.codePointAt(0) ?? 0) - (behind[at]?.codePointAt(0) ?? -1);
}

/** Compares decimals of any length exactly, as integers with the same number of decimal places. */
function compareDecimals(one: string, other: string): number {
  const places = Math.max(countPlaces(one), countPlaces(other));
  const difference = scaled(one, places) - scaled(other, places);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

function countPlaces(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

function scaled(text: string, places: number): bigint {
  return BigInt(text.replace('.', '') + '0'.repeat(places - countPlaces(text)));
}
