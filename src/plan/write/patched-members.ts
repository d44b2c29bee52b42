import { isJsonObject, type Json, type JsonObject, setMember } from '../../conventions/json/json.ts';
import { mergePatch } from '../../conventions/json/merge-patch.ts';
import type { Resource, ValueType } from '../../model/model.ts';

/**
 * Merges a patch into the fields of a row (RFC 7396). Unknown members whose value is null are kept: merging removes
 * them, and validation must report them like any other unknown member (REP-5).
 */
export function mergeMembers({ fields }: Resource, before: JsonObject, patch: JsonObject): Json {
  return withUnknownNulls({ kind: 'object', members: fields }, patch, mergePatch(before, patch));
}

function withUnknownNulls(type: ValueType, patch: Json, merged: Json): Json {
  if (!holdsMembers(type) || !isJsonObject(patch) || !isJsonObject(merged)) return merged;
  // Most patches have none: a large map is copied only for what is added to it.
  let result: Record<string, Json> | null = null;
  for (const name of Object.keys(patch)) {
    const value = patch[name] ?? null;
    const member = type.kind === 'map' ? type.value : type.members.find((each) => each.name === name);
    const kept = merged[name];
    const known = member === undefined || kept === undefined ? kept : withUnknownNulls(member.type, value, kept);
    const shown = member === undefined && value === null ? null : known;
    if (shown === undefined || shown === kept) continue;
    result ??= { ...merged };
    setMember(result, name, shown);
  }
  return result ?? merged;
}

/** True if values have declared members, at any depth of maps: only there a member can be unknown. */
function holdsMembers(type: ValueType): type is Extract<ValueType, { readonly kind: 'object' | 'map' }> {
  return type.kind === 'object' || (type.kind === 'map' && holdsMembers(type.value.type));
}

/** A patch result in which removed members are null. An absent member would get its default again (REP-4). */
export function unsetRemoved(resource: Resource, before: JsonObject, after: Json): JsonObject {
  const members = isJsonObject(after) ? after : {};
  const result: Record<string, Json> = { ...members };
  for (const { name, type } of resource.fields) {
    const value = Object.hasOwn(members, name) ? (members[name] ?? null) : null;
    result[name] = unsetMembers(type, before[name] ?? null, value);
  }
  return result;
}

/** Unsets removed members, also those of objects in maps. Removed entries of a map are none. */
function unsetMembers(type: ValueType, before: Json, after: Json): Json {
  if (!holdsMembers(type) || !isJsonObject(before) || !isJsonObject(after)) return after;
  const result: Record<string, Json> = { ...after };
  if (type.kind === 'map') {
    for (const key of Object.keys(after)) {
      if (Object.hasOwn(before, key))
        setMember(result, key, unsetMembers(type.value.type, before[key] ?? null, after[key] ?? null));
    }
    return result;
  }
  for (const { name, type: own } of type.members) {
    const value = Object.hasOwn(after, name) ? (after[name] ?? null) : null;
    result[name] = unsetMembers(own, before[name] ?? null, value);
  }
  return result;
}
