import { FORBIDDEN_TEXT, isForbiddenText } from '../conventions/text/allowed-text.ts';
import { cut } from '../conventions/text/quoted.ts';
import { type ApiError, apiError } from '../conventions/errors.ts';

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
const UTF_8_WITH_BOM = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The error of a body that cannot be parsed. @param place `line 2, column 5` or `items[0][sku]`; null for the whole
 * body
 */
export function malformedBody(place: string | null, message: string, options?: ErrorOptions): ApiError {
  const subject = place === null ? 'Malformed body' : `Malformed body at ${cut(place)}`;
  return apiError('REQUEST_BODY_MALFORMED', `${subject}: ${message}.`, options);
}

/**
 * Decodes a body, without its byte order mark, or a value at a place of it. @throws {ApiError} REQUEST_BODY_MALFORMED
 */
export function decodeUtf8(bytes: Uint8Array, place: string | null = null): string {
  try {
    return (place === null ? UTF_8 : UTF_8_WITH_BOM).decode(bytes);
  } catch (cause) {
    throw malformedBody(place, 'not valid UTF-8', { cause });
  }
}

/** Returns the text if all its characters are allowed. @throws {ApiError} REQUEST_BODY_MALFORMED */
export function checkedText(text: string, place: string): string {
  if (!isForbiddenText(text)) return text;
  throw malformedBody(place, FORBIDDEN_TEXT);
}

/** Checks the name of a member that the schema does not declare. @throws {ApiError} REQUEST_BODY_MALFORMED */
export function checkName(name: string, place: string): void {
  if (PROTOTYPE_NAMES.has(name)) throw malformedBody(place, 'must not be named __proto__, constructor or prototype');
  checkedText(name, place);
}
