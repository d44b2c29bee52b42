import { type ApiError, apiError } from '../conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import { quoted } from '../conventions/text/quoted.ts';
import { writeJson } from '../formats/json.ts';

/** A revision, with or without the rest of the ETag. */
const REVISION = /^(\d+)(?:\.[!#-~]*)?$/;

/**
 * Reads an argument that names a version of a row, as the value of `If-Match`: a revision or a strong ETag. `*` is
 * none, because it matches every version.
 *
 * @throws {ApiError} REQUEST_PARAMETER_INVALID
 */
export function readMatch(value: Json | undefined, field: string): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value);
  const bare = /^"(.*)"$/.exec(text)?.[1] ?? text;
  if (REVISION.test(bare)) return `"${bare}"`;
  const message = `${field} must be the revision of the row, such as 42, or its ETag; ${quoted(text)} is neither.`;
  throw apiError('REQUEST_PARAMETER_INVALID', message, {
    details: [{ field, message: 'must be the revision of the row, or its ETag' }],
  });
}

/** The error of a write that names no version of the row. */
export function matchRequired(field: string): ApiError {
  const message = 'This write needs if_match, the revision of the row that it is based on.';
  return apiError('REQUEST_PRECONDITION_REQUIRED', message, { details: [{ field, message: 'is required' }] });
}

/** Requires the key of a write that is kept. @throws {ApiError} IDEMPOTENCY_KEY_REQUIRED */
export function requireKey(given: JsonObject): string {
  const key = given['idempotency_key'];
  if (typeof key === 'string' && key !== '') return key;
  const message = 'This write needs idempotency_key, a value that you choose: it makes a repeated call safe.';
  throw apiError('IDEMPOTENCY_KEY_REQUIRED', message, {
    details: [{ field: 'idempotency_key', message: 'is required, 1 to 255 visible ASCII characters' }],
  });
}

/** Requires the value that the dry run of the same request returned. @throws {ApiError} REQUEST_PARAMETER_INVALID */
export function requireConfirmation(given: JsonObject, expected: string): void {
  const { confirm } = given;
  if (confirm === expected) return;
  const message =
    confirm === undefined
      ? 'This write needs confirm. Call it with dry_run: true, look at the result, then send the confirm of that result.'
      : 'confirm is of another request. Call this one with dry_run: true, and send the confirm of that result.';
  throw apiError('REQUEST_PARAMETER_INVALID', message, {
    details: [{ field: 'confirm', message: 'must be the value that the dry run of the same request returned' }],
  });
}

/** Names a request for its confirmation, whatever the order of its members. */
export function nameRequest(parts: readonly Json[]): string {
  return writeJson(parts.map(sortMembers));
}

function sortMembers(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!isJsonObject(value)) return value;
  const sorted = Object.keys(value).sort();
  return sorted.map((name): Json => [name, sortMembers(value[name] ?? null)]);
}
