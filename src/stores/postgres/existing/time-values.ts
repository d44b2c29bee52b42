import { withMicroseconds } from '../../../conventions/text/timestamp.ts';
import type { Json } from '../../../conventions/json/json.ts';
import { storedDateTime } from '../../../model/values/date-time.ts';
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
  return withMicroseconds(`${date}T${clock}.${fraction.slice(0, 3).padEnd(3, '0')}Z`, fraction.slice(3));
}

/** The beginning of the year 1. PostgreSQL has no year 0. */
const YEAR_1 = '0001';

/** Finds the place of a time of JSON. */
function locateTime({ kind }: PostgresType): Locate {
  return (value: Json) => {
    const time = typeof value === 'string' ? storedDateTime(value, { micros: true }) : null;
    if (time === null) return undefined;
    if (time < YEAR_1) return { kind: 'below' };
    const [date = '', clock = ''] = time.slice(0, -1).split('T');
    if (kind === 'date') return { kind: 'within', floor: date, exact: clock === '00:00:00.000' };
    const short = clock.replace(/\.?0+$/, '');
    return { kind: 'within', floor: `${date} ${short}${kind === 'timestamptz' ? '+00' : ''}`, exact: true };
  };
}

/** The form of times in a column of dates or timestamps. */
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
