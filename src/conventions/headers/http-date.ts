import { memoize } from '../../cache/memoize.ts';

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
/** The part of an HTTP date that names the day. Rows of one response were changed on few days. */
const dayName = memoize((day) => new Date(Number(day) * DAY_LENGTH).toUTCString().slice(0, -TIME_OF_DAY.length));

/** An HTTP date (RFC 9110 5.6.7), `Sun, 06 Nov 1994 08:49:37 GMT`. Fractions of a second are truncated. */
export function httpDate(milliseconds: number): string {
  const day = Math.floor(milliseconds / DAY_LENGTH);
  const seconds = Math.floor((milliseconds - day * DAY_LENGTH) / 1_000);
  const minutes = Math.floor(seconds / 60);
  return `${dayName(String(day))}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)} GMT`;
}

function twoDigits(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}

/**
 * Parses an HTTP date in any of its three forms.
 *
 * @param now milliseconds since 1970: a two-digit year is at most 50 years later
 * @returns milliseconds since 1970; null if it is not an HTTP date
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
  return date !== null && date > addYears(now, FUTURE_YEARS) ? at(full - 100) : date;
}

/** RFC 9110 5.6.7: a two-digit year further in the future is the last past year with the same digits. */
const FUTURE_YEARS = 50;

function addYears(time: number, years: number): number {
  const date = new Date(time);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}
