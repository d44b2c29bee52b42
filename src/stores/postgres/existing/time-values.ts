import { timestamp } from '../../../conventions/text/timestamp.ts';
import type { Json } from '../../../conventions/json/json.ts';
import type { Locate, SqlValue } from '../../sql/dialect.ts';
import type { ExistingForm } from '../../sql/existing/existing-form.ts';
import type { PostgresType } from './column-type.ts';

/** A time as sessions with the zone UTC and the date style ISO write it. Those before the year 1 have a suffix. */
const STORED = /^(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:\+00)?)?$/;

/** Decodes a time, with three decimals, or six where it has microseconds; null for infinity, and for other eras. */
export function decodeStoredTime(value: SqlValue): string | null {
  const match = STORED.exec(String(value));
  if (match === null) return null;
  const [, date = '', clock = '00:00:00', fraction = ''] = match;
  return `${date}T${clock}.${fraction.padEnd(fraction.length > 3 ? 6 : 3, '0')}Z`;
}

/** Milliseconds since the epoch at which the year 1 begins. PostgreSQL has no year 0. */
const YEAR_1 = Date.parse('0001-01-01T00:00:00.000Z');

/** Finds the place of a time of JSON, which has milliseconds. */
function locateTime({ kind }: PostgresType): Locate {
  return (value: Json) => {
    const milliseconds = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(milliseconds)) return undefined;
    if (milliseconds < YEAR_1) return { kind: 'below' };
    const [date = '', clock = ''] = timestamp(milliseconds).slice(0, -1).split('T');
    if (kind === 'date') return { kind: 'within', floor: date, exact: clock === '00:00:00.000' };
    const short = clock.replace(/\.?0+$/, '');
    return { kind: 'within', floor: `${date} ${short}${kind === 'timestamptz' ? '+00' : ''}`, exact: true };
  };
}

/** The form of times in a column of dates or timestamps. One with microseconds is found by its stored value alone. */
export function timeForm(type: PostgresType): ExistingForm {
  const locate = locateTime(type);
  return {
    select: (column) => `${column}::text`,
    decode: decodeStoredTime,
    encode: (value) => {
      const place = locate(value);
      return place?.kind === 'within' && place.exact ? place.floor : undefined;
    },
    locate,
  };
}
