import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';

/** Integers beyond 2^53-1 have at least 16 digits. */
const LONG_INTEGER = /[0-9]{16}/;
/** The members of MongoDB's extended JSON. */
const EXTENDED = /"\$(?:oid|date|number|uuid|binary)/;

/** True if a JSON text may have values that `JSON.parse` reads as others. ASCII characters of it are enough. */
export function hasSpecialValues(text: string): boolean {
  return LONG_INTEGER.test(text) || EXTENDED.test(text);
}

/**
 * Parses the JSON of a row. Integers that a double cannot hold become their digits, and extended JSON its meaning.
 *
 * @throws {SyntaxError}
 */
export function parseRowText(text: string): Json {
  const value: Json = JSON.parse(text, keepDigits);
  return plainValue(value);
}

function keepDigits(_name: string, value: Json, { source }: { readonly source?: string } = {}): Json {
  const isLong = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isLong && source !== undefined && /^-?[0-9]+$/.test(source) ? source : value;
}

function plainValue(value: Json): Json {
  if (Array.isArray(value)) return value.map(plainValue);
  if (!isJsonObject(value)) return value;
  const extended = readExtended(value);
  if (extended !== undefined) return extended;
  return Object.fromEntries(Object.entries(value).map(([name, member]): [string, Json] => [name, plainValue(member)]));
}

/** The meaning of a value in MongoDB's extended JSON (version 2); undefined for another object. */
function readExtended(object: JsonObject): Json | undefined {
  const [member, another] = Object.entries(object);
  if (member === undefined || another !== undefined) return undefined;
  const [name, value] = member;
  const text = typeof value === 'string' ? value : null;
  switch (name) {
    case '$oid':
    case '$uuid':
    case '$numberDecimal':
      return text ?? undefined;
    case '$numberInt':
    case '$numberDouble':
    case '$numberLong':
      return readNumberText(value);
    case '$date':
      return readDate(value);
    case '$binary':
      return isJsonObject(value) && typeof value['base64'] === 'string' ? value['base64'] : undefined;
    default:
      return undefined;
  }
}

/** A number; the digits of an integer that a double cannot hold. Infinity and NaN have no number in JSON. */
function readNumberText(value: Json): Json | undefined {
  const number = Number(value);
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  if (!Number.isFinite(number)) return null;
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? String(value) : number;
}

/** A date and time, or the milliseconds since the epoch. */
function readDate(value: Json): Json | undefined {
  const moment = isJsonObject(value) ? Number(value['$numberLong']) : value;
  const date = new Date(typeof moment === 'number' || typeof moment === 'string' ? moment : Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
