import { realpathSync, statSync } from 'node:fs';
import { StoreUnavailable } from '../../store.ts';
import type { DriverName } from '../driver/driver.ts';

/**
 * A file that is open, by a path that led to it when it was opened. Structured cloning keeps it, so that threads can
 * receive it.
 */
export interface OpenFile {
  /** An absolute path. */
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
}

/** An open database, as its threads open it again. */
export interface DatabaseFile extends OpenFile {
  /** Two libraries in one process would release each other's locks. */
  readonly driver: DriverName;
}

/**
 * The file that a path leads to; null where there is none.
 *
 * @throws the error of the file system where the path cannot be followed
 */
export type LocateFile = (path: string) => OpenFile | null;

/** The change of a file that is open. */
export interface FileChange {
  readonly path: string;
  readonly change: 'missing' | 'replaced';
}

/**
 * The other files of a database in WAL mode: the log, and its index in shared memory. SQLite keeps both while any
 * connection is open.
 */
const SIDE_FILES = ['-wal', '-shm'];

/**
 * Finds a file without opening it: to close a descriptor of the database would release the locks of SQLite in this
 * process (POSIX).
 */
export const locateFile: LocateFile = (path) => {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : { path, device: found.dev, inode: found.ino };
};

/**
 * The change of an open file; null where its path still leads to it. A path that cannot be followed counts as missing.
 */
export function findChange({ path, device, inode }: OpenFile, locate: LocateFile = locateFile): FileChange | null {
  const found = locateOrNull(path, locate);
  if (found === null) return { path, change: 'missing' };
  return found.device === device && found.inode === inode ? null : { path, change: 'replaced' };
}

/** The files of an open database: the database itself, then the others. Links to it are followed, as SQLite does. */
export function openFiles(database: OpenFile, locate: LocateFile = locateFile): readonly OpenFile[] {
  const real = realpathSync(database.path);
  return [database, ...SIDE_FILES.flatMap((suffix) => locate(`${real}${suffix}`) ?? [])];
}

/**
 * Opens another connection to a database that is open already.
 *
 * @throws {StoreUnavailable} where its path leads to another file by now: a page of this database must never be written
 *   to that file
 */
export function openAgain<C extends { close(): void }>(database: OpenFile, open: (path: string) => C): C {
  requireSame(database);
  const connection = open(database.path);
  try {
    requireSame(database);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function requireSame(database: OpenFile): void {
  if (findChange(database) !== null) throw lostError();
}

/** The error of everything that is read or written once the files of an open database are not where they were. */
export function lostError(): StoreUnavailable {
  return new StoreUnavailable('The database file was moved, deleted or replaced', { reason: 'lost' });
}

function locateOrNull(path: string, locate: LocateFile): OpenFile | null {
  try {
    return locate(path);
  } catch {
    return null;
  }
}
