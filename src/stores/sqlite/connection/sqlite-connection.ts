import Database from 'better-sqlite3';
import type { SqlValue } from '../../sql/dialect.ts';
import { StatementCache } from './statement-cache.ts';

/** How long a statement waits for another process to let go of the database, in milliseconds. It keeps the thread while it waits. */
export const BUSY_TIMEOUT = 5_000;

/** Bytes of the file that are read through memory mapping: deep offsets and counts are several times faster than by page cache. */
const MMAP_BYTES = 268_435_456;

/**
 * KiB of pages that a connection copies for itself: those that it changes, and those that stand in the log. What is mapped needs no copy; with
 * 16 MiB it had one of all that was written lately, and was no faster, not even for a file of twice what is mapped.
 */
const CACHE_KIB = 4_096;

/** Pages of log from which on it is to begin anew even where somebody always reads from it; the file keeps no more than these when it has. */
export const LONG_WAL_PAGES = 8_192;

/**
 * Pages of log after which the writer makes a checkpoint by itself with each commit, where `Checkpoints` has not. Many more, for that keeps the
 * thread that answers, and other checkpoints out. SQLite's default is 1,000.
 */
const AUTOCHECKPOINT_PAGES = 4 * LONG_WAL_PAGES;

const PAGE_BYTES = 4_096;

export type SqlRow = Record<string, SqlValue>;
type PreparedStatement = Database.Statement<unknown[], SqlRow>;

export interface WriterOptions {
  /** Whether the file must be there, and keeps the mode that it has. */
  readonly mustExist?: boolean;
  /** Told each statement as it runs, its values in place. */
  readonly trace?: (statement: string) => void;
}

/**
 * One connection, its statements prepared once per text. Its constructor is its own, so that the published types name no library that
 * brings none.
 */
export class SqliteConnection {
  readonly #database: Database.Database;
  readonly #prepared: StatementCache<PreparedStatement>;

  private constructor(database: Database.Database) {
    this.#database = database;
    this.#prepared = new StatementCache((text) => database.prepare<unknown[], SqlRow>(text));
  }

  /**
   * A connection that reads and writes. In WAL mode with `synchronous = FULL` a commit is on disk when it returns (OPS-4). A statement that
   * another process holds up fails at once.
   *
   * @param path an absolute path, or `:memory:`
   * @throws what `isBusy` recognises, while another process holds the database
   */
  static writer(path: string, { mustExist = false, trace }: WriterOptions = {}): SqliteConnection {
    const verbose = trace === undefined ? {} : { verbose: (message: unknown) => trace(String(message)) };
    const database = new Database(path, { fileMustExist: mustExist, timeout: 0, ...verbose });
    try {
      if (!mustExist) database.pragma('journal_mode = wal');
      database.pragma('synchronous = full');
      database.pragma('foreign_keys = on');
      database.pragma(`wal_autocheckpoint = ${AUTOCHECKPOINT_PAGES}`);
      database.pragma(`journal_size_limit = ${LONG_WAL_PAGES * PAGE_BYTES}`);
      mapFile(database);
      return new SqliteConnection(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** A connection that brings over what others have committed. */
  static checkpointer(path: string): SqliteConnection {
    const database = new Database(path, { timeout: BUSY_TIMEOUT });
    database.pragma('synchronous = full');
    return new SqliteConnection(database);
  }

  /** A connection that can only read. */
  static reader(path: string): SqliteConnection {
    const database = new Database(path, { readonly: true, timeout: BUSY_TIMEOUT });
    mapFile(database);
    return new SqliteConnection(database);
  }

  /** All rows of a query, as objects with the columns in order. */
  all(text: string, values: readonly SqlValue[] = []): SqlRow[] {
    return this.#prepared.get(text).all(values);
  }

  /** The first row of a query, or null. */
  get(text: string, values: readonly SqlValue[] = []): SqlRow | null {
    return this.#prepared.get(text).get(...values) ?? null;
  }

  /** Runs a statement. @returns how many rows it changed */
  run(text: string, values: readonly SqlValue[] = []): number {
    return this.#prepared.get(text).run(...values).changes;
  }

  /** Runs statements that are used once and take no values. */
  script(text: string): void {
    this.#database.exec(text);
  }

  /**
   * Brings what is committed from the log into the database file, as far as nobody reads what was before, and waits for nobody.
   *
   * @returns pages that stand in the log, brought over or not; less than 0 where another connection is at it
   */
  checkpoint(): number {
    return Number(this.get('pragma wal_checkpoint(passive)')?.['log']);
  }

  /**
   * Brings over all of the log and has it begin anew. Nobody can write meanwhile; who reads from it is waited for, and who begins to read once
   * all is brought over needs it no more.
   *
   * @param wait milliseconds after which it is left as it is
   */
  restartWal(wait: number): void {
    this.script(`pragma busy_timeout = ${wait}`);
    this.get('pragma wal_checkpoint(restart)');
  }

  /** The first value of a pragma. */
  pragma(text: string): unknown {
    return this.#database.pragma(text, { simple: true });
  }

  /** Makes a function known to SQL. What it throws ends the statement and is thrown by it. */
  defineFunction(name: string, deterministic: boolean, body: (...values: SqlValue[]) => SqlValue): void {
    this.#database.function(name, { deterministic, varargs: true }, body);
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }
}

/** Has a connection read the file where it lies in memory, and copy little of it. */
function mapFile(database: Database.Database): void {
  database.pragma(`mmap_size = ${MMAP_BYTES}`);
  database.pragma(`cache_size = -${CACHE_KIB}`);
}

function codeOf(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : '';
}

/** Whether an error says that a statement would break a constraint; it alone was undone then. */
export function isConstraintFailure(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_CONSTRAINT');
}

/** Whether an error is the database's own, and no statement's: I/O, no space, another process that holds it. */
export function isDatabaseFailure(error: unknown): boolean {
  return error instanceof Database.SqliteError && !isConstraintFailure(error);
}

/** Whether an error says that a foreign key would be broken. */
export function isForeignKeyFailure(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_CONSTRAINT_FOREIGNKEY';
}

/** Whether an error says that another process holds the database. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY');
}

/** Whether an error says that the disk has no room; nothing was changed then. */
export function isFull(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL';
}

/** Whether an error says that the file is damaged or no database. */
export function isCorrupt(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_CORRUPT') || codeOf(error) === 'SQLITE_NOTADB';
}
