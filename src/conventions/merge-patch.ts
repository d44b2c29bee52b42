import { isJsonObject, type Json, type JsonObject, setMember } from './json.ts';

const EMPTY: JsonObject = {};

/**
 * Applies a merge patch (RFC 7396 2): a member that is null is removed, an object is merged, anything else replaces. Neither
 * argument is changed; members keep the target's order, and new ones follow.
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
