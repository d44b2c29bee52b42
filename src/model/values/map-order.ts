import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { compareUtf8 } from '../../conventions/text/utf8-order.ts';
import type { Member, Shape } from '../model.ts';

/** Puts the maps in a value in the order of their keys. */
export type MapOrder = (value: Json) => Json;

/**
 * Compiles the order of the maps in a shape's values (REP-1): rows that an older version wrote have them as they were
 * sent. A map that is in order is returned as it is; keys that are array indexes stay before all others, as JavaScript
 * has them.
 *
 * @returns null for a shape without maps
 */
export function mapOrder({ type }: Shape): MapOrder | null {
  if (type.kind === 'object') return orderOfMembers(type.members);
  if (type.kind === 'map') return orderOfMap(mapOrder(type.value));
  const order = type.kind === 'array' ? mapOrder(type.item) : null;
  return order === null ? null : (value) => (Array.isArray(value) ? value.map(order) : value);
}

function orderOfMap(order: MapOrder | null): MapOrder {
  return (value) => {
    if (!isJsonObject(value)) return value;
    const ordered = isOrdered(value) ? value : sorted(value);
    if (order === null) return ordered;
    return Object.fromEntries(Object.entries(ordered).map(([key, held]) => [key, order(held)]));
  };
}

function orderOfMembers(members: readonly Member[]): MapOrder | null {
  const orders = members.flatMap((member) => {
    const order = mapOrder(member);
    return order === null ? [] : [{ name: member.name, order }];
  });
  if (orders.length === 0) return null;
  return (value) => {
    if (!isJsonObject(value)) return value;
    const result: Record<string, Json> = { ...value };
    for (const { name, order } of orders) result[name] = order(value[name] ?? null);
    return result;
  };
}

function isOrdered(map: JsonObject): boolean {
  let before: string | null = null;
  for (const key of Object.keys(map)) {
    if (before !== null && compareUtf8(before, key) > 0) return false;
    before = key;
  }
  return true;
}

function sorted(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).sort(([one], [other]) => compareUtf8(one, other)));
}
