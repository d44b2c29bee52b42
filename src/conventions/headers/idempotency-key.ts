import { type ApiError, apiError } from '../errors.ts';

/** The content of a structured-field string (RFC 9651 3.3.3). */
const INSIDE = '(?:[ !#-\\[\\]-~]|\\\\["\\\\])*';
/** Parameters (RFC 9651 3.1.2), only to find their end: a comma outside a string means that the field was repeated. */
const PARAMETERS = `(?:; *[a-z*][a-z0-9_.*-]*(?:=(?:%?"${INSIDE}"|[!#-+\\--:<-~]+))?)*`;
/** A string with parameters, which are ignored. */
const QUOTED = new RegExp(`^"(${INSIDE})"${PARAMETERS}$`);
/** 1 to 255 characters of visible ASCII. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Reads `Idempotency-Key` (MET-12, draft-ietf-httpapi-idempotency-key-header-07 2): quoted, as the draft requires, or
 * bare, as many clients send it. Both forms are the same key.
 *
 * @param text value of the field; null if absent
 * @returns null if absent
 * @throws {ApiError} IDEMPOTENCY_KEY_INVALID
 */
export function readIdempotencyKey(text: string | null): string | null {
  if (text === null) return null;
  const key = text.startsWith('"') ? QUOTED.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1') : text;
  if (key === undefined || !KEY.test(key)) throw invalidKey();
  return key;
}

function invalidKey(): ApiError {
  const message = 'Invalid Idempotency-Key: send 1 to 255 visible ASCII characters, such as a UUID, in double quotes.';
  return apiError('IDEMPOTENCY_KEY_INVALID', message, {
    details: [{ field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }],
  });
}
