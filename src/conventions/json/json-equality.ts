import { isJsonObject, type Json } from './json.ts';

/**
 * True if two JSON values are equal (RFC 6902 4.6): numbers by value, arrays in order, objects in any order of members.
 */
export function jsonEquals(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => jsonEquals(item, other[index] ?? null))
    );
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && jsonEquals(one[name] ?? null, other[name] ?? null))
  );
}
