import { resolve } from 'node:path';
import type { SqlRow, Statement } from '../../sql/dialect.ts';
import { MAX_BATCH_ROWS, MAX_BATCH_SIZE, rowSize } from '../../sql/copy/batch-size.ts';
import type { CopiedTable } from '../../sql/copy/copied-tables.ts';
import { type CopySource, type CopyTarget, type LastNumbers, lastNumbers } from '../../sql/copy/copy-database.ts';
import { RefusedCopyRow } from '../../sql/copy/unstorable-row.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { SystemStatements } from '../../sql/system-statements.ts';
import { defineFunctions } from '../connection/sql-functions.ts';
import { SqliteConnection } from '../connection/sqlite-connection.ts';
import { sqlite } from '../dialect/sqlite-dialect.ts';
import type { DriverName } from '../driver/driver.ts';
import { selectDriver } from '../driver/select-driver.ts';
import { isBusy, isConstraintFailure } from '../driver/sqlite-errors.ts';

const system = new SystemStatements(sqlite);

/** KiB of the page cache of a copy: indexes are written in the order of the rows, not in theirs. */
const CACHE_KIB = 131_072;

/** A file whose rows are copied. @param file exists, with the schema of the model */
export function sqliteCopySource(file: string, name?: DriverName): CopySource {
  const connection = SqliteConnection.reader(resolve(file), selectDriver(name).driver);
  connection.script('begin');
  return {
    all: ({ text, values }) => connection.all(text, values),
    *batches(text) {
      let [batch, size]: [SqlRow[], number] = [[], 0];
      for (const row of connection.iterate(text)) {
        batch.push(row);
        size += rowSize(row);
        if (batch.length < MAX_BATCH_ROWS && size < MAX_BATCH_SIZE) continue;
        yield batch;
        [batch, size] = [[], 0];
      }
      if (batch.length > 0) yield batch;
    },
    columns: (table) =>
      connection.all('select name from pragma_table_info(?)', [table]).map((column) => String(column['name'])),
    close: () => connection.close(),
  };
}

/** A file that rows are copied to. @param file exists, with the schema of the model */
export function sqliteCopyTarget(file: string, name?: DriverName): CopyTarget {
  const connection = SqliteConnection.writer(resolve(file), selectDriver(name).driver);
  defineFunctions(connection);
  const inserts = new Map<string, string>();
  return {
    begin() {
      // Rows arrive in no order of their references, which are checked before the commit.
      connection.script('pragma foreign_keys = off');
      connection.script(`pragma cache_size = -${CACHE_KIB}`);
      connection.keepStatementJournalsInMemory();
      try {
        connection.script('begin immediate');
      } catch (error) {
        if (!isBusy(error)) throw error;
        throw new UnusableDatabase('Another process has locked it. End that process, then try again.', {
          cause: error,
        });
      }
    },
    run: ({ text, values }: Statement) => connection.execute(text, values),
    insert(table, rows) {
      const text = inserts.get(table.name) ?? insertInto(table);
      inserts.set(table.name, text);
      for (const [index, values] of rows.entries()) insertRow(index, () => connection.run(text, values));
    },
    commit() {
      const [broken] = connection.all('select "table", parent from pragma_foreign_key_check limit 1');
      if (broken !== undefined)
        throw new Error(
          `rows of ${String(broken['table'])} refer to rows of ${String(broken['parent'])} that do not exist`,
        );
      connection.script('commit');
      connection.emptyWal();
    },
    close: () => connection.close(),
  };
}

/** @throws {RefusedCopyRow} for values that break a rule of the table */
function insertRow(index: number, insert: () => unknown): void {
  try {
    insert();
  } catch (error) {
    throw isConstraintFailure(error) ? new RefusedCopyRow(index, error) : error;
  }
}

function insertInto({ name, columns }: CopiedTable): string {
  const names = columns.map((column) => sqlite.quote(column.name));
  const values = columns.map(({ expression }): string => expression?.('?') ?? '?');
  return `insert into ${sqlite.quote(name)} (${names.join(', ')}) values (${values.join(', ')})`;
}

/** Reads the last numbers of changes and events; null for a file without a schema of Restwright. @param file exists */
export function sqliteNumbers(file: string, name?: DriverName): LastNumbers | null {
  const connection = SqliteConnection.reader(resolve(file), selectDriver(name).driver);
  try {
    const found = connection.get(`select 1 from sqlite_master where name = 'restwright_counts'`);
    return found === null ? null : lastNumbers(connection.get(system.commits().text));
  } finally {
    connection.close();
  }
}
