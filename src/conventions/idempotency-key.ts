import { type ApiError, apiError } from './errors.ts';

/** What stands between the quotes of a structured-fields string (RFC 9651 3.3.3). */
const INSIDE = '(?:[ !#-\\[\\]-~]|\\\\["\\\\])*';
/** Parameters (RFC 9651 3.1.2), as far as it takes to know where they end: a comma outside a string is a second line of the field. */
const PARAMETERS = `(?:; *[a-z*][a-z0-9_.*-]*(?:=(?:%?"${INSIDE}"|[!#-+\\--:<-~]+))?)*`;
/** A string with parameters; they mean nothing here. */
const QUOTED = new RegExp(`^"(${INSIDE})"${PARAMETERS}$`);
/** 1 to 255 characters of visible ASCII. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * The key of `Idempotency-Key` (MET-12, draft-ietf-httpapi-idempotency-key-header-07 2): in quotes, as the draft has it, or bare, as many
 * clients send it. Both are the same key.
 *
 * @param text value of the field; null where it is absent
 * @returns null where there is none
 * @throws {ApiError} IDEMPOTENCY_KEY_INVALID
 */
export function readIdempotencyKey(text: string | null): string | null {
  if (text === null) return null;
  const key = text.startsWith('"') ? QUOTED.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1') : text;
  if (key === undefined || !KEY.test(key)) throw invalid();
  return key;
}

function invalid(): ApiError {
  const message =
    'Idempotency-Key cannot be read: send 1 to 255 characters of visible ASCII, such as a UUID, in quotes.';
  return apiError('IDEMPOTENCY_KEY_INVALID', message, {
    details: [{ field: 'Idempotency-Key', message: 'must be 1 to 255 characters of visible ASCII' }],
  });
}
