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

/** The array index that a token names: digits without leading zeros (RFC 6901 4); null for any other token, `-` included. */
export function arrayIndex(token: string): number | null {
  return INDEX.test(token) ? Number(token) : null;
}
