import {
  type ETagsByLength,
  matchesStrongly,
  matchesWeakly,
  parseETagList,
  parseRevision,
  type ETagList,
} from './etag.ts';
import { parseHttpDate } from './http-date.ts';

/** The preconditions of a request (RFC 9110 13.1); null if not sent. Dates are milliseconds since 1970. */
export interface Preconditions {
  readonly ifMatch: ETagList | null;
  readonly ifNoneMatch: ETagList | null;
  readonly ifModifiedSince: number | null;
  readonly ifUnmodifiedSince: number | null;
}

/** The preconditions of a request without any. */
export const UNCONDITIONAL: Preconditions = {
  ifMatch: null,
  ifNoneMatch: null,
  ifModifiedSince: null,
  ifUnmodifiedSince: null,
};

/** The representation that a read would return. */
interface ReadState {
  /** With its quotes. */
  readonly etag: string;
  /**
   * Time of the last change, in milliseconds since 1970; null if the response has no `Last-Modified`. Called only to
   * compare a date.
   */
  readonly lastModified: () => { readonly at: number } | null;
}

/** The row that a write would change. */
interface WriteState {
  readonly revision: number;
  /** Time of the last change (REP-3), read only to compare a date. */
  readonly updated_at: string;
}

/**
 * Reads the preconditions of a request. An invalid date is ignored (RFC 9110 13.1.3, 13.1.4).
 *
 * @param get returns the value of a header field by its name in lower case, several lines joined by a comma; null if
 *   absent
 * @param now milliseconds since 1970
 * @throws {ApiError} REQUEST_HEADER_INVALID: an invalid list of ETags
 */
export function readPreconditions(get: (name: string) => string | null, now: number): Preconditions {
  const etags = (name: string, field: string): ETagList | null => {
    const text = get(name);
    return text === null ? null : parseETagList(text, field);
  };
  const date = (name: string): number | null => {
    const text = get(name);
    return text === null ? null : parseHttpDate(text, now);
  };
  return {
    ifMatch: etags('if-match', 'If-Match'),
    ifNoneMatch: etags('if-none-match', 'If-None-Match'),
    ifModifiedSince: date('if-modified-since'),
    ifUnmodifiedSince: date('if-unmodified-since'),
  };
}

/** True if a write names the revision that it applies to, as `require_if_match` demands (CACHE-3). */
export function hasWriteCondition({ ifMatch, ifUnmodifiedSince }: Preconditions): boolean {
  return ifMatch !== null || ifUnmodifiedSince !== null;
}

/**
 * Evaluates the preconditions of a read, in the order of RFC 9110 13.2.2; whole ETags are compared (CACHE-2, CACHE-3).
 * `failed` is 412, `not-modified` 304.
 */
export function evaluateRead(conditions: Preconditions, current: ReadState): 'proceed' | 'not-modified' | 'failed' {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions;
  const { etag } = current;
  if (ifMatch !== null) {
    if (!matchesStrongly(ifMatch, etag)) return 'failed';
  } else if (isChangedSince(current, ifUnmodifiedSince) === true) return 'failed';

  if (ifNoneMatch !== null) return matchesWeakly(ifNoneMatch, etag) ? 'not-modified' : 'proceed';
  return isChangedSince(current, ifModifiedSince) === false ? 'not-modified' : 'proceed';
}

/**
 * Which of the ETags of a representation `If-Match` or `If-None-Match` lists by name; null for neither. Who lists one
 * has been sent the body.
 */
export function listedETag({ ifMatch, ifNoneMatch }: Preconditions, { short, long }: ETagsByLength): string | null {
  const isListed = (etag: string): boolean =>
    [ifMatch, ifNoneMatch].some((list) => list !== null && list !== '*' && matchesWeakly(list, etag));
  return [short, long].find(isListed) ?? null;
}

/** null if one of the two dates is missing. */
function isChangedSince({ lastModified }: ReadState, date: number | null): boolean | null {
  if (date === null) return null;
  const modified = lastModified();
  return modified === null ? null : changedSince(modified.at, date);
}

/**
 * Evaluates the preconditions of PUT, PATCH and DELETE, in the order of RFC 9110 13.2.2: `failed` is 412. Only the
 * revision of an ETag is compared, so that the ETag of any representation can be sent (CACHE-3). A weak ETag never
 * satisfies `If-Match`, and does match in `If-None-Match`.
 *
 * @param current the current row; null if there is none
 */
export function evaluateWrite(conditions: Preconditions, current: WriteState | null): 'proceed' | 'failed' {
  const { ifMatch, ifNoneMatch, ifUnmodifiedSince } = conditions;
  if (ifMatch !== null) {
    if (current === null || !listsRevision(ifMatch, current.revision, 'strong')) return 'failed';
  } else if (current !== null && ifUnmodifiedSince !== null) {
    if (changedSince(Date.parse(current.updated_at), ifUnmodifiedSince)) return 'failed';
  }

  if (ifNoneMatch === null || current === null) return 'proceed';
  return listsRevision(ifNoneMatch, current.revision, 'any') ? 'failed' : 'proceed';
}

function listsRevision(list: ETagList, revision: number, strength: 'strong' | 'any'): boolean {
  return list === '*' || list.some((etag) => !(etag.weak && strength === 'strong') && parseRevision(etag) === revision);
}

/** HTTP dates have whole seconds, so a change within the second of the date counts as not newer. */
function changedSince(modified: number, date: number): boolean {
  return Math.floor(modified / 1000) > Math.floor(date / 1000);
}
