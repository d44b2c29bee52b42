import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import { jsonEquals } from '../conventions/json/json-equality.ts';
import type { Member, Shape } from '../model/model.ts';

/** True if a value is unset: null, or an empty array where a declared array is meant (REP-4). */
export function isUnsetValue(value: Json): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/**
 * True if a response shows a stored value as another one. An absent member of a declared object is null, and an unset
 * array is empty (REP-4). An absent entry of a map is none: its keys are data.
 *
 * @param shape null if it is not known: then every key is data
 */
export function isShownAs(value: Json, shown: Json, shape: Shape | null): boolean {
  const type = shape?.type;
  if (type?.kind === 'array') {
    if (isUnsetValue(value) || isUnsetValue(shown)) return isUnsetValue(value) && isUnsetValue(shown);
    return Array.isArray(value) && Array.isArray(shown) && haveSameItems(value, shown, type.item);
  }
  if (type?.kind !== 'object' && type?.kind !== 'map') return jsonEquals(value, shown);
  if (!isJsonObject(value) || !isJsonObject(shown)) return value === shown;
  return type.kind === 'object'
    ? haveSameMembers(value, shown, type.members)
    : haveSameEntries(value, shown, type.value);
}

function haveSameMembers(value: JsonObject, shown: JsonObject, members: readonly Member[]): boolean {
  return members.every((member) => isShownAs(value[member.name] ?? null, shown[member.name] ?? null, member));
}

function haveSameEntries(value: JsonObject, shown: JsonObject, entry: Shape): boolean {
  const keys = Object.keys(value);
  return (
    keys.length === Object.keys(shown).length &&
    keys.every((key) => Object.hasOwn(shown, key) && isShownAs(value[key] ?? null, shown[key] ?? null, entry))
  );
}

function haveSameItems(value: readonly Json[], shown: readonly Json[], item: Shape): boolean {
  return value.length === shown.length && value.every((each, index) => isShownAs(each, shown[index] ?? null, item));
}
