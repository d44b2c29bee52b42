import type { StorageTypes } from '../../sql/schema/migration.ts';
import type { SqlRow } from '../../sql/dialect.ts';
import type { CurrentTable } from '../../sql/schema/alteration.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { SYSTEM_PREFIX } from '../../sql/schema/system-tables.ts';

/** The names of all tables, system tables included. */
export function tableNames(connection: SqliteConnection): readonly string[] {
  return connection
    .all("select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name")
    .map(({ name }) => String(name));
}

/** The tables of rows and links, for a join. */
const OWN_TABLES = `(select value as name from json_each(?)
where substr(value, 1, ${SYSTEM_PREFIX.length}) <> '${SYSTEM_PREFIX}') as owner`;

// One statement each for all tables: a statement for each table has SQLite read its whole schema every time.
const COLUMNS = `select owner.name as "table", part.name, part."notnull" as required,
  part.dflt_value is not null as defaulted, part.pk as place
from ${OWN_TABLES} cross join pragma_table_info(owner.name) as part order by owner.name, part.cid`;

const FOREIGN_KEYS = `select owner.name as "table", part.id, part."from" as "column", part."to" as key, part."table" as target,
  part.on_delete
from ${OWN_TABLES} cross join pragma_foreign_key_list(owner.name) as part order by owner.name, part.id, part.seq`;

/** Indexes of constraints have no SQL. */
const INDEXES = `select tbl_name as "table", name, sql from sqlite_schema
where type = 'index' and sql is not null and tbl_name in (select value from json_each(?)) order by name`;

function toColumns(table: string, rows: readonly SqlRow[], storage: StorageTypes): CurrentTable['columns'] {
  return rows.map((column) => {
    const name = String(column['name']);
    const stored = storage[table]?.[name];
    if (stored === undefined) {
      throw new UnusableDatabase(
        `The column ${table}.${name} was not created by Restwright. Remove it, or use a separate database for the API.`,
      );
    }
    return { name, storageType: stored, nullable: column['required'] === 0, hasDefault: column['defaulted'] === 1 };
  });
}

function toPrimaryKey(columns: readonly SqlRow[]): readonly string[] {
  return columns
    .filter(({ place }) => Number(place) > 0)
    .toSorted((one, other) => Number(one['place']) - Number(other['place']))
    .map(({ name }) => String(name));
}

function toForeignKeys(rows: readonly SqlRow[]): CurrentTable['foreignKeys'] {
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((parts) => ({
    columns: parts.map(({ column }) => String(column)),
    table: String(parts[0]?.['target']),
    keys: parts.map(({ key }) => String(key)),
    cascade: parts[0]?.['on_delete'] === 'CASCADE',
  }));
}

function toIndexes(rows: readonly SqlRow[]): Pick<CurrentTable, 'indexes' | 'definitions'> {
  return {
    indexes: rows.map(({ name }) => String(name)),
    definitions: Object.fromEntries(rows.map(({ name, sql }) => [String(name), String(sql)])),
  };
}

/**
 * The tables of rows and links in the database.
 *
 * @param names those of its tables, other than tables of another program
 * @throws {UnusableDatabase} where another program created one of their columns
 */
export function currentTables(
  connection: SqliteConnection,
  names: readonly string[],
  storage: StorageTypes,
): readonly CurrentTable[] {
  const readByTable = (text: string): ReadonlyMap<string, readonly SqlRow[]> =>
    Map.groupBy(connection.all(text, [JSON.stringify(names)]), (row) => String(row['table']));
  const columns = readByTable(COLUMNS);
  const foreignKeys = readByTable(FOREIGN_KEYS);
  const indexes = readByTable(INDEXES);
  return [...columns].map(([name, rows]) => ({
    name,
    kind: name.includes('.') ? 'links' : 'rows',
    columns: toColumns(name, rows, storage),
    primaryKey: toPrimaryKey(rows),
    foreignKeys: toForeignKeys(foreignKeys.get(name) ?? []),
    ...toIndexes(indexes.get(name) ?? []),
  }));
}

/**
 * Checks that no table of another program has the name of an own table that is to be created.
 *
 * @param current the tables that are own ones already
 * @throws {UnusableDatabase}
 */
export function requireFreeNames(
  connection: SqliteConnection,
  declared: readonly Pick<CurrentTable, 'name'>[],
  current: readonly Pick<CurrentTable, 'name'>[],
): void {
  const own = new Set(current.map(({ name }) => name));
  const others = tableNames(connection).filter((name) => !own.has(name));
  const taken = declared.find(({ name }) => others.some((other) => other.toLowerCase() === name.toLowerCase()));
  if (taken === undefined) return;
  throw new UnusableDatabase(
    `The resource ${taken.name} has rows of its own, and there is a table of that name of another program. Show it with table, or rename the resource.`,
  );
}
