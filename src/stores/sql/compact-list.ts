import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import type { Member, ValueType } from '../../model/model.ts';
import type { Decode, Encode } from './dialect.ts';

/** An array of objects that is stored without the names of their members. */
type ListType = Extract<ValueType, { readonly kind: 'array' }>;

export function isList(type: ValueType): type is ListType {
  return type.kind === 'array' && type.compact === true;
}

/** The members of the objects of a list, in the order in which their values are stored. */
export function listMembers({ item }: ListType): readonly Member[] {
  return item.type.kind === 'object' ? item.type.members : [];
}

/** Encodes a list as JSON: an array of the values of each object, and times as milliseconds since the epoch. */
export function encodeList(type: ListType): Encode {
  const members = listMembers(type);
  const values = (item: JsonObject): Json => members.map((member) => encodeMember(member, item[member.name] ?? null));
  return (value) =>
    Array.isArray(value) ? JSON.stringify(value.map((item) => (isJsonObject(item) ? values(item) : item))) : undefined;
}

export function decodeList(type: ListType): Decode {
  const members = listMembers(type);
  const toObject = (values: readonly Json[]): Json =>
    Object.fromEntries(members.map((member, at) => [member.name, decodeMember(member, values[at] ?? null)]));
  return (value) => {
    const items: readonly Json[] = JSON.parse(String(value));
    return items.map((item) => (Array.isArray(item) ? toObject(item) : item));
  };
}

function encodeMember({ type }: Member, value: Json): Json {
  return type.kind === 'date-time' && typeof value === 'string' ? Date.parse(value) : value;
}

function decodeMember({ type }: Member, value: Json): Json {
  return type.kind === 'date-time' && typeof value === 'number' ? timestamp(value) : value;
}
