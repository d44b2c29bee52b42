import { matchesStrongly, matchesWeakly, parseETagList, revisionOf, type ETagList } from './etag.ts';
import { memoize } from '../cache/memoize.ts';

/** The conditions of a request (RFC 9110 13.1); null where one is not set. Dates are milliseconds since 1970. */
export interface Preconditions {
  readonly ifMatch: ETagList | null;
  readonly ifNoneMatch: ETagList | null;
  readonly ifModifiedSince: number | null;
  readonly ifUnmodifiedSince: number | null;
}

/** Of a request that states none. */
export const UNCONDITIONAL: Preconditions = {
  ifMatch: null,
  ifNoneMatch: null,
  ifModifiedSince: null,
  ifUnmodifiedSince: null,
};

/** The representation that a read would answer with. */
export interface ReadState {
  /** With its quotes. */
  readonly etag: string;
  /** When it was changed, in milliseconds since 1970; null where no `Last-Modified` goes out. Asked where a date is compared with it. */
  readonly lastModified: () => { readonly at: number } | null;
}

/** The row that a write would change. */
export interface WriteState {
  readonly revision: number;
  /** Time of its last change (REP-3), read where a date is compared with it. */
  readonly updated_at: string;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = `(?<month>${MONTHS.join('|')})`;
const TIME = '(?<hour>[01][0-9]|2[0-3]):(?<minute>[0-5][0-9]):(?<second>[0-5][0-9]|60)';
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)';

/** The forms of RFC 9110 5.6.7: IMF-fixdate, then the obsolete ones of RFC 850 and asctime. */
const DATE_FORMS = [
  new RegExp(`^${DAY}, (?<day>[0-9]{2}) ${MONTH} (?<year>[0-9]{4}) ${TIME} GMT$`),
  new RegExp(`^${LONG_DAY}, (?<day>[0-9]{2})-${MONTH}-(?<year>[0-9]{2}) ${TIME} GMT$`),
  new RegExp(`^${DAY} ${MONTH} (?<day>[ 0-9][0-9]) ${TIME} (?<year>[0-9]{4})$`),
];

const DAY_LENGTH = 86_400_000;
const TIME_OF_DAY = '08:49:37 GMT';
/** What an HTTP date says of a day: what is told was changed on few of them. */
const dayName = memoize((day) => new Date(Number(day) * DAY_LENGTH).toUTCString().slice(0, -TIME_OF_DAY.length));

/** An HTTP date (RFC 9110 5.6.7), `Sun, 06 Nov 1994 08:49:37 GMT`. The part of a second is cut off. */
export function httpDate(milliseconds: number): string {
  const day = Math.floor(milliseconds / DAY_LENGTH);
  const seconds = Math.floor((milliseconds - day * DAY_LENGTH) / 1_000);
  const minutes = Math.floor(seconds / 60);
  return `${dayName(String(day))}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)} GMT`;
}

function two(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}

/**
 * Reads an HTTP date in any of the three forms.
 *
 * @param now milliseconds since 1970: a two-digit year lies at most 50 years after it
 * @returns milliseconds since 1970; null for anything else
 */
export function parseHttpDate(text: string, now: number): number | null {
  const groups = DATE_FORMS.map((form) => form.exec(text)?.groups).find((found) => found !== undefined);
  if (groups === undefined) return null;
  const { year = '', month = '', day, hour, minute, second } = groups;
  const at = (fullYear: number): number | null => {
    const date = new Date(0);
    date.setUTCFullYear(fullYear, MONTHS.indexOf(month), Number(day));
    if (date.getUTCDate() !== Number(day)) return null;
    return date.setUTCHours(Number(hour), Number(minute), Number(second));
  };
  if (year.length === 4) return at(Number(year));
  const thisYear = new Date(now).getUTCFullYear();
  const full = thisYear - (thisYear % 100) + Number(year);
  const date = at(full);
  return date !== null && date > inYears(now, FUTURE_YEARS) ? at(full - 100) : date;
}

/** RFC 9110 5.6.7: a date of two digits that would lie further ahead is of the last past year with the same digits. */
const FUTURE_YEARS = 50;

function inYears(time: number, years: number): number {
  const date = new Date(time);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}

/**
 * Reads the conditions of a request. A date that is none is as good as absent (RFC 9110 13.1.3, 13.1.4).
 *
 * @param get the value of a request field by its name in lower case, several lines joined with a comma; null where absent
 * @param now milliseconds since 1970
 * @throws {ApiError} REQUEST_HEADER_INVALID: a list of tags that cannot be read
 */
export function readPreconditions(get: (name: string) => string | null, now: number): Preconditions {
  const tags = (name: string, field: string): ETagList | null => {
    const text = get(name);
    return text === null ? null : parseETagList(text, field);
  };
  const date = (name: string): number | null => {
    const text = get(name);
    return text === null ? null : parseHttpDate(text, now);
  };
  return {
    ifMatch: tags('if-match', 'If-Match'),
    ifNoneMatch: tags('if-none-match', 'If-None-Match'),
    ifModifiedSince: date('if-modified-since'),
    ifUnmodifiedSince: date('if-unmodified-since'),
  };
}

/** Whether a write states which revision it is meant for: what `require_if_match` asks of it (CACHE-3). */
export function hasWriteCondition({ ifMatch, ifUnmodifiedSince }: Preconditions): boolean {
  return ifMatch !== null || ifUnmodifiedSince !== null;
}

/**
 * Judges the conditions of a read, in the order of RFC 9110 13.2.2 and by whole tags (CACHE-2, CACHE-3):
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

/** null where one of the two dates is missing. */
function isChangedSince({ lastModified }: ReadState, date: number | null): boolean | null {
  if (date === null) return null;
  const modified = lastModified();
  return modified === null ? null : changedSince(modified.at, date);
}

/**
 * Judges the conditions of PUT, PATCH and DELETE, in the order of RFC 9110 13.2.2: `failed` is 412. Of a tag only the
 * revision counts, so that a tag of any representation serves (CACHE-3). A weak tag promises no more than equivalence:
 * it never satisfies `If-Match`, and does exclude under `If-None-Match`.
 *
 * @param current the row as it stands; null where there is none, which has no date to compare
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
  return list === '*' || list.some((tag) => !(tag.weak && strength === 'strong') && revisionOf(tag) === revision);
}

/** Dates on the wire have whole seconds, so a change within the second of the date counts as known. */
function changedSince(modified: number, date: number): boolean {
  return Math.floor(modified / 1000) > Math.floor(date / 1000);
}
