/** How the values of a field are compared (QRY-7); text are also enums, dates and ids. */
export type FieldKind = 'text' | 'number' | 'boolean' | 'decimal' | 'time' | 'list';

/** A value as JSON shows it; null where it is unset. */
export type Value = null | string | number | boolean | readonly (string | number)[];

/** Below zero where `one` comes before `other`: the unset first, then by value (PAGE-5, QRY-7). */
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

/** By code points, which is the order of their UTF-8 bytes. */
function compareTexts(one: string, other: string): number {
  const ahead = Array.from(one);
  const behind = Array.from(other);
  const at = ahead.findIndex((character, index) => character !== behind[index]);
  if (at === -1) return ahead.length - behind.length;
  return (ahead[at]?.codePointAt(0) ?? 0) - (behind[at]?.codePointAt(0) ?? -1);
}

/** Exactly, at any length: both are brought to as many places, and are whole numbers then. */
function compareDecimals(one: string, other: string): number {
  const places = Math.max(placesOf(one), placesOf(other));
  const difference = scaled(one, places) - scaled(other, places);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

function placesOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

function scaled(text: string, places: number): bigint {
  return BigInt(text.replace('.', '') + '0'.repeat(places - placesOf(text)));
}
