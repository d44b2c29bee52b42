import { timestamp, withMicroseconds } from '../../conventions/text/timestamp.ts';
import type { ValueType } from '../value-type.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const SEPARATOR = 10;
const MINUTES_PER_DAY = 1440;

/** True if a string is an RFC 3339 full-date that exists in the calendar. */
export function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  return day !== undefined && Number(day) >= 1 && Number(day) <= countDays(Number(year), Number(month));
}

/** True if a string is an RFC 3339 full-time, with its offset. A leap second must be 23:59:60 in UTC. */
export function isTime(text: string): boolean {
  return readTime(text) !== null;
}

/** The precision of times: milliseconds, or microseconds. */
type TimePrecision = Pick<Extract<ValueType, { readonly kind: 'date-time' }>, 'micros'>;

/**
 * Normalizes an RFC 3339 date-time to its stored form (REP-3): UTC, three decimals, `Z`. Further decimals are cut off.
 * Returns null for an invalid date-time and for years outside 0000 to 9999 in UTC. A leap second, which UTC has only at
 * the end of a month, becomes the millisecond before it, so that order and day are kept.
 *
 * @param precision with `micros`, a time has six decimals where three do not suffice
 */
export function storedDateTime(text: string, { micros }: TimePrecision = {}): string | null {
  const separator = text[SEPARATOR];
  const date = text.slice(0, SEPARATOR);
  if ((separator !== 'T' && separator !== 't') || !isDate(date)) return null;
  const time = readTime(text.slice(SEPARATOR + 1));
  if (time === null) return null;
  const seconds = time.leap ? '59.999' : `${time.seconds}.${time.fraction.slice(0, 3).padEnd(3, '0')}`;
  const stored =
    time.offset === 0 ? `${date}T${time.clock}:${seconds}Z` : shift(`${date}T${time.clock}:${seconds}Z`, -time.offset);
  if (stored === null || (time.leap && !endsMonth(stored))) return null;
  return micros === true && !time.leap ? withMicroseconds(stored, time.fraction.slice(3)) : stored;
}

interface Time {
  /** Hours and minutes as written, `10:30`. */
  readonly clock: string;
  readonly seconds: string;
  readonly fraction: string;
  /** Minutes east of UTC. */
  readonly offset: number;
  readonly leap: boolean;
}

function readTime(text: string): Time | null {
  const match = TIME.exec(text);
  if (match === null) return null;
  const [, hour = '', minute = '', seconds = '', fraction = '', sign, offsetHour = '00', offsetMinute = '00'] = match;
  if (hour > '23' || minute > '59' || seconds > '60' || offsetHour > '23' || offsetMinute > '59') return null;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1);
  const utc = (Number(hour) * 60 + Number(minute) - offset + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const leap = seconds === '60';
  if (leap && utc !== MINUTES_PER_DAY - 1) return null;
  return { clock: `${hour}:${minute}`, seconds, fraction, offset, leap };
}

function shift(utc: string, minutes: number): string | null {
  const shifted = timestamp(Date.parse(utc) + minutes * 60_000);
  return shifted.length === utc.length ? shifted : null;
}

function endsMonth(stored: string): boolean {
  return Number(stored.slice(8, 10)) === countDays(Number(stored.slice(0, 4)), Number(stored.slice(5, 7)));
}

function countDays(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  if (month === 4 || month === 6 || month === 9 || month === 11) return 30;
  return month >= 1 && month <= 12 ? 31 : 0;
}
