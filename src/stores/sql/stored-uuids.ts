import { isJsonObject, type Json } from '../../conventions/json/json.ts';
import type { ValueType } from '../../model/model.ts';
import { storedUuid } from '../../model/values/formats.ts';

/**
 * True if a type has values of the format `uuid` in any case. References are keys of rows, which the server makes;
 * compact UUIDs have no case.
 */
export function holdsUuids(type: ValueType): boolean {
  return listUuidPaths(type, '').length > 0;
}

/** Lists the places of UUIDs in the values of a type: `device`, `sizes[].*.key`. @param path that of the values */
export function listUuidPaths(type: ValueType, path: string): readonly string[] {
  if (type.kind === 'text') {
    const isChecked = type.ids === undefined && type.compact === undefined;
    return type.format === 'uuid' && isChecked ? [path] : [];
  }
  if (type.kind === 'object') {
    return type.members.flatMap((member) => listUuidPaths(member.type, `${path}.${member.name}`));
  }
  if (type.kind === 'map') return listUuidPaths(type.value.type, `${path}.*`);
  return type.kind === 'array' ? listUuidPaths(type.item.type, `${path}[]`) : [];
}

/** Writes the UUIDs of a value in lower case, and nothing else. */
export function lowerUuids(value: Json, type: ValueType): Json {
  if (!holdsUuids(type)) return value;
  if (typeof value === 'string') return type.kind === 'text' ? (storedUuid(value) ?? value) : value;
  if (Array.isArray(value)) {
    return type.kind === 'array' ? value.map((item) => lowerUuids(item, type.item.type)) : value;
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => {
      const member = memberType(type, name);
      return [name, member === undefined ? held : lowerUuids(held, member)];
    }),
  );
}

function memberType(type: ValueType, name: string): ValueType | undefined {
  if (type.kind === 'map') return type.value.type;
  return type.kind === 'object' ? type.members.find((member) => member.name === name)?.type : undefined;
}
