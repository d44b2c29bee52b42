import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';

/*
 * Typed access to the JSON of a document. A value of another type counts as absent.
 * The JSON Schema of documents has reported it already, and the rest of the document can still be checked.
 */

/** The string, or null. */
export function stringOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** The number, or null. */
export function numberOf(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

/** The decimal digits of a number, declared as a number or as a string; null for other values. */
export function digitsOf(value: Json | undefined): string | null {
  return typeof value === 'number' ? String(value) : stringOf(value);
}

/** The object, or an empty one. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The array, or an empty one. */
export function arrayOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The strings of an array, in order. A single string counts as an array of one. */
export function stringsOf(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return arrayOf(value).filter((each) => typeof each === 'string');
}
