import type { StorageTypes } from '../../sql/schema/migration.ts';
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

function currentColumns(connection: SqliteConnection, table: string, storage: StorageTypes): CurrentTable['columns'] {
  return connection
    .all('select name, "notnull" as required, dflt_value is not null as defaulted from pragma_table_info(?)', [table])
    .map((column) => {
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

function currentForeignKeys(connection: SqliteConnection, table: string): CurrentTable['foreignKeys'] {
  const read = connection.all(
    'select id, "from" as "column", "to" as key, "table", on_delete from pragma_foreign_key_list(?) order by id, seq',
    [table],
  );
  return [...Map.groupBy(read, ({ id }) => id).values()].map((parts) => ({
    columns: parts.map(({ column }) => String(column)),
    table: String(parts[0]?.['table']),
    keys: parts.map(({ key }) => String(key)),
    cascade: parts[0]?.['on_delete'] === 'CASCADE',
  }));
}

function currentPrimaryKey(connection: SqliteConnection, table: string): readonly string[] {
  return connection
    .all('select name from pragma_table_info(?) where pk > 0 order by pk', [table])
    .map(({ name }) => String(name));
}

function currentIndexes(connection: SqliteConnection, table: string): Pick<CurrentTable, 'indexes' | 'definitions'> {
  const read = connection.all(
    `select list.name, object.sql from pragma_index_list(?) as list join sqlite_schema as object on object.name = list.name
where origin = 'c' order by list.name`,
    [table],
  );
  return {
    indexes: read.map(({ name }) => String(name)),
    definitions: Object.fromEntries(read.map(({ name, sql }) => [String(name), String(sql)])),
  };
}

/**
 * The tables of rows and links in the database.
 *
 * @throws {UnusableDatabase} where another program created one of their columns
 */
export function currentTables(connection: SqliteConnection, storage: StorageTypes): readonly CurrentTable[] {
  return tableNames(connection)
    .filter((name) => !name.startsWith(SYSTEM_PREFIX))
    .map((name) => ({
      name,
      kind: name.includes('.') ? 'links' : 'rows',
      columns: currentColumns(connection, name, storage),
      primaryKey: currentPrimaryKey(connection, name),
      foreignKeys: currentForeignKeys(connection, name),
      ...currentIndexes(connection, name),
    }));
}
