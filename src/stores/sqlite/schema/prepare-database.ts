import type { Model } from '../../../model/model.ts';
import type { Random } from '../../../platform/random.ts';
import {
  brokenReference,
  databaseFormat,
  metadataChanges,
  recordStatements,
  requireLossless,
  requireMigrated,
  type StorageTypes,
  systemTableChanges,
  violatedStep,
} from '../../sql/schema/migration.ts';
import { schemaOf, type TableSchema } from '../../sql/schema/schema.ts';
import { schemaChanges } from '../../sql/schema/schema-changes.ts';
import { type SchemaStep, UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { FORMAT, METADATA } from '../../sql/schema/system-tables.ts';
import { SystemStatements } from '../../sql/system-statements.ts';
import { isConstraintFailure, type SqliteConnection } from '../connection/sqlite-connection.ts';
import { sqlite } from '../dialect.ts';
import { currentTables, hasRowsIn, tableNames } from './introspection.ts';
import { schemaSteps } from './schema-sql.ts';
import { prepareSearch, searchChanges } from './search-indexes.ts';

const system = new SystemStatements(sqlite);

function readMetadata(connection: SqliteConnection, name: string): string | null {
  const { text, values } = system.metadata(name);
  const row = connection.get(text, values);
  return row === null ? null : String(row['value']);
}

function formatOf(connection: SqliteConnection): number {
  return databaseFormat(tableNames(connection), () => readMetadata(connection, METADATA.format));
}

function prepareSystemTables(connection: SqliteConnection, random: Random): readonly string[] {
  const format = formatOf(connection);
  const statements = systemTableChanges(format, sqlite);
  for (const statement of statements) connection.script(statement);
  const metadata = metadataChanges(format, system, (bytes) => random.hex(bytes));
  for (const { text, values } of metadata) connection.run(text, values);
  return statements;
}

/** The steps that migrate the tables to the model. */
function tableSteps(connection: SqliteConnection, declared: readonly TableSchema[]): readonly SchemaStep[] {
  const storageTypes: StorageTypes = JSON.parse(readMetadata(connection, METADATA.storageTypes) ?? '{}');
  const current = currentTables(connection, storageTypes);
  const changes = schemaChanges(current, declared, hasRowsIn(connection));
  return schemaSteps(changes, declared, new Set(current.map(({ name }) => name)));
}

/** Migrates the tables to the model. @throws {LossySchemaChange} before anything is lost */
function prepareTables(connection: SqliteConnection, model: Model): readonly string[] {
  const declared = schemaOf(model);
  const steps = tableSteps(connection, declared);
  requireLossless(steps);
  if (steps.length === 0) return [];
  for (const step of steps) runStep(connection, step);
  checkReferences(connection);
  for (const { text, values } of recordStatements(declared, system, sqlite)) connection.run(text, values);
  return steps.map(({ sql }) => sql);
}

function runStep(connection: SqliteConnection, step: SchemaStep): void {
  try {
    connection.script(step.sql);
  } catch (error) {
    throw isConstraintFailure(error) ? violatedStep(step, error) : error;
  }
}

function checkReferences(connection: SqliteConnection): void {
  const [broken] = connection.all('select "table", parent, fkid from pragma_foreign_key_check limit 1');
  if (broken === undefined) return;
  const { table, parent, fkid } = broken;
  const columns = connection.all('select seq from pragma_foreign_key_list(?) where id = ?', [
    String(table),
    Number(fkid),
  ]);
  throw brokenReference(String(table), String(parent), columns.length > 1);
}

/** What was done to a database before it is used. */
export interface Preparation {
  /** Whether it was empty. */
  readonly isNew: boolean;
  /** The statements that changed the schema. */
  readonly statements: readonly string[];
}

/**
 * Migrates a database to the model in one transaction that holds the write lock. Of processes that start together the first one migrates; the
 * others find nothing to do.
 *
 * @throws {LossySchemaChange} {SchemaViolation} {UnusableDatabase} with the database unchanged
 */
export function prepareDatabase(connection: SqliteConnection, model: Model, random: Random): Preparation {
  connection.script('pragma foreign_keys = off');
  connection.script('begin immediate');
  try {
    const isNew = formatOf(connection) === 0;
    const statements = [
      ...prepareSystemTables(connection, random),
      ...prepareTables(connection, model),
      ...prepareSearch(connection, model),
    ];
    connection.script('commit');
    connection.script('pragma foreign_keys = on');
    return { isNew, statements };
  } catch (error) {
    if (connection.inTransaction) connection.script('rollback');
    throw error;
  }
}

/** Verifies that a database matches the model, without changing it. @throws {UnusableDatabase} where it does not */
export function verifyDatabase(connection: SqliteConnection, model: Model): void {
  connection.script('begin');
  try {
    requireMigrated(missingStatements(connection, model));
  } finally {
    connection.script('rollback');
  }
}

function missingStatements(connection: SqliteConnection, model: Model): readonly string[] {
  const format = formatOf(connection);
  if (format === 0) throw new UnusableDatabase('It is empty. Restore it, or restart all processes.');
  // A restored copy may have another journal mode, which only a process that migrates changes.
  const mode = connection.pragma('journal_mode') === 'wal' ? [] : ['pragma journal_mode = wal'];
  if (format < FORMAT) return [...mode, ...systemTableChanges(format, sqlite), `-- format ${FORMAT}`];
  const steps = tableSteps(connection, schemaOf(model)).map(({ sql }) => sql);
  return [...mode, ...steps, ...searchChanges(connection, model)];
}

/** The key that seals cursors, generated with the database. @throws {UnusableDatabase} where it is missing */
export function readSecret(connection: SqliteConnection): Uint8Array {
  const secret = readMetadata(connection, METADATA.secret);
  if (secret === null) throw new UnusableDatabase('Its secret is missing. Restore it from a backup.');
  return new Uint8Array(Buffer.from(secret, 'hex'));
}
