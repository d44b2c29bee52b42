/* Common rules of field values (RFC 9110 5.6), as sources of regular expressions. */

/** A token. */
export const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

/** A quoted-string. Its only group captures the content, still escaped. */
export const QUOTED_STRING = '"((?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*)"';

/** The value of a quoted-string. @param inside its content, still escaped */
export function unescapeQuoted(inside: string): string {
  return inside.replace(/\\(.)/g, '$1');
}
