import { existsSync, statSync } from 'node:fs';
import type { Model } from '../../../model/model.ts';
import type { Observe } from '../../../observe/observation.ts';
import type { ExistingTables } from '../../sql/existing/existing-table.ts';
import { misfitReporter } from '../../sql/existing/found-table.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { Tables } from '../../sql/tables.ts';
import { StoreUnavailable } from '../../store.ts';
import { SqliteConnection, type WriterOptions } from '../connection/sqlite-connection.ts';
import { sqlite } from '../dialect/sqlite-dialect.ts';
import type { Driver } from '../driver/driver.ts';
import { sqliteCode } from '../driver/sqlite-errors.ts';
import { type DatabaseFile, locateFile } from '../health/database-files.ts';
import { findTables } from './find-tables.ts';
import { openSource } from './open-source.ts';
import { sampleColumn } from './read-tables.ts';
import { sourceDialect } from './source-dialect.ts';
import { compileView } from './source-view.ts';

/** The file of another program, whose tables a model shows. */
export interface ExistingFile {
  readonly file: DatabaseFile;
  readonly tables: ExistingTables;
  /** The statements that create the views of the tables on each connection. */
  readonly views: readonly string[];
  /** Leaves the folder of the file as it was. Call it once all connections are closed. */
  readonly close: () => void;
}

interface ExistingOptions {
  readonly model: Model;
  readonly driver: Driver;
  readonly observe: Observe;
  readonly writer?: WriterOptions | undefined;
}

/** A file of another program, and the connection of the main thread to it. */
interface OpenedFile {
  readonly connection: SqliteConnection;
  readonly source: ExistingFile;
}

/**
 * Opens the file of another program read-only, and finds the tables of the model in it.
 *
 * @throws {UnusableDatabase} for a file that is missing or not a database, and for tables that do not match the model
 */
export function openExisting(path: string, { model, driver, observe, writer }: ExistingOptions): OpenedFile {
  const found = locateFile(path);
  if (found === null) throw new UnusableDatabase('It does not exist. Name the file that has the tables of the model.');
  const hadWal = existsSync(`${path}-wal`);
  const close = (): void => {
    if (!hadWal) removeEmptyWal(path, driver);
  };
  const connection = openSource(path, driver, writer);
  try {
    const shown = findTables(connection, model);
    const views = shown.map((each) => {
      const onMisfit = misfitReporter(each.table.name, observe);
      return [each.resource.name, compileView(each, (...at) => sampleColumn(connection, ...at), onMisfit)] as const;
    });
    const tables = new Map(views.map(([name, { existing }]) => [name, existing]));
    const source: ExistingFile = {
      file: { ...found, driver: driver.name },
      tables,
      views: views.map(([, { sql }]) => sql),
      close,
    };
    for (const view of source.views) connection.script(view);
    return { connection, source };
  } catch (error) {
    connection.close();
    close();
    throw error;
  }
}

/** The model of what the server itself stores next to the tables of another program: nothing but system tables. */
export function systemModel(model: Model): Model {
  return { ...model, resources: new Map(), collections: new Map() };
}

/** Compiles the tables of a model: own ones, or those of another program. */
export function compileTables(model: Model, source: Pick<ExistingFile, 'tables'> | null): Tables {
  return source === null ? new Tables(model, sqlite) : new Tables(model, sourceDialect, null, source.tables);
}

/** The error to report for a statement that failed because the tables of another program have changed. */
export function explainChange(error: unknown): unknown {
  const isChanged = error instanceof Error && /no such (?:table|column|view)/.test(error.message);
  if (!isChanged) return error;
  const message = `The tables of the database no longer match the model: ${error.message}`;
  return new StoreUnavailable(message, { cause: error, reason: 'migrated' });
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
