import type { FoundRows, KeyPart, StoredRows } from '../../sql/schema/stored-rows.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { sqlite } from '../dialect.ts';
import { rowValue } from '../../sql/tables.ts';

const { quote } = sqlite;

/** The number of ids that a plan shows. */
const SHOWN = 3;

/** Counts the rows of a database. */
export class SqliteStoredRows implements StoredRows {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  count(table: string): number {
    return Number(this.#connection.get(`select count(*) as number from ${quote(table)}`)?.['number']);
  }

  all(table: string): FoundRows {
    return this.#find(table, 'true');
  }

  countValues(table: string, column: string): number {
    const read = this.#connection.get(`select count(${quote(column)}) as number from ${quote(table)}`);
    return Number(read?.['number']);
  }

  withNull(table: string, column: string): FoundRows {
    return this.#find(table, `${quote(column)} is null`);
  }

  duplicates(table: string, key: readonly KeyPart[]): FoundRows {
    const parts = key.map(({ column, members, type }) =>
      members.length === 0 ? quote(column) : sqlite.member(quote(column), members, type).expression,
    );
    const expression = rowValue(parts);
    const known = parts.map((part) => `${part} is not null`).join(' and ');
    const repeated = `select ${parts.join(', ')} from ${quote(table)} where ${known} group by ${parts.join(', ')} having count(*) > 1`;
    return this.#find(table, `${expression} in (${repeated})`);
  }

  dangling(table: string, column: string, target: string | null): FoundRows {
    const known = target === null ? '' : ` and ${quote(column)} not in (select ${quote('id')} from ${quote(target)})`;
    return this.#find(table, `${quote(column)} is not null${known}`);
  }

  #find(table: string, condition: string): FoundRows {
    const from = `from ${quote(table)} where ${condition}`;
    const rows = Number(this.#connection.get(`select count(*) as number ${from}`)?.['number']);
    if (rows === 0) return { rows, ids: [] };
    const ids = this.#connection.all(`select ${quote('id')} as id ${from} order by _rowid_ limit ${SHOWN}`);
    return { rows, ids: ids.map(({ id }) => String(id)) };
  }
}
