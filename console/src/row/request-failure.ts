import { isRequestError } from 'restwright/client';
import { texts } from '../texts.ts';
import type { Problems } from './draft.ts';

/** A request that was refused: what belongs to fields of a form, and the rest. */
export interface RequestFailure {
  readonly status: number;
  readonly problems: Problems;
  /** The failure of the whole; null without one. */
  readonly message: string | null;
  /** True if the request may have been carried out: no response says so. */
  readonly isUnconfirmed: boolean;
}

/**
 * Sorts an error of the API by the fields of a form.
 *
 * @param names the fields that the form has
 */
export function sortFailure(error: unknown, names: readonly string[]): RequestFailure {
  if (!isRequestError(error))
    return {
      status: 0,
      problems: new Map(),
      message: error instanceof Error ? error.message : String(error),
      isUnconfirmed: false,
    };
  const problems = new Map<string, string>();
  const others: string[] = [];
  for (const { field, message } of error.details) {
    const [name = ''] = field.split(/[.[]/);
    if (names.includes(name)) problems.set(field, message);
    else others.push(field === '' ? message : `${field}: ${message}`);
  }
  const rest = others.length > 0 ? others.join(' ') : problems.size > 0 ? null : error.message;
  const message = [rest, error.retryAfter === null ? null : texts.retryIn(Math.ceil(error.retryAfter / 1_000))]
    .filter((each) => each !== null)
    .join(' ');
  return {
    status: error.status,
    problems,
    message: message === '' ? null : message,
    isUnconfirmed: error.status === 0,
  };
}

/** True if the row that was requested is not there, or no longer. */
export function isGone(error: unknown): boolean {
  return isRequestError(error) && (error.status === 404 || error.status === 410);
}
