import { isJsonObject, type Json, type JsonObject, setMember } from '../../conventions/json/json.ts';
import type { RemovedMembers } from '../../conventions/json/mutable-document.ts';
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

/** A document after a patch, and the members that the patch removed from its objects. */
export interface Patched {
  readonly document: Json;
  readonly removed: RemovedMembers;
}

const NONE: RemovedMembers = new Map();

/** A patch result in which removed members are null. An absent member would get its default again (REP-4). */
export function unsetRemoved(
  resource: Resource,
  before: JsonObject,
  after: Json,
  removed: RemovedMembers = NONE,
): JsonObject {
  const members = isJsonObject(after) ? after : {};
  const result: Record<string, Json> = { ...members };
  for (const { name, type } of resource.fields) {
    const value = Object.hasOwn(members, name) ? (members[name] ?? null) : null;
    result[name] = unsetMembers(type, [before[name], value], removed);
  }
  return result;
}

/** The value at one place before and after a patch. */
type Values = readonly [before: Json | undefined, after: Json];

/** Unsets removed members, also those of objects in maps and arrays. Removed entries of a map are none. */
function unsetMembers(type: ValueType, [before, after]: Values, removed: RemovedMembers): Json {
  if (!holdsObjects(type)) return after;
  if (type.kind === 'array') {
    // Items have no place that lasts: an item that the patch did not touch is as it was.
    if (removed.size === 0 || !Array.isArray(after)) return after;
    return after.map((item) => unsetMembers(type.item.type, [undefined, item], removed));
  }
  if (!isJsonObject(after)) return after;
  if (type.kind === 'object') return unsetDeclared(type.members, [before, after], removed);
  const result: Record<string, Json> = { ...after };
  for (const key of Object.keys(after)) {
    const entry: Values = [ownMember(before, key), after[key] ?? null];
    setMember(result, key, unsetMembers(type.value.type, entry, removed));
  }
  return result;
}

function unsetDeclared(
  members: Extract<ValueType, { readonly kind: 'object' }>['members'],
  [before, after]: readonly [before: Json | undefined, after: JsonObject],
  removed: RemovedMembers,
): Json {
  const wasSet = isJsonObject(before);
  const result: Record<string, Json> = { ...after };
  for (const { name, type } of members) {
    const value = ownMember(after, name);
    if (value !== undefined) result[name] = unsetMembers(type, [ownMember(before, name), value], removed);
    else if (wasSet || removed.get(after)?.has(name) === true) result[name] = null;
  }
  return result;
}

/** True if values have declared members, at any depth of maps and arrays. */
function holdsObjects(type: ValueType): type is Extract<ValueType, { readonly kind: 'object' | 'map' | 'array' }> {
  if (type.kind === 'array') return holdsObjects(type.item.type);
  return type.kind === 'object' || (type.kind === 'map' && holdsObjects(type.value.type));
}

/** A member of an object; undefined if it is absent, or the value is no object. */
function ownMember(value: Json | undefined, name: string): Json | undefined {
  return value !== undefined && isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
