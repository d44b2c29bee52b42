/** Maximum characters of one thing that an error quotes of a request: a name, a value, a place. */
const MAX_QUOTED = 100;

/**
 * The beginning of a text, with an ellipsis where it is longer. A character outside the basic multilingual plane stays
 * whole (ERR-4).
 *
 * @param most maximum UTF-16 code units before the ellipsis
 */
export function cut(text: string, most: number = MAX_QUOTED): string {
  if (text.length <= most) return text;
  const isSplit = text.charCodeAt(most - 1) >> 10 === 0xd800 >> 10;
  return `${text.slice(0, isSplit ? most - 1 : most)}…`;
}

/** Writes a value of a request in double quotes, as messages quote it. */
export function quoted(text: string): string {
  return JSON.stringify(cut(text));
}
