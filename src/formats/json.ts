import { apiError } from '../conventions/errors.ts';
import type { Json } from '../conventions/json.ts';
import { type StructureLimits, scanJson } from './json-scan.ts';

export type { StructureLimits } from './json-scan.ts';

declare global {
  // ECMAScript 2026; TypeScript's library does not have it yet.
  interface JSON {
    rawJSON(text: string): { readonly rawJSON: string };
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a body as I-JSON (RFC 7493, REP-7), in UTF-8 with or without a byte order mark.
 *
 * @throws {ApiError} REQUEST_BODY_REQUIRED: nothing but white space; REQUEST_BODY_MALFORMED: not I-JSON, or beyond a limit, with
 *   line and column where the fault has a place
 */
export function readJson(bytes: Uint8Array, limits: StructureLimits): Json {
  const text = decode(bytes);
  scanJson(text, limits);
  const value: Json = JSON.parse(text);
  return value;
}

/**
 * Whole numbers beyond 2^53-1 have 16 digits or more, and stand where a value begins. Most texts have no such digits at all, which is found
 * faster where each is written out: then the search skips what cannot hold them.
 */
const LONG_DIGITS = new RegExp('[0-9]'.repeat(16));
const LONG_NUMBER = /(?:^|[:,[])-?[0-9]{16}/;

/**
 * Writes a value as JSON, without white space. A whole number beyond 2^53-1 is written with an exponent, so that {@link readJson} takes it
 * back: digits alone would claim a precision that it does not have (RFC 7493 2.2).
 *
 * @throws {TypeError} the value has no JSON form: undefined, a function, a bigint, a cycle
 */
export function writeJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`A value of type ${typeof value} has no JSON form.`);
  return LONG_DIGITS.test(text) && LONG_NUMBER.test(text) ? JSON.stringify(value, exponential) : text;
}

function exponential(_name: string, value: unknown): unknown {
  const long = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return long ? JSON.rawJSON(value.toExponential()) : value;
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch (cause) {
    throw apiError('REQUEST_BODY_MALFORMED', 'The body is not UTF-8: send JSON in UTF-8.', { cause });
  }
}
