/** The decoded reference tokens of a JSON Pointer (RFC 6901); empty for the whole document. */
export type Pointer = readonly string[];

const ESCAPE = /~(?![01])/;
const INDEX = /^(?:0|[1-9][0-9]{0,14})$/;

/** Parses `/a~1b/0` into `['a/b', '0']` (RFC 6901 3, 4); null if the text is not a JSON Pointer. */
export function parsePointer(text: string): Pointer | null {
  if (text === '') return [];
  if (!text.startsWith('/') || ESCAPE.test(text)) return null;
  // ~1 is decoded before ~0, else ~01 would become a slash.
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The array index of a token: digits without leading zeros (RFC 6901 4); null for any other token, including `-`. */
export function arrayIndex(token: string): number | null {
  return INDEX.test(token) ? Number(token) : null;
}
