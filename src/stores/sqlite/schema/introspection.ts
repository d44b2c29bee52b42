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
const OWN_TABLES = `(select name from sqlite_schema
where type = 'table' and name not like 'sqlite\\_%' escape '\\' and substr(name, 1, ${SYSTEM_PREFIX.length}) <> '${SYSTEM_PREFIX}') as owner`;

// One statement each for all tables: a statement for each table has SQLite read its whole schema every time.
const COLUMNS = `select owner.name as "table", part.name, part."notnull" as required,
  part.dflt_value is not null as defaulted, part.pk as place
from ${OWN_TABLES} cross join pragma_table_info(owner.name) as part order by owner.name, part.cid`;

const FOREIGN_KEYS = `select owner.name as "table", part.id, part."from" as "column", part."to" as key, part."table" as target,
  part.on_delete
from ${OWN_TABLES} cross join pragma_foreign_key_list(owner.name) as part order by owner.name, part.id, part.seq`;

/** Indexes of constraints have no SQL. */
const INDEXES = `select tbl_name as "table", name, sql from sqlite_schema
where type = 'index' and sql is not null order by name`;

function readByTable(connection: SqliteConnection, text: string): ReadonlyMap<string, readonly SqlRow[]> {
  return Map.groupBy(connection.all(text), (row) => String(row['table']));
}

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
 * @throws {UnusableDatabase} where another program created one of their columns
 */
export function currentTables(connection: SqliteConnection, storage: StorageTypes): readonly CurrentTable[] {
  const columns = readByTable(connection, COLUMNS);
  const foreignKeys = readByTable(connection, FOREIGN_KEYS);
  const indexes = readByTable(connection, INDEXES);
  return [...columns].map(([name, rows]) => ({
    name,
    kind: name.includes('.') ? 'links' : 'rows',
    columns: toColumns(name, rows, storage),
    primaryKey: toPrimaryKey(rows),
    foreignKeys: toForeignKeys(foreignKeys.get(name) ?? []),
    ...toIndexes(indexes.get(name) ?? []),
  }));
}
