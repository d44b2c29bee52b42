import { isRequestError } from 'restwright/client';
import { asRecord, asText } from '../schema/json-access.ts';

/** An error of the API that a response describes. */
export class ResponseError extends Error {
  /** The code: `EVENT_POSITION_EXPIRED`; null if something else has answered. */
  readonly code: string | null;

  constructor(message: string, code: string | null) {
    super(message);
    this.code = code;
  }
}

/**
 * Reads the JSON of a response.
 *
 * @throws {ResponseError} for a response that is not 2xx
 */
export async function readJson<T>(response: Response): Promise<T> {
  if (response.ok) {
    const body: T = await response.json();
    return body;
  }
  const { errorMessage, errorCode } = asRecord(await response.json().catch(() => null));
  throw new ResponseError(asText(errorMessage) ?? `HTTP ${response.status}`, asText(errorCode));
}

/** The message for a field, or for a part of it; null without one. */
export function findFieldError(error: unknown, name: string): string | null {
  if (!isRequestError(error)) return null;
  const found = error.details.find(({ field }) => field === name || field.startsWith(`${name}[`));
  return found?.message ?? null;
}

/** The message of a failure; null without one, and where all of it stands at the given fields. */
export function describeFailure(error: Error | null, fields: readonly string[] = []): string | null {
  if (error === null) return null;
  const details = isRequestError(error) ? error.details : [];
  const others = details.filter(({ field }) => !fields.some((name) => field === name || field.startsWith(`${name}[`)));
  if (details.length > 0 && others.length === 0) return null;
  return [error.message, ...others.map(({ field, message }) => `${field} ${message}`)].join(' ');
}
