import { isJsonObject, type Json, type JsonObject, setMember } from './json.ts';

const EMPTY: JsonObject = {};

/**
 * Applies a merge patch (RFC 7396 2): a null member is removed, an object is merged, any other value replaces. Neither
 * argument is changed. Members keep the order of the target; new members follow.
 */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const before = isJsonObject(target) ? target : EMPTY;
  const merged: Record<string, Json> = {};
  for (const name of Object.keys(before)) {
    const value = before[name] ?? null;
    const change = Object.hasOwn(patch, name) ? (patch[name] ?? null) : undefined;
    if (change === undefined) setMember(merged, name, value);
    else if (change !== null) setMember(merged, name, mergePatch(value, change));
  }
  for (const name of Object.keys(patch)) {
    const added = patch[name] ?? null;
    if (added !== null && !Object.hasOwn(before, name)) setMember(merged, name, mergePatch(null, added));
  }
  return merged;
}
