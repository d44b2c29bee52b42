import type { Json, JsonObject } from '../../src/conventions/json/json.ts';
import { writeJson } from '../../src/formats/json.ts';
import type { ValueType } from '../../src/model/model.ts';

/** A name and its value; null for a name without `=`. */
export type Pair = readonly [name: string, value: string | null];

/** Writes a value as the pairs of a form: the inverse of reading it. */
export function formPairs(value: JsonObject, type: Extract<ValueType, { kind: 'object' }>): readonly Pair[] {
  return type.members.flatMap((member) => pairs(member.name, value[member.name] ?? null, member.type));
}

function pairs(name: string, value: Json, type: ValueType): readonly Pair[] {
  if (value === null) return [[name, null]];
  if (type.kind === 'json') return [[name, writeJson(value)]];
  if (Array.isArray(value)) {
    const item = type.kind === 'array' ? type.item.type : type;
    return value.length === 0
      ? [[`${name}[]`, null]]
      : value.flatMap((each: Json, index) => pairs(`${name}[${index}]`, each, item));
  }
  if (typeof value !== 'object') return [[name, String(value)]];
  const entries = Object.entries(value as JsonObject);
  if (entries.length === 0) return [[`${name}[]`, null]];
  return entries.flatMap(([key, held]) => {
    if (type.kind === 'map') return pairs(`${name}[${escapedKey(key)}]`, held, type.value.type);
    const member = type.kind === 'object' ? type.members.find((each) => each.name === key) : undefined;
    return pairs(`${name}[${key}]`, held, member?.type ?? { kind: 'text', format: null });
  });
}

function escapedKey(key: string): string {
  if (key === '') return '%';
  return Array.from(key, (each) => (each < ' ' || '%[]\u007f'.includes(each) ? encodeURIComponent(each) : each)).join(
    '',
  );
}

/** Pairs as `application/x-www-form-urlencoded`. */
export function urlencoded(all: readonly Pair[]): string {
  return all.map(([name, value]) => (value === null ? encode(name) : `${encode(name)}=${encode(value)}`)).join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+');
}
