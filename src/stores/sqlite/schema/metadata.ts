import type { FieldRules } from '../../sql/schema/field-rules.ts';
import type { StorageTypes } from '../../sql/schema/migration.ts';
import { SystemStatements } from '../../sql/system-statements.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { sqlite } from '../dialect/sqlite-dialect.ts';

const system = new SystemStatements(sqlite);

/** Reads a value of the metadata; null where it is missing. */
export function readMetadata(connection: SqliteConnection, name: string): string | null {
  const { text, values } = system.metadata(name);
  const row = connection.get(text, values);
  return row === null ? null : String(row['value']);
}

/** A JSON object in the metadata; empty where it is missing. */
export function readJsonMetadata(connection: SqliteConnection, name: string): StorageTypes | FieldRules {
  return JSON.parse(readMetadata(connection, name) ?? '{}');
}
