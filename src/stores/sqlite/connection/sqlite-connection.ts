import type { SizeBound, SqlRow, SqlValue } from '../../sql/dialect.ts';
import { readUpTo } from '../../sql/read/size-bound.ts';
import { availableMemory } from '../../../platform/process/available-memory.ts';
import { LARGE_ROW_FUNCTION } from '../dialect/sqlite-dialect.ts';
import type { Driver, DriverConnection, PreparedStatement } from '../driver/driver.ts';
import { createPrivateFile } from './private-file.ts';
import { type Cache, type CacheStatistics, GenerationalCache } from '../../../cache/cache.ts';

/**
 * Milliseconds that a statement waits while another process has locked the database. SQLite blocks the thread
 * meanwhile.
 */
export const BUSY_TIMEOUT = 5_000;

/** SQLite's greatest `mmap_size`. */
const MAX_MMAP = 0x7fff_0000;

/**
 * Computes the bytes of the file that are memory-mapped. A row outside of them costs a system call for each page, and
 * deep offsets and counts cost several times as much. The system reclaims mapped pages if it needs the memory.
 *
 * @param memory bytes that this process may use: half of them are left to others
 */
export function mappedBytes(memory: number): number {
  return Math.min(Math.floor(memory / 2), MAX_MMAP);
}

/**
 * KiB of the page cache of a connection: pages that it changes, and pages in the WAL. Mapped pages need no copy. 16 MiB
 * held a copy of all recently written pages and was no faster, not even for a file of twice the mapped size.
 */
const CACHE_KIB = 4_096;

/** Pages of WAL above which it is restarted even if it always has readers; the file is truncated to this size then. */
export const LONG_WAL_PAGES = 8_192;

/**
 * Pages of WAL above which each commit makes a checkpoint itself, where the checkpoint thread has not. Many more,
 * because that blocks the main thread and excludes other checkpoints. SQLite's default is 1,000.
 */
const AUTOCHECKPOINT_PAGES = 4 * LONG_WAL_PAGES;

const PAGE_BYTES = 4_096;

/** A row is too large to read it together with others. */
class LargeRow extends Error {}

export interface WriterOptions {
  /** True if the file must exist; it keeps its journal mode then. */
  readonly mustExist?: boolean;
  /** Called with each statement as it runs, with its values. */
  readonly trace?: (statement: string) => void;
}

/** The most characters of all cached statements. A statement with more than a 64th of it is prepared each time. */
const MAX_WEIGHT = 1_048_576;
/**
 * Added to the characters of each statement: it takes far more memory than its SQL, and the garbage collector does not
 * see it.
 */
const STATEMENT_WEIGHT = 2_048;

/**
 * Prepared statements of one connection, by SQL. The SQL has no values, so that entries depend on no identity,
 * permission, visibility or contract.
 */
export class StatementCache<T extends object> {
  readonly #prepare: (sql: string) => T;
  /**
   * By the SQL itself, which is memoized in most places: a `Map` then compares pointers, while a hash would read all of
   * it.
   */
  readonly #cache: Cache<T> = new GenerationalCache<T, string>(
    { maxWeight: MAX_WEIGHT, weigh: (_statement, sql) => STATEMENT_WEIGHT + sql.length },
    (sql) => sql,
  );

  constructor(prepare: (sql: string) => T) {
    this.#prepare = prepare;
  }

  get statistics(): CacheStatistics {
    return this.#cache.statistics;
  }

  get(sql: string): T {
    const cached = this.#cache.get(sql);
    if (cached !== undefined) return cached;
    const statement = this.#prepare(sql);
    this.#cache.set(sql, statement);
    return statement;
  }

  clear(): void {
    this.#cache.clear();
  }
}

/** One connection with a cache of prepared statements. */
export class SqliteConnection {
  readonly #database: DriverConnection;
  readonly #statements: StatementCache<PreparedStatement>;
  /** True if a large row fails the statement that runs. */
  #refusesLargeRows = false;

  private constructor(database: DriverConnection) {
    this.#database = database;
    this.defineFunction(LARGE_ROW_FUNCTION, false, () => {
      if (this.#refusesLargeRows) throw new LargeRow();
      return 1;
    });
    this.#statements = new StatementCache((text) => database.prepare(text));
  }

  /**
   * A connection that reads and writes. In WAL mode with `synchronous = FULL` a commit is on disk when it returns
   * (OPS-4). A statement fails immediately while another process has locked the database.
   *
   * @param path an absolute path, or `:memory:`
   * @throws what `isBusy` recognises, while another process has locked the database
   */
  static writer(path: string, driver: Driver, { mustExist = false, trace }: WriterOptions = {}): SqliteConnection {
    if (!mustExist) createPrivateFile(path);
    const database = driver.open(path, { mode: mustExist ? 'existing' : 'create', timeout: 0, trace });
    try {
      const connection = new SqliteConnection(database);
      if (!mustExist) connection.pragma('journal_mode = wal');
      connection.#syncCommits();
      connection.pragma('foreign_keys = on');
      connection.pragma(`wal_autocheckpoint = ${AUTOCHECKPOINT_PAGES}`);
      connection.pragma(`journal_size_limit = ${LONG_WAL_PAGES * PAGE_BYTES}`);
      connection.#mapFile();
      return connection;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /**
   * A connection to an existing file that only makes checkpoints. It syncs the WAL before it copies pages, and the file
   * after: without that a power failure loses commits.
   */
  static checkpointer(path: string, driver: Driver): SqliteConnection {
    const connection = new SqliteConnection(driver.open(path, { mode: 'existing', timeout: BUSY_TIMEOUT }));
    connection.#syncCommits();
    return connection;
  }

  /** Syncs each commit: on macOS also past the cache of the drive, where an `fsync` alone does not wait for it. */
  #syncCommits(): void {
    this.pragma('synchronous = full');
    this.pragma('fullfsync = on');
    this.pragma('checkpoint_fullfsync = on');
  }

  /** A read-only connection to an existing file. */
  static reader(path: string, driver: Driver): SqliteConnection {
    const connection = new SqliteConnection(driver.open(path, { mode: 'read-only', timeout: BUSY_TIMEOUT }));
    connection.#mapFile();
    return connection;
  }

  /** The statistics of the cache of prepared statements. */
  get statementStatistics(): CacheStatistics {
    return this.#statements.statistics;
  }

  /** All rows of a query, as objects with their columns in order. */
  all(text: string, values: readonly SqlValue[] = []): SqlRow[] {
    return this.#statements.get(text).all(...values);
  }

  /**
   * The rows of a query up to a bound. Large rows are read one by one, which takes nearly twice as long as all
   * together.
   */
  upTo(text: string, values: readonly SqlValue[], bound: SizeBound): SqlRow[] {
    const statement = this.#statements.get(text);
    const small = bound.guarded ? this.#smallRows(statement, values) : null;
    return small ?? readUpTo(statement.iterate(...values), bound);
  }

  /** All rows of a guarded statement; null where one is large. */
  #smallRows(statement: PreparedStatement, values: readonly SqlValue[]): SqlRow[] | null {
    this.#refusesLargeRows = true;
    try {
      return statement.all(...values);
    } catch (error) {
      if (error instanceof LargeRow) return null;
      throw error;
    } finally {
      this.#refusesLargeRows = false;
    }
  }

  /** The rows of a query, read one by one. Until the last one is read, the connection runs nothing else. */
  iterate(text: string): Iterable<SqlRow> {
    return this.#statements.get(text).iterate();
  }

  /** The first row of a query, or null. */
  get(text: string, values: readonly SqlValue[] = []): SqlRow | null {
    return this.#statements.get(text).get(...values) ?? null;
  }

  /** Runs a statement. @returns the number of rows it changed */
  run(text: string, values: readonly SqlValue[] = []): number {
    return Number(this.#statements.get(text).run(...values).changes);
  }

  /** Runs a statement. @returns the rows of its `returning` clause, where it has one */
  execute(text: string, values: readonly SqlValue[] = []): readonly SqlRow[] {
    return executed(this.#statements.get(text), values);
  }

  /**
   * Keeps the journal of a single statement in memory. The trigger of a search index makes SQLite save 22 pages for
   * each written row. By default they go to a temporary file: 2.9 GB for 60,000 rows.
   */
  keepStatementJournalsInMemory(): void {
    this.pragma('temp_store = memory');
  }

  /** Runs statements that are used once and have no values. */
  script(text: string): void {
    this.#database.exec(text);
  }

  /**
   * Copies committed pages from the WAL to the database file, other than those that readers still need. Does not wait.
   *
   * @returns the number of pages in the WAL, copied or not; less than 0 while another connection makes a checkpoint
   */
  checkpoint(): number {
    return Number(this.get('pragma wal_checkpoint(passive)')?.['log']);
  }

  /**
   * Copies all of the WAL and restarts it. Writers are blocked meanwhile. It waits for readers of the WAL; later
   * readers read the file.
   *
   * @param wait milliseconds after which it gives up
   */
  restartWal(wait: number): void {
    this.script(`pragma busy_timeout = ${wait}`);
    this.get('pragma wal_checkpoint(restart)');
  }

  /**
   * Copies all of the WAL to the database file that is open, wherever that is, and empties the WAL. Does not wait.
   *
   * @returns whether all of it was copied: other connections may prevent it
   */
  emptyWal(): boolean {
    return Number(this.get('pragma wal_checkpoint(truncate)')?.['busy']) === 0;
  }

  /** Reads or sets a pragma. @returns its first value; undefined where it has none */
  pragma(text: string): SqlValue | undefined {
    const [row = {}] = executed(this.#database.prepare(`pragma ${text}`), []);
    return Object.values(row)[0];
  }

  /** Defines a SQL function. An error that it throws fails the statement, which throws it. */
  defineFunction(name: string, deterministic: boolean, body: (...values: SqlValue[]) => SqlValue): void {
    this.#database.function(name, { deterministic, varargs: true }, body);
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  /** Makes the connection read through memory mapping, with a small page cache. */
  #mapFile(): void {
    this.pragma(`mmap_size = ${mappedBytes(availableMemory())}`);
    this.pragma(`cache_size = -${CACHE_KIB}`);
  }
}

/** Runs a statement, whether it has rows or not. */
function executed(statement: PreparedStatement, values: readonly SqlValue[]): readonly SqlRow[] {
  if (statement.reader !== false) return statement.all(...values);
  statement.run(...values);
  return [];
}
