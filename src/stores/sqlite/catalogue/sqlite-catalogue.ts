import { resolve } from 'node:path';
import type {
  CatalogueEntry,
  ClosedReason,
  DatabaseCatalogue,
  DeclaredForeignKey,
  DescribedTable,
} from '../../../introspect/database.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import { quoteName } from '../../sql/standard-dialect.ts';
import { SYSTEM_PREFIX } from '../../sql/schema/system-tables.ts';
import { METADATA } from '../../sql/system-statements.ts';
import { BUSY_TIMEOUT } from '../connection/sqlite-connection.ts';
import type { DriverConnection, DriverName } from '../driver/driver.ts';
import { selectDriver } from '../driver/select-driver.ts';
import { sqliteCode } from '../driver/sqlite-errors.ts';
import { countEndRows } from './column-sample.ts';
import { describeTable, type TableRows } from './describe-table.ts';
import { explainError } from './explain-error.ts';
import { describeView } from './view-query.ts';

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
const INDEXES = `select owner.name as "table", listed.name as "index", listed."unique", part.name as "column", part."desc" as descending
  from ${NAMES} cross join pragma_index_list(owner.name) as listed cross join pragma_index_xinfo(listed.name) as part
  where listed.partial = 0 and part.key = 1 order by listed.seq desc, part.seqno`;

const BYTES = 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size';
/** Bytes of a file whose views are sampled. */
const MAX_SAMPLED_VIEWS = 64 * 1024 * 1024;

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
    writeIndex: ({ name }, columns) =>
      `create index ${quoteName(`${name}_${columns[0]}`)} on ${quoteName(name)} (${columns.map(quoteName).join(', ')});`,
    close: async () => connection.close(),
  };
}

function listEntries(connection: DriverConnection): readonly CatalogueEntry[] {
  if (!connection.inTransaction) connection.exec('begin');
  const rows = connection.prepare(TABLES).all();
  const kinds = readKinds(connection);
  const names = rows.map((row) => String(row['name']));
  const own = readOwnTables(connection, names);
  return rows.map((row) => {
    const table = String(row['name']);
    const closed = own.has(table) ? 'model' : findReason(table, kinds.get(table)?.['type']);
    return { name: table, schema: null, kind: row['type'] === 'view' ? 'view' : 'table', closed };
  });
}

function readKinds(connection: DriverConnection): ReadonlyMap<string, SqlRow> {
  const rows = connection.prepare(KINDS).all();
  return new Map(rows.map((row) => [String(row['name']), row]));
}

function findReason(name: string, kind: SqlRow[string] | undefined): ClosedReason | null {
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
  const kinds = readKinds(connection);
  const isView = (name: string): boolean => kinds.get(name)?.['type'] === 'view';
  const tables = JSON.stringify(names.filter((name) => !isView(name)));
  const read = (text: string): ReadonlyMap<string, readonly SqlRow[]> =>
    Map.groupBy(connection.prepare(text).all(tables), (row) => String(row['table']));
  const [columns, foreignKeys, indexes] = [read(COLUMNS), read(FOREIGN_KEYS), read(INDEXES)];
  const statements = connection.prepare(TABLES).all();
  const sql = new Map(statements.map((row) => [String(row['name']), String(row['sql'])]));
  const known = new Map([...sql.keys()].map((name) => [name.toLowerCase(), name]));
  const declared: NamesByTable = new Map(
    [...columns].map(([table, rows]) => [
      table.toLowerCase(),
      { table, columns: rows.map((row) => String(row['name'])) },
    ]),
  );
  const endRows = countEndRows([...columns.values()].reduce((sum, { length }) => sum + length, 1));
  const endRowsOfViews = isSmall(connection) ? endRows : 0;
  return names.map((name) => {
    const statement = sql.get(name) ?? '';
    const view = isView(name) ? describeView(statement, known) : null;
    const rows: TableRows = {
      name,
      sql: statement,
      hasRowId: view === null && kinds.get(name)?.['wr'] !== 1,
      columns: view === null ? (columns.get(name) ?? []) : readViewColumns(connection, name),
      endRows: view === null ? endRows : endRowsOfViews,
      ...toIndexLists(indexes.get(name) ?? []),
      foreignKeys: toForeignKeyList(foreignKeys.get(name) ?? [], declared),
      view,
    };
    return describeTable(connection, rows);
  });
}

/** True for a file whose views are sampled. The first row of a view may take all rows of its tables. */
function isSmall(connection: DriverConnection): boolean {
  return Number(connection.prepare(BYTES).get()?.['bytes']) <= MAX_SAMPLED_VIEWS;
}

/** The columns of a view; none for one that names what the database does not have. */
function readViewColumns(connection: DriverConnection, name: string): readonly SqlRow[] {
  try {
    return connection.prepare(COLUMNS).all(JSON.stringify([name]));
  } catch (error) {
    if (!sqliteCode(error).startsWith('SQLITE_ERROR')) throw error;
    return [];
  }
}

function toIndexLists(rows: readonly SqlRow[]): Pick<DescribedTable, 'uniqueKeys' | 'indexes'> {
  const all = [...Map.groupBy(rows, (row) => row['index']).values()];
  const indexes = all.filter((parts) => parts.every(({ column }) => column !== null));
  const isOrdered = ([first, ...others]: readonly SqlRow[]): boolean =>
    others.every(({ descending }) => descending === first?.['descending']);
  const listColumns = (parts: readonly SqlRow[]): readonly string[] => parts.map(({ column }) => String(column));
  return {
    uniqueKeys: indexes.filter(([first]) => first?.['unique'] === 1).map(listColumns),
    indexes: indexes.filter(isOrdered).map(listColumns),
  };
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
