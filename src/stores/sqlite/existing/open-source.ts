import { pathToFileURL } from 'node:url';
import { defineFunctions } from '../connection/sql-functions.ts';
import { SqliteConnection, type WriterOptions } from '../connection/sqlite-connection.ts';
import type { Driver, DriverName } from '../driver/driver.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { loadDriver } from '../driver/select-driver.ts';
import { SOURCE, type TablesSchema } from './read-tables.ts';
import { REVISION_FUNCTION, rowRevision } from './row-revision.ts';

/**
 * Milliseconds that a read waits while another process commits to a file without a write-ahead log. It blocks the
 * thread.
 */
const BUSY_TIMEOUT = 500;

/**
 * Opens a connection to the file of another program, which it never creates or changes. The file is attached read-only.
 * The main database is in memory, and has the system tables.
 *
 * @param path an absolute path
 * @throws the error of SQLite where the file is missing, or is not a database
 */
export function openSource(path: string, driver: Driver, options: WriterOptions = {}): SqliteConnection {
  const connection = SqliteConnection.writer(':memory:', driver, options);
  try {
    defineSourceFunctions(connection);
    connection.pragma(`busy_timeout = ${BUSY_TIMEOUT}`);
    connection.run(`attach ? as ${SOURCE}`, [`${pathToFileURL(path).href}?mode=ro`]);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * The driver that attaches a file read-only, by a URI. The SQLite of better-sqlite3 has no URIs.
 *
 * @param name the driver that was chosen
 * @throws {UnusableDatabase} for another driver
 */
export function requireUris(name: DriverName | undefined): Driver {
  if (name === undefined || name === 'node') return loadDriver('node');
  throw new UnusableDatabase(`The driver ${name} cannot attach a file read-only. Choose the driver node.`);
}

/** The views of tables of another program. */
export interface TableViews {
  /** The name of the database that has the tables. */
  readonly schema: TablesSchema;
  /** The statements that create them on each connection. */
  readonly views: readonly string[];
}

export function createViews(connection: SqliteConnection, { views }: TableViews): void {
  for (const view of views) connection.script(view);
}

/** Opens a connection that reads the file of another program, with the views of its tables. */
export function openViews(path: string, driver: Driver, source: TableViews): SqliteConnection {
  const connection = source.schema === SOURCE ? openSource(path, driver) : SqliteConnection.reader(path, driver);
  if (source.schema !== SOURCE) defineSourceFunctions(connection);
  createViews(connection, source);
  return connection;
}

/** Defines the SQL functions that statements and views call. */
function defineSourceFunctions(connection: SqliteConnection): void {
  defineFunctions(connection);
  connection.defineFunction(REVISION_FUNCTION, true, (...values) => rowRevision(values));
}

/**
 * Opens a connection that writes the file of another program, which has the system tables, too. The file keeps its
 * journal mode. Without a write-ahead log a commit is on disk once the removal of its journal is.
 *
 * @param path an absolute path
 * @throws the error of SQLite where the file is missing, is not a database, or is locked
 */
export function openWritable(path: string, driver: Driver, options: WriterOptions = {}): SqliteConnection {
  const connection = SqliteConnection.writer(path, driver, { ...options, mustExist: true });
  try {
    defineSourceFunctions(connection);
    if (connection.pragma('journal_mode') === 'wal') return connection;
    connection.pragma('synchronous = extra');
    connection.pragma(`busy_timeout = ${BUSY_TIMEOUT}`);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}
