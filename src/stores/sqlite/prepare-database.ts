import type { Model } from '../../model/model.ts';
import type { Random } from '../../platform/random.ts';
import { schemaOf, storageOf, type TableSchema } from '../sql/schema.ts';
import { schemaChanges } from '../sql/schema-changes.ts';
import { LossySchemaChange, type SchemaStep, SchemaViolation, UnusableDatabase } from '../sql/schema-errors.ts';
import { sqlite } from './dialect.ts';
import { type Connection, isConstraintFailure } from './driver.ts';
import { currentTables, holdsIn, type Storage, tableNames } from './introspection.ts';
import { FORMAT, META, OWN_TABLES, readMeta, UPGRADES, writeMeta } from './own-tables.ts';
import { schemaSteps } from './schema-sql.ts';
import { prepareSearch } from './search-indexes.ts';

const SECRET_BYTES = 32;

/** Makes our own tables in an empty database. @throws {UnusableDatabase} where it belongs to something else or to a newer version */
function prepareOwnTables(connection: Connection, random: Random): readonly string[] {
  const names = tableNames(connection);
  if (names.length === 0) {
    for (const statement of OWN_TABLES) connection.script(statement);
    writeMeta(connection, META.format, String(FORMAT));
    writeMeta(connection, META.storage, '{}');
    writeMeta(connection, META.secret, random.hex(SECRET_BYTES));
    return OWN_TABLES;
  }
  if (!names.includes('restwright_meta')) {
    throw new UnusableDatabase('It holds tables that Restwright did not make. Give the API a database of its own.');
  }
  const format = Number(readMeta(connection, META.format));
  if (format >= 1 && format <= FORMAT) return upgrade(connection, format);
  throw new UnusableDatabase(
    `It has format ${format}, and this version of Restwright reads format ${FORMAT}. Use the version that made it, or a newer one.`,
  );
}

/** Brings our own tables from an older format to today's. */
function upgrade(connection: Connection, from: number): readonly string[] {
  const statements: string[] = [];
  for (let format = from; format < FORMAT; format += 1) statements.push(...(UPGRADES.get(format) ?? []));
  for (const statement of statements) connection.script(statement);
  if (from < FORMAT) writeMeta(connection, META.format, String(FORMAT));
  return statements;
}

function readStorage(connection: Connection): Storage {
  const storage: Storage = JSON.parse(readMeta(connection, META.storage) ?? '{}');
  return storage;
}

function recordStorage(connection: Connection, declared: readonly TableSchema[]): void {
  const storage: Storage = Object.fromEntries(
    declared.map(({ name, columns }) => [
      name,
      Object.fromEntries(columns.map((column) => [column.name, storageOf(column.type)])),
    ]),
  );
  writeMeta(connection, META.storage, JSON.stringify(storage));
}

/** Counts the rows of all resources anew: the counters that `PAGE-9` reads are kept by the commits that follow. */
function recount(connection: Connection, declared: readonly TableSchema[]): void {
  connection.run('delete from restwright_counts');
  for (const { name, kind } of declared) {
    if (kind === 'links') continue;
    const counted = `select ?, count(*), (select revision from restwright_sequences) from ${sqlite.quote(name)}`;
    connection.run(`insert into restwright_counts ${counted}`, [name]);
  }
}

function runStep(connection: Connection, { sql, reason }: SchemaStep): void {
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

function checkReferences(connection: Connection): void {
  const [broken] = connection.all('select "table", parent from pragma_foreign_key_check limit 1');
  if (broken === undefined) return;
  const [from, to] = [String(broken['table']), String(broken['parent'])];
  throw new SchemaViolation(
    `Rows of ${from} refer to rows of ${to} that do not exist, and the model declares the reference. Change the rows first.`,
  );
}

/** Brings the tables to the model. @throws {LossySchemaChange} before anything is lost */
function prepareTables(connection: Connection, model: Model): readonly string[] {
  const declared = schemaOf(model);
  const current = currentTables(connection, readStorage(connection));
  const changes = schemaChanges(current, declared, holdsIn(connection));
  const steps = schemaSteps(changes, declared, new Set(current.map(({ name }) => name)));
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
export function prepareDatabase(connection: Connection, model: Model, random: Random): readonly string[] {
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

/** The key that seals cursors, as it was made with the database. */
export function readSecret(connection: Connection): Uint8Array {
  const secret = readMeta(connection, META.secret);
  if (secret === null) throw new UnusableDatabase('It has lost its secret. Restore it from a backup.');
  return new Uint8Array(Buffer.from(secret, 'hex'));
}
