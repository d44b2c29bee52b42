import { type ApiError, apiError } from '../errors.ts';

/** Characters that must be percent-encoded in a path: all but `/`, `%` and `pchar` (RFC 3986 3.3). */
const NOT_IN_PATH = /[^!$%&-;=@A-Z_a-z~]/;
/**
 * Characters that must be percent-encoded in a query: as in a path, but `?` is allowed, and brackets where
 * {@link checkRawQuery} allows them.
 */
const NOT_IN_QUERY = /[^!$%&-;=?-[\]_a-z~]/;
const BRACKET = /[[\]]/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

/**
 * Rejects a path with a character that must be percent-encoded (URL-4).
 *
 * @throws {ApiError} REQUEST_URI_INVALID
 */
export function checkRawPath(path: string): void {
  const found = NOT_IN_PATH.exec(path);
  if (found !== null) throw unencoded(found[0]);
}

/**
 * Rejects a query string with a character that must be percent-encoded. Unencoded brackets are allowed in names, as in
 * `price[gte]=10`, and not in values (URL-4).
 *
 * @throws {ApiError} REQUEST_URI_INVALID
 */
export function checkRawQuery(query: string): void {
  const found = NOT_IN_QUERY.exec(query);
  if (found !== null) throw unencoded(found[0]);
  if (!BRACKET.test(query)) return;
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    const bracket = equals === -1 ? null : BRACKET.exec(pair.slice(equals));
    if (bracket !== null) throw unencoded(bracket[0]);
  }
}

/**
 * Decodes percent-encoded text once, as strict UTF-8 (URL-3, URL-4).
 *
 * @throws {ApiError} REQUEST_URI_INVALID for a bad escape, invalid UTF-8 (also overlong forms and surrogates), and NUL
 */
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  let decoded: string;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw BAD_ESCAPE.test(text)
      ? invalidEncoding('A % is not followed by two hexadecimal digits; send the character % itself as %25')
      : invalidEncoding('The percent-encoded bytes are not UTF-8; encode text as UTF-8, for example é as %C3%A9');
  }
  if (decoded.includes('\0')) throw invalidEncoding('NUL (%00) is not allowed in a URL; leave it out');
  return decoded;
}

function unencoded(character: string): ApiError {
  const code = character.charCodeAt(0);
  if (code === 0) return invalidEncoding('NUL is not allowed in a URL; leave it out');
  if (code > 0x7f) {
    return invalidEncoding(
      'A character outside ASCII is not percent-encoded; encode its UTF-8 bytes, for example é as %C3%A9',
    );
  }
  const escape = `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
  if (code < 0x20 || code === 0x7f)
    return invalidEncoding(`A control character is not percent-encoded; send it as ${escape}`);
  if (character === '#')
    return invalidEncoding(
      `An unencoded # begins a fragment, which is never sent to a server; send it as ${escape} if it is data`,
    );
  return invalidEncoding(
    `${character === ' ' ? 'A space' : `The character ${character}`} is not percent-encoded; send it as ${escape}`,
  );
}

function invalidEncoding(reason: string): ApiError {
  return apiError('REQUEST_URI_INVALID', `The request target is not valid. ${reason}.`);
}
