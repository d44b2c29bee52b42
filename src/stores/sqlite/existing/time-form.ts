import type { Json } from '../../../conventions/json/json.ts';
import { readMicroseconds, timestamp, withMicroseconds } from '../../../conventions/text/timestamp.ts';
import type { Locate, SqlValue } from '../../sql/dialect.ts';
import type { Affinity } from './read-tables.ts';

/** The form in which a column holds times. */
export type TimeForm =
  | { readonly kind: 'seconds' | 'milliseconds' }
  | {
      readonly kind: 'text';
      /** Between date and time. */
      readonly separator: string;
      /** The digits after the seconds. */
      readonly digits: number;
      /** The designator of the zone; empty for none, which is UTC. */
      readonly zone: string;
      /** False for dates alone. */
      readonly hasTime: boolean;
    };

const TEXT = /^(\d{4}-\d\d-\d\d)(?:([ T])(\d\d:\d\d)(:\d\d)?(?:\.(\d+))?\s*(Z|[+-]\d\d:\d\d)?)?$/;

/** Integers from here on are milliseconds since the epoch; below, they are seconds up to the year 5138. */
const MILLISECONDS = 100_000_000_000;

/** Finds the form of a column by one of its values. */
export function findTimeForm(sample: SqlValue, affinity: Affinity): TimeForm {
  if (typeof sample === 'number') return { kind: Math.abs(sample) >= MILLISECONDS ? 'milliseconds' : 'seconds' };
  if (sample === null && affinity === 'INTEGER') return { kind: 'seconds' };
  const [match, , separator = ' ', , , digits = '', zone = ''] = TEXT.exec(String(sample)) ?? [];
  const hasTime = match === undefined || match.length > 10;
  return { kind: 'text', separator, digits: digits.length, zone, hasTime };
}

/** Decodes a stored time, in any form, with six decimals where a text has microseconds; null for another value. */
export function decodeTime(value: SqlValue): string | null {
  const milliseconds = toMilliseconds(value);
  const isInRange = Math.abs(milliseconds) < 253_402_300_800_000;
  if (!isInRange) return null;
  const [, , , , , fraction = ''] = (typeof value === 'string' ? TEXT.exec(value) : null) ?? [];
  return withMicroseconds(timestamp(Math.floor(milliseconds)), fraction.slice(3));
}

function toMilliseconds(value: SqlValue): number {
  if (typeof value === 'number') return Math.abs(value) >= MILLISECONDS ? value : value * 1_000;
  const match = typeof value === 'string' ? TEXT.exec(value) : null;
  if (match === null) return Number.NaN;
  const [, date = '', , time = '00:00', seconds = ':00', fraction = '0', zone = 'Z'] = match;
  return Date.parse(`${date}T${time}${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${zone}`);
}

/** Encodes a time in a form, cut to its precision; undefined for a text that is no time. */
export function encodeTime(time: string, form: TimeForm): SqlValue | undefined {
  const milliseconds = Date.parse(time);
  if (Number.isNaN(milliseconds)) return undefined;
  if (form.kind !== 'text') return form.kind === 'seconds' ? milliseconds / 1_000 : milliseconds;
  const [date = '', clock = ''] = timestamp(milliseconds).split('T');
  if (!form.hasTime && clock === '00:00:00.000Z') return date;
  const fraction = encodeFraction(clock.slice(9, 12), readMicroseconds(time), form.digits);
  return `${date}${form.separator}${clock.slice(0, 8)}${fraction}${form.zone === '' ? '' : utcZone(form.zone)}`;
}

/** The decimals of a time in a column whose times have a number of digits. They may be none in some of them. */
function encodeFraction(thousandths: string, millionths: string, digits: number): string {
  const needed = millionths !== '000' ? 6 : thousandths !== '000' ? 3 : 0;
  const length = digits === 0 ? needed : Math.max(digits, 3);
  return length === 0 ? '' : `.${`${thousandths}${millionths}`.padEnd(length, '0').slice(0, length)}`;
}

/** Finds the place of a time among those of a form. */
export function locateTime(form: TimeForm): Locate {
  return (value: Json) => {
    const floor = typeof value === 'string' ? encodeTime(value, form) : undefined;
    return floor === undefined ? undefined : { kind: 'within', floor, exact: decodeTime(floor) === value };
  };
}

/** The designator of UTC in the style of another zone. */
export function utcZone(zone: string): string {
  return zone === 'Z' ? zone : '+00:00';
}
