/** The rules that field values are built from (RFC 9110 5.6), as sources of regular expressions. */

/** One word without quotes. */
export const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

/** A text in double quotes; the one group is what stands between them, still escaped. */
export const QUOTED_STRING = '"((?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*)"';

/** What a quoted string means: its inside with every backslash taken off that escapes a character. */
export function unescapeQuoted(inside: string): string {
  return inside.replace(/\\(.)/g, '$1');
}
