import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';

/*
 * Typed access to the JSON of a document. A value of another type counts as absent.
 * The JSON Schema of documents has reported it already, and the rest of the document can still be checked.
 */

/** The string, or null. */
export function readString(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** The number, or null. */
export function readNumber(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

/** The decimal digits of a number, declared as a number or as a string; null for other values. */
export function toDigits(value: Json | undefined): string | null {
  return typeof value === 'number' ? String(value) : readString(value);
}

/** The object, or an empty one. */
export function readObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The array, or an empty one. */
export function readArray(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The strings of an array, in order. A single string counts as an array of one. */
export function readStrings(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return readArray(value).filter((each) => typeof each === 'string');
}
