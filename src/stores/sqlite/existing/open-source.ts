import { pathToFileURL } from 'node:url';
import { defineFunctions } from '../connection/sql-functions.ts';
import { SqliteConnection, type WriterOptions } from '../connection/sqlite-connection.ts';
import type { Driver, DriverName } from '../driver/driver.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { loadDriver } from '../driver/select-driver.ts';
import { SOURCE } from './read-tables.ts';
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
    defineFunctions(connection);
    connection.defineFunction(REVISION_FUNCTION, true, (...values) => rowRevision(values));
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

/** Opens a connection to the file of another program, with the views of its tables. */
export function openViews(path: string, driver: Driver, views: readonly string[]): SqliteConnection {
  const connection = openSource(path, driver);
  for (const view of views) connection.script(view);
  return connection;
}
