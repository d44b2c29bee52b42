import { existsSync, statSync } from 'node:fs';
import type { Model } from '../../../model/model.ts';
import { hasRoles } from '../../../model/auth-rules.ts';
import { readsTablesOnly } from '../../../model/table-source.ts';
import type { Observe } from '../../../observe/observation.ts';
import type { Random } from '../../../platform/random.ts';
import type { ExistingTables } from '../../sql/existing/existing-table.ts';
import { misfitReporter } from '../../sql/existing/found-table.ts';
import type { MigrationPhase } from '../../sql/schema/current-models.ts';
import { type Consent, UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { SqliteConnection, type WriterOptions } from '../connection/sqlite-connection.ts';
import type { Driver, DriverName } from '../driver/driver.ts';
import { sqliteCode } from '../driver/sqlite-errors.ts';
import { type DatabaseFile, locateFile } from '../health/database-files.ts';
import { type Preparation, prepareDatabase, verifyDatabase } from '../schema/prepare-database.ts';
import { findTables } from './find-tables.ts';
import { createViews, openSource, openWritable, requireUris, type TableViews } from './open-source.ts';
import { sampleColumn, SOURCE } from './read-tables.ts';
import { compileView } from './source-view.ts';

/** The file of another program, whose tables a model shows. */
export interface ExistingFile extends TableViews {
  readonly file: DatabaseFile;
  readonly tables: ExistingTables;
  /** Leaves the folder of the file as it was. Call it once all connections are closed. */
  readonly close: () => void;
}

interface ExistingOptions {
  readonly model: Model;
  readonly driver: Driver;
  readonly observe: Observe;
  readonly random: Random;
  readonly writer?: WriterOptions | undefined;
  readonly migrate?: boolean;
  readonly consent?: Consent;
  readonly phase?: MigrationPhase | null;
}

/** A file of another program, and the connection of the main thread to it, with the system tables. */
interface OpenedTables extends Preparation {
  readonly connection: SqliteConnection;
  readonly source: ExistingFile;
  /** The file, where the server writes it; null where it is only read. */
  readonly file: DatabaseFile | null;
}

/**
 * Opens the file of another program, and finds the tables of the model in it. It is attached read-only, unless the
 * model writes some of them. What the server stores is then a part of the file, and in the same transactions.
 *
 * @throws {UnusableDatabase} for a file that is missing or not a database, and for tables that do not match the model
 * @throws {LossySchemaChange} {SchemaViolation} as a migration of own tables
 */
export function openTables(path: string, options: ExistingOptions): OpenedTables {
  const file = requireFile(path, options);
  return readsTablesOnly(options.model) ? openReadable(file, options) : openWritten(file, options);
}

/**
 * Compares a model with the tables of a file, as the start does. The file is only read.
 *
 * @returns the names of the tables, by those of their resources
 * @throws {UnusableDatabase} as {@link openTables}
 */
export function compareFileTables(
  path: string,
  model: Model,
  driver: DriverName | undefined,
): ReadonlyMap<string, string> {
  const options = { model, driver: requireUris(driver), observe: () => undefined };
  const file = requireFile(path, options);
  const hadWal = existsSync(`${file.path}-wal`);
  const connection = openSource(file.path, options.driver);
  try {
    return findViews(connection, SOURCE, options).names;
  } finally {
    connection.close();
    if (!hadWal) removeEmptyWal(file.path, options.driver);
  }
}

function requireFile(path: string, { model, driver }: Pick<ExistingOptions, 'model' | 'driver'>): DatabaseFile {
  if (hasRoles(model)) throw new UnusableDatabase('It has no roles: auth.database_role needs PostgreSQL.');
  const found = locateFile(path);
  if (found === null) throw new UnusableDatabase('It does not exist. Name the file that has the tables of the model.');
  return { ...found, driver: driver.name };
}

function openReadable(file: DatabaseFile, options: ExistingOptions): OpenedTables {
  const { model, driver, random, observe, writer } = options;
  const hadWal = existsSync(`${file.path}-wal`);
  const close = (): void => {
    if (!hadWal) removeEmptyWal(file.path, driver);
  };
  const connection = openSource(file.path, driver, writer);
  try {
    const source = { ...findViews(connection, SOURCE, options), file, close };
    if (model.secret === null) observe({ kind: 'temporary-secret', name: model.name });
    const prepared = prepareDatabase(connection, systemModel(model), { random, consent: 'none' });
    createViews(connection, source);
    return { ...prepared, connection, source, file: null, isNew: true, steps: [] };
  } catch (error) {
    connection.close();
    close();
    throw error;
  }
}

function openWritten(file: DatabaseFile, options: ExistingOptions): OpenedTables {
  const { model, driver, random, writer, migrate = true, consent = 'none', phase = null } = options;
  const connection = openWritable(file.path, driver, writer);
  try {
    const source = { ...findViews(connection, 'main', options), file, close: () => undefined };
    const prepared = migrate
      ? prepareDatabase(connection, model, { random, consent, phase })
      : verifyDatabase(connection, model);
    // It drops the views of the connection.
    connection.keepStatementJournalsInMemory();
    createViews(connection, source);
    return { ...prepared, connection, source, file };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Finds the tables of a model, by the names of their resources, and compiles their views. */
function findViews(
  connection: SqliteConnection,
  schema: TableViews['schema'],
  { model, observe }: Pick<ExistingOptions, 'model' | 'observe'>,
): TableViews & Pick<ExistingFile, 'tables'> & { readonly names: ReadonlyMap<string, string> } {
  const found = findTables(connection, schema, model);
  const views = found.map((each) => {
    const onMisfit = misfitReporter(each.table.name, observe);
    return [each.resource.name, compileView(each, (...at) => sampleColumn(connection, ...at), onMisfit)] as const;
  });
  return {
    schema,
    tables: new Map(views.map(([name, { existing }]) => [name, existing])),
    views: views.map(([, { sql }]) => sql),
    names: new Map(found.map(({ resource, table }) => [resource.name, table.name])),
  };
}

/** The model of what the server itself stores next to tables that it only reads: nothing but system tables. */
export function systemModel(model: Model): Model {
  return { ...model, resources: new Map(), collections: new Map() };
}

/**
 * Removes the empty log that a read-only connection leaves next to a file in WAL mode, if there was none before. The
 * last connection that can write removes it, under the locks of SQLite. A log with commits stays.
 */
function removeEmptyWal(path: string, driver: Driver): void {
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 1) > 0) return;
  try {
    SqliteConnection.checkpointer(path, driver).close();
  } catch (error) {
    // A file that cannot be written keeps its empty log.
    if (sqliteCode(error) === '') throw error;
  }
}
