import { weakMemoize } from '../../../cache/memoize.ts';
import type { Dialect, Statement } from '../dialect.ts';
import { type Prepare, prepare } from '../prepare.ts';

/** The statements that read the event log. */
export interface EventStatements {
  /** Columns: `sequence`, `envelope`. */
  readonly after: (sequence: number, limit: number) => Statement;
  /** @param sequences strings, as a JSON array. Columns: `sequence`, `envelope`. */
  readonly of: (sequences: string) => Statement;
}

export const eventStatements = weakMemoize((dialect: Dialect): EventStatements => {
  const of = (text: string): Prepare => prepare(dialect, text);
  const int64 = dialect.columnType({ kind: 'int64' });
  return {
    after: of('select sequence, envelope from restwright_events where sequence > ? order by sequence limit ?'),
    of: of(`select sequence, envelope from restwright_events
where sequence in (select cast(value as ${int64}) from ${dialect.textRows('?')}) order by sequence`),
  };
});
