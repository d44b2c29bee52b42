import { isJsonObject, type Json } from './json.ts';

/** The reference tokens of a JSON Pointer (RFC 6901), decoded; none for the whole document. */
export type Pointer = readonly string[];

const ESCAPE = /~(?![01])/;
const INDEX = /^(?:0|[1-9][0-9]{0,14})$/;

/** Reads `/a~1b/0` as `['a/b', '0']` (RFC 6901 3, 4); null where the text is no pointer. */
export function parsePointer(text: string): Pointer | null {
  if (text === '') return [];
  if (!text.startsWith('/') || ESCAPE.test(text)) return null;
  // ~1 before ~0, else ~01 would become a slash.
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A pointer as text: `['a/b', '0']` is `/a~1b/0`. */
export function formatPointer(pointer: Pointer): string {
  return pointer.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The array index that a token names: digits without leading zeros (RFC 6901 4); null for any other token, `-` included. */
export function arrayIndex(token: string): number | null {
  return INDEX.test(token) ? Number(token) : null;
}

/** The value that a token names inside `value`; undefined where there is none. */
function child(value: Json, token: string): Json | undefined {
  if (Array.isArray(value)) {
    const index = arrayIndex(token);
    return index === null ? undefined : value[index];
  }
  // A member of its own, never one of Object.prototype.
  return isJsonObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}

/** The value that a pointer names; undefined where there is none. */
export function resolvePointer(document: Json, pointer: Pointer): Json | undefined {
  let value: Json | undefined = document;
  for (const token of pointer) {
    if (value === undefined) return undefined;
    value = child(value, token);
  }
  return value;
}
