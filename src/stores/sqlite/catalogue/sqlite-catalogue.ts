import { resolve } from 'node:path';
import type {
  CatalogueEntry,
  ClosedReason,
  DatabaseCatalogue,
  DeclaredForeignKey,
  DescribedTable,
} from '../../../introspect/database.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import { SYSTEM_PREFIX } from '../../sql/schema/system-tables.ts';
import { METADATA } from '../../sql/system-statements.ts';
import { BUSY_TIMEOUT } from '../connection/sqlite-connection.ts';
import type { DriverConnection, DriverName } from '../driver/driver.ts';
import { selectDriver } from '../driver/select-driver.ts';
import { countEndRows } from './column-sample.ts';
import { describeTable, type TableRows } from './describe-table.ts';
import { explainError } from './explain-error.ts';

const TABLES = `select name, type, sql from sqlite_schema where type in ('table', 'view') order by name`;
/** Its `type` distinguishes virtual tables and their storage. */
const KINDS = `select name, type, wr from pragma_table_list where schema = 'main'`;

/** One statement each for all tables, as in `currentTables`. */
const NAMES = '(select value as name from json_each(?)) as owner';
const COLUMNS = `select owner.name as "table", part.name, part.type, part."notnull" as required, part.dflt_value, part.pk,
  part.hidden from ${NAMES} cross join pragma_table_xinfo(owner.name) as part order by part.cid`;
const FOREIGN_KEYS = `select owner.name as "table", part.id, part."table" as target, part."from" as "column", part."to" as key
  from ${NAMES} cross join pragma_foreign_key_list(owner.name) as part order by part.id desc, part.seq`;
/** A column without a name is an expression. */
const UNIQUE_INDEXES = `select owner.name as "table", listed.name as "index", part.name as "column"
  from ${NAMES} cross join pragma_index_list(owner.name) as listed cross join pragma_index_info(listed.name) as part
  where listed."unique" = 1 and listed.partial = 0 order by listed.seq desc, part.seqno`;

interface SqliteCatalogueOptions {
  /** Default: as `selectDriver` has it. */
  readonly driver?: DriverName | undefined;
  /** Milliseconds that a statement waits for a lock. Default: those of other connections. */
  readonly timeout?: number;
}

/**
 * Opens the catalogue of a SQLite file, which is only read. All of it is as it was when it was listed.
 *
 * @throws {UnusableDatabase} for a file that cannot be opened or read
 */
export function openSqliteCatalogue(
  file: string,
  { driver, timeout = BUSY_TIMEOUT }: SqliteCatalogueOptions = {},
): DatabaseCatalogue {
  const connection = explainError(file, () =>
    selectDriver(driver).driver.open(resolve(file), { mode: 'read-only', timeout }),
  );
  return {
    defaultSchema: null,
    list: async () => explainError(file, () => listEntries(connection)),
    describe: async (names) => explainError(file, () => describeTables(connection, names)),
    close: async () => connection.close(),
  };
}

function listEntries(connection: DriverConnection): readonly CatalogueEntry[] {
  if (!connection.inTransaction) connection.exec('begin');
  const rows = connection.prepare(TABLES).all();
  const kinds = new Map(
    connection
      .prepare(KINDS)
      .all()
      .map((row) => [row['name'], String(row['type'])]),
  );
  const names = rows.map((row) => String(row['name']));
  const own = readOwnTables(connection, names);
  return rows.map((row) => {
    const table = String(row['name']);
    const closed = own.has(table) ? 'model' : findReason(table, kinds.get(table));
    return { name: table, schema: null, kind: row['type'] === 'view' ? 'view' : 'table', closed };
  });
}

function findReason(name: string, kind: string | undefined): ClosedReason | null {
  if (/^sqlite_/i.test(name)) return 'system';
  if (name.startsWith(SYSTEM_PREFIX)) return 'restwright';
  return kind === 'virtual' || kind === 'shadow' ? kind : null;
}

/** The tables of a model whose database the file is. */
function readOwnTables(connection: DriverConnection, names: readonly string[]): ReadonlySet<string> {
  if (!names.includes(`${SYSTEM_PREFIX}meta`)) return new Set();
  const statement = connection.prepare(`select value from ${SYSTEM_PREFIX}meta where name = ?`);
  const stored = statement.get(METADATA.storageTypes)?.['value'];
  return new Set(Object.keys(JSON.parse(String(stored ?? '{}'))));
}

function describeTables(connection: DriverConnection, names: readonly string[]): readonly DescribedTable[] {
  const read = (text: string): ReadonlyMap<string, readonly SqlRow[]> =>
    Map.groupBy(connection.prepare(text).all(JSON.stringify(names)), (row) => String(row['table']));
  const [columns, foreignKeys, indexes] = [read(COLUMNS), read(FOREIGN_KEYS), read(UNIQUE_INDEXES)];
  const sql = new Map(
    connection
      .prepare(TABLES)
      .all()
      .map((row) => [row['name'], String(row['sql'])]),
  );
  const kinds = new Map(
    connection
      .prepare(KINDS)
      .all()
      .map((row) => [row['name'], row]),
  );
  const declared: NamesByTable = new Map(
    [...columns].map(([table, rows]) => [
      table.toLowerCase(),
      { table, columns: rows.map((row) => String(row['name'])) },
    ]),
  );
  const endRows = countEndRows([...columns.values()].reduce((sum, { length }) => sum + length, 1));
  return names.map((name) => {
    const rows: TableRows = {
      name,
      sql: sql.get(name) ?? '',
      hasRowId: kinds.get(name)?.['wr'] !== 1,
      columns: columns.get(name) ?? [],
      endRows,
      uniqueKeys: toUniqueKeys(indexes.get(name) ?? []),
      foreignKeys: toForeignKeyList(foreignKeys.get(name) ?? [], declared),
    };
    return describeTable(connection, rows);
  });
}

function toUniqueKeys(rows: readonly SqlRow[]): DescribedTable['uniqueKeys'] {
  const indexes = Map.groupBy(rows, (row) => row['index']).values();
  return [...indexes]
    .filter((parts) => parts.every(({ column }) => column !== null))
    .map((parts) => parts.map(({ column }) => String(column)));
}

/** The names of tables and of their columns, by the name of the table in lower case. */
type NamesByTable = ReadonlyMap<string, { readonly table: string; readonly columns: readonly string[] }>;

/** A foreign key may name its table and the columns of that in any case. */
function toForeignKeyList(rows: readonly SqlRow[], declared: NamesByTable): readonly DeclaredForeignKey[] {
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((parts) => {
    const target = String(parts[0]?.['target']);
    const { table, columns } = declared.get(target.toLowerCase()) ?? { table: target, columns: [] };
    const keys = parts.flatMap(({ key }) => (key === null ? [] : [String(key)]));
    return {
      columns: parts.map(({ column }) => String(column)),
      table,
      keys: keys.map((key) => columns.find((name) => name.toLowerCase() === key.toLowerCase()) ?? key),
    };
  });
}
