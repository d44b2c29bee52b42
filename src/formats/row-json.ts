import type { Json } from '../conventions/json/json.ts';
import { readJson } from './json.ts';
import type { StructureLimits } from './json-scan.ts';
import { hasSpecialValues, parseRowText } from './row-values.ts';

/**
 * Reads a row of a data file. Integers that a double cannot hold become their digits. Values of MongoDB's extended JSON
 * become what they mean: `{"$oid": ..}` an id, `{"$date": ..}` a date and time.
 *
 * @throws {ApiError} REQUEST_BODY_MALFORMED
 */
export function readRowJson(raw: Uint8Array, limits: StructureLimits): Json {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1');
  if (!hasSpecialValues(text)) return readJson(raw, limits);
  const read = parseSpecial(raw);
  return read === undefined ? readJson(raw, limits) : readJson(Buffer.from(JSON.stringify(read)), limits);
}

/** Undefined for what is no JSON, which the strict reader reports. */
function parseSpecial(raw: Uint8Array): Json | undefined {
  try {
    return parseRowText(new TextDecoder().decode(raw));
  } catch {
    return undefined;
  }
}
