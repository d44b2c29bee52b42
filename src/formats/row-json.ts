import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import { readJson } from './json.ts';
import type { StructureLimits } from './json-scan.ts';

/** Integers beyond 2^53-1 have at least 16 digits. */
const LONG_INTEGER = /[0-9]{16}/;
/** The members of MongoDB's extended JSON. */
const EXTENDED = /"\$(?:oid|date|number|uuid|binary)/;

/**
 * Reads a row of a data file. Integers that a double cannot hold become their digits. Values of MongoDB's extended JSON
 * become what they mean: `{"$oid": ..}` an id, `{"$date": ..}` a date and time.
 *
 * @throws {ApiError} REQUEST_BODY_MALFORMED
 */
export function readRowJson(raw: Uint8Array, limits: StructureLimits): Json {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1');
  if (!LONG_INTEGER.test(text) && !EXTENDED.test(text)) return readJson(raw, limits);
  const read = parseDigits(raw);
  return read === undefined ? readJson(raw, limits) : readJson(Buffer.from(JSON.stringify(plainValue(read))), limits);
}

/** Undefined for what is no JSON, which the strict reader reports. */
function parseDigits(raw: Uint8Array): Json | undefined {
  try {
    const value: Json = JSON.parse(new TextDecoder().decode(raw), keepDigits);
    return value;
  } catch {
    return undefined;
  }
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
