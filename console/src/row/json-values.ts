import { isRecord } from '../schema/json-access.ts';

/** True if two values of JSON are equal, whatever the order of their members. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((each, index) => isSameJson(each, b[index]));
  if (!isRecord(a) || !isRecord(b)) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name in b && isSameJson(a[name], b[name]));
}

/** The merge patch (RFC 7396) that makes one value of another, if they differ. */
export function createMergePatch(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return after;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    names
      .filter((name) => !isSameJson(before[name], after[name]))
      .map((name) => [name, name in after ? createMergePatch(before[name], after[name]) : null]),
  );
}

/** A value as people read it: texts as they are, all else as JSON. */
export function formatValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
