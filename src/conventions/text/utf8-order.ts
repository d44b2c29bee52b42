import type { Json, JsonObject } from '../json/json.ts';

/**
 * Compares two texts by their UTF-8 bytes (REP-1, QRY-7): as `<` does, but for surrogates, which are above all other
 * UTF-16 code units.
 */
export function compareUtf8(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return rank(a) - rank(b);
  }
  return one.length - other.length;
}

/** U+E000 to U+FFFF are below the surrogates, which encode what is above U+FFFF. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/**
 * The members of an object in the order in which they are written. JavaScript moves keys that are array indexes
 * before all others. Only a map can have such keys, and its members are in the order of their UTF-8 bytes (REP-1).
 */
export function orderedMembers(object: JsonObject): readonly (readonly [name: string, value: Json])[] {
  const members = Object.entries(object);
  return /^[0-9]/.test(members[0]?.[0] ?? '') ? members.sort(([one], [other]) => compareUtf8(one, other)) : members;
}
