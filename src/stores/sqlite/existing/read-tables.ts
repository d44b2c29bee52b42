import type { SqlValue } from '../../sql/dialect.ts';
import type { NamedColumn, NamedTable } from '../../sql/existing/found-table.ts';
import { SYSTEM_PREFIX } from '../../sql/schema/system-tables.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';

/** The name of the database that has the tables: the main one where they are written, or a file that is attached. */
export type TablesSchema = 'main' | typeof SOURCE;

/** The name under which the file of another program is attached. */
export const SOURCE = 'source';

/** The type that SQLite prefers for the values of a column, whatever it stores. */
export type Affinity = 'INTEGER' | 'TEXT' | 'BLOB' | 'REAL' | 'NUMERIC';

/** A column of a table or view. */
export interface SourceColumn extends NamedColumn {
  readonly declared: string;
  readonly affinity: Affinity;
}

/** A table or view of another program. */
export interface SourceTable extends NamedTable<SourceColumn> {
  readonly schema: TablesSchema;
  /** True for a table whose rows can be written: no view, and none of an extension. */
  readonly isWritable: boolean;
  /** The name of its rowid; null for a view, and a table without one. */
  readonly rowid: string | null;
}

/** Lists the names of the tables and views of another program. */
export function listTableNames(connection: SqliteConnection, schema: TablesSchema): readonly string[] {
  const rows = connection.all(
    `select name from ${schema}.sqlite_schema where type in ('table', 'view')
and name not like 'sqlite\\_%' escape '\\' and substr(name, 1, ${SYSTEM_PREFIX.length}) <> '${SYSTEM_PREFIX}' order by name`,
  );
  return rows.map(({ name }) => String(name));
}

/** Reads a table or view, by its name. */
export function readTable(connection: SqliteConnection, schema: TablesSchema, name: string): SourceTable {
  const facts = connection.get('select type, wr from pragma_table_list where schema = ? and name = ?', [schema, name]);
  const rows = connection.all(
    'select name, type, "notnull" as required, pk, hidden from pragma_table_xinfo(?, ?) where hidden <> 1 order by cid',
    [name, schema],
  );
  const hasRowid = facts?.['type'] !== 'view' && Number(facts?.['wr']) === 0;
  const isAlias = (row: (typeof rows)[number]): boolean => {
    const isOnly = rows.filter(({ pk }) => Number(pk) > 0).length === 1;
    return hasRowid && isOnly && Number(row['pk']) === 1 && /^integer$/i.test(String(row['type']));
  };
  const columns = rows.map((row) => {
    const [column, declared] = [String(row['name']), String(row['type'])];
    const required = Number(row['required']) === 1 || isAlias(row) || (!hasRowid && Number(row['pk']) > 0);
    return { name: column, declared, affinity: findAffinity(declared), required, place: Number(row['pk']) };
  });
  const taken = new Set(columns.map((column) => column.name.toLowerCase()));
  const rowid = hasRowid ? (['rowid', '_rowid_', 'oid'].find((each) => !taken.has(each)) ?? null) : null;
  return { schema, name, isWritable: facts?.['type'] === 'table', columns, rowid };
}

/** Finds the affinity of a declared type, by SQLite's rules. */
export function findAffinity(declared: string): Affinity {
  const type = declared.toUpperCase();
  if (type.includes('INT')) return 'INTEGER';
  if (/CHAR|CLOB|TEXT/.test(type)) return 'TEXT';
  if (type === '' || type === 'ANY' || type.includes('BLOB')) return 'BLOB';
  return /REAL|FLOA|DOUB/.test(type) ? 'REAL' : 'NUMERIC';
}

/** Writes the qualified name of a table. */
export function qualifyTable({ schema, name }: Pick<SourceTable, 'schema' | 'name'>): string {
  return `${schema}.${quoteName(name)}`;
}

/** Rows in which a value is looked for, by which the form of a column is known. */
const SAMPLED_ROWS = 1_000;

/** Reads a value of a column that is not NULL; null where the first rows have none. */
export function sampleColumn(connection: SqliteConnection, table: SourceTable, column: string): SqlValue {
  const rows = `select ${quoteName(column)} as value from ${qualifyTable(table)} limit ${SAMPLED_ROWS}`;
  return connection.get(`select value from (${rows}) where value is not null limit 1`)?.['value'] ?? null;
}
