import { isJsonObject, type Json } from './json.ts';

/**
 * Applies a merge patch (RFC 7396 2): a member that is null is removed, an object is merged, anything else replaces. Neither
 * argument is changed; members keep the target's order, and new ones follow.
 */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const members = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name) ?? null, change));
  }
  // Defines each member, so that one named __proto__ is data.
  return Object.fromEntries(members);
}
