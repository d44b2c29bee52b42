import { askRows, questionStatements, type StoredRows } from '../../sql/schema/stored-rows.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { sqlite } from '../dialect/sqlite-dialect.ts';

/** Reads the answers to questions about the rows of a database. */
export function sqliteStoredRows(connection: SqliteConnection): StoredRows {
  return askRows(sqlite, (question) => {
    const { count, ids } = questionStatements(sqlite, question, '_rowid_');
    const rows = Number(connection.get(count)?.['number']);
    if (rows === 0 || !question.shown) return { rows, ids: [] };
    return { rows, ids: connection.all(ids).map(({ id }) => String(id)) };
  });
}
