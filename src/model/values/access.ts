import { isJsonObject, type Json, type JsonObject } from '../../conventions/json.ts';

/*
 * A typed look at a declared document. What has another kind than the one asked for counts as absent: the document's own
 * schema has announced it already, and the rest of the document is still to be checked.
 */

/** The text, or null. */
export function stringOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** The number, or null. */
export function numberOf(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

/** A number as it is written in decimal, whether it was declared as one or as its digits in text; null for anything else. */
export function digitsOf(value: Json | undefined): string | null {
  return typeof value === 'number' ? String(value) : stringOf(value);
}

/** The object, or one without members. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The list, or an empty one. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The texts of a list; a lone text is a list of one. Each keeps its index in the list. */
export function stringsOf(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return listOf(value).filter((each) => typeof each === 'string');
}
