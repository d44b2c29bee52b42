import type { Model } from '../../../model/model.ts';
import type { Random } from '../../../platform/random.ts';
import { schemaOf, storageType, type TableSchema } from '../../sql/schema/schema.ts';
import { schemaChanges } from '../../sql/schema/schema-changes.ts';
import {
  LossySchemaChange,
  type SchemaStep,
  SchemaViolation,
  UnusableDatabase,
} from '../../sql/schema/schema-errors.ts';
import { sqlite } from '../dialect.ts';
import { type SqliteConnection, isConstraintFailure } from '../connection/sqlite-connection.ts';
import { currentTables, hasRowsIn, type StorageTypes, tableNames } from './introspection.ts';
import { FORMAT, META, SYSTEM_TABLES, readMeta, UPGRADES, writeMeta } from './system-tables.ts';
import { schemaSteps } from './schema-sql.ts';
import { prepareSearch, searchChanges } from './search-indexes.ts';

const SECRET_BYTES = 32;

const CHANGED =
  'Another program has changed it, and a process that joins others changes nothing. ' +
  'Serve the model that it was changed for, or start all anew to bring it to this one.';

/** The format of our own tables; 0 in an empty database. @throws {UnusableDatabase} where it belongs to something else or to a newer version */
function formatOf(connection: SqliteConnection): number {
  const names = tableNames(connection);
  if (names.length === 0) return 0;
  if (!names.includes('restwright_meta')) {
    throw new UnusableDatabase('It holds tables that Restwright did not make. Give the API a database of its own.');
  }
  const format = Number(readMeta(connection, META.format));
  if (format >= 1 && format <= FORMAT) return format;
  throw new UnusableDatabase(
    `It has format ${format}, and this version of Restwright reads format ${FORMAT}. Use the version that made it, or a newer one.`,
  );
}

/** Makes our own tables in an empty database, or brings them from an older format to today's. */
function prepareOwnTables(connection: SqliteConnection, random: Random): readonly string[] {
  const from = formatOf(connection);
  if (from === FORMAT) return [];
  const statements = from === 0 ? SYSTEM_TABLES : upgradesFrom(from);
  for (const statement of statements) connection.script(statement);
  writeMeta(connection, META.format, String(FORMAT));
  if (from === 0) {
    writeMeta(connection, META.storage, '{}');
    writeMeta(connection, META.secret, random.hex(SECRET_BYTES));
  }
  return statements;
}

function upgradesFrom(from: number): readonly string[] {
  const statements: string[] = [];
  for (let format = from; format < FORMAT; format += 1) statements.push(...(UPGRADES.get(format) ?? []));
  return statements;
}

function readStorage(connection: SqliteConnection): StorageTypes {
  const storage: StorageTypes = JSON.parse(readMeta(connection, META.storage) ?? '{}');
  return storage;
}

function recordStorage(connection: SqliteConnection, declared: readonly TableSchema[]): void {
  const storage: StorageTypes = Object.fromEntries(
    declared.map(({ name, columns }) => [
      name,
      Object.fromEntries(columns.map((column) => [column.name, storageType(column.type)])),
    ]),
  );
  writeMeta(connection, META.storage, JSON.stringify(storage));
}

/** Counts the rows of all resources anew: the counters that `PAGE-9` reads are kept by the commits that follow. */
function recount(connection: SqliteConnection, declared: readonly TableSchema[]): void {
  connection.run('delete from restwright_counts');
  for (const { name, kind } of declared) {
    if (kind === 'links') continue;
    const counted = `select ?, count(*), (select revision from restwright_sequences) from ${sqlite.quote(name)}`;
    connection.run(`insert into restwright_counts ${counted}`, [name]);
  }
}

function runStep(connection: SqliteConnection, { sql, reason }: SchemaStep): void {
  try {
    connection.script(sql);
  } catch (error) {
    if (!isConstraintFailure(error)) throw error;
    throw new SchemaViolation(
      `Stored rows break a rule that the model newly declares (${reason}). Change the rows first.\n${sql}`,
      {
        cause: error,
      },
    );
  }
}

function checkReferences(connection: SqliteConnection): void {
  const [broken] = connection.all('select "table", parent from pragma_foreign_key_check limit 1');
  if (broken === undefined) return;
  const [from, to] = [String(broken['table']), String(broken['parent'])];
  throw new SchemaViolation(
    `Rows of ${from} refer to rows of ${to} that do not exist, and the model declares the reference. Change the rows first.`,
  );
}

/** What brings the tables to the model. */
function tableSteps(connection: SqliteConnection, declared: readonly TableSchema[]): readonly SchemaStep[] {
  const current = currentTables(connection, readStorage(connection));
  const changes = schemaChanges(current, declared, hasRowsIn(connection));
  return schemaSteps(changes, declared, new Set(current.map(({ name }) => name)));
}

/** Brings the tables to the model. @throws {LossySchemaChange} before anything is lost */
function prepareTables(connection: SqliteConnection, model: Model): readonly string[] {
  const declared = schemaOf(model);
  const steps = tableSteps(connection, declared);
  if (steps.some(({ lossy }) => lossy)) throw new LossySchemaChange(steps);
  for (const step of steps) runStep(connection, step);
  if (steps.length === 0) return [];
  checkReferences(connection);
  recordStorage(connection, declared);
  recount(connection, declared);
  return steps.map(({ sql }) => sql);
}

/**
 * Brings a database to the model in one transaction that holds the write lock, so that processes that start together follow one
 * another: the second finds nothing left to do.
 *
 * @returns the statements that changed the schema
 * @throws {LossySchemaChange} {SchemaViolation} {UnusableDatabase} with the database as it was
 */
export function prepareDatabase(connection: SqliteConnection, model: Model, random: Random): readonly string[] {
  connection.script('pragma foreign_keys = off');
  connection.script('begin immediate');
  try {
    const statements = [
      ...prepareOwnTables(connection, random),
      ...prepareTables(connection, model),
      ...prepareSearch(connection, model),
    ];
    connection.script('commit');
    connection.script('pragma foreign_keys = on');
    return statements;
  } catch (error) {
    if (connection.inTransaction) connection.script('rollback');
    throw error;
  }
}

/**
 * Makes sure that a database is as a model has it, and changes nothing.
 *
 * @throws {UnusableDatabase} where it is not
 */
export function verifyDatabase(connection: SqliteConnection, model: Model): void {
  connection.script('begin');
  try {
    const missing = missingIn(connection, model);
    if (missing.length > 0) throw new UnusableDatabase(`${CHANGED} The model asks for:\n${missing.join('\n')}`);
  } finally {
    connection.script('rollback');
  }
}

function missingIn(connection: SqliteConnection, model: Model): readonly string[] {
  const format = formatOf(connection);
  if (format === 0) throw new UnusableDatabase('It is empty. Put it back as it was, or start all anew.');
  // A copy that was put in its place may be in another mode, which only the first start sets.
  const mode = connection.pragma('journal_mode') === 'wal' ? [] : ['pragma journal_mode = wal'];
  if (format < FORMAT) return [...mode, ...upgradesFrom(format)];
  const steps = tableSteps(connection, schemaOf(model)).map(({ sql }) => sql);
  return [...mode, ...steps, ...searchChanges(connection, model)];
}

/** The key that seals cursors, as it was made with the database. */
export function readSecret(connection: SqliteConnection): Uint8Array {
  const secret = readMeta(connection, META.secret);
  if (secret === null) throw new UnusableDatabase('It has lost its secret. Restore it from a backup.');
  return new Uint8Array(Buffer.from(secret, 'hex'));
}
