import type { SqlRow } from '../../sql/dialect.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { sqlite } from '../dialect/sqlite-dialect.ts';

const { quote } = sqlite;

/** The number of rows of a read. */
const BATCH = 1_000;

/** The column with the number of a row in its table. */
export const ROW = 'row';

/** The rows of a table in batches, by `_rowid_`, which is the column {@link ROW}. @param selection the other columns */
export function* readBatches(
  connection: SqliteConnection,
  table: string,
  selection: string,
): Generator<readonly SqlRow[]> {
  const list = `_rowid_ as ${quote(ROW)}, ${selection}`;
  const text = `select ${list} from ${quote(table)} where _rowid_ > ? order by _rowid_ limit ${BATCH}`;
  for (let last = 0; ; ) {
    const rows = connection.all(text, [last]);
    yield rows;
    if (rows.length < BATCH) return;
    last = Number(rows.at(-1)?.[ROW]);
  }
}
