import type { SqlRow, SqlValue } from '../../sql/dialect.ts';

/** The libraries that can open a database, the default first. */
export const DRIVER_NAMES = ['better-sqlite3', 'node'] as const;

/** A library that opens SQLite databases: better-sqlite3, or `node:sqlite`, which is part of the runtime. */
export type DriverName = (typeof DRIVER_NAMES)[number];

/**
 * A prepared statement. Its values are the positional parameters. The statements of both libraries are of this type, so
 * that nothing is called or allocated in between.
 */
export interface PreparedStatement {
  /** True if it has rows. If false, `all` fails; if absent, `all` runs every statement. */
  readonly reader?: boolean;
  all(...values: readonly SqlValue[]): SqlRow[];
  get(...values: readonly SqlValue[]): SqlRow | undefined;
  iterate(...values: readonly SqlValue[]): Iterable<SqlRow>;
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
}

/** Options of a SQL function. It accepts any number of values. */
export interface FunctionOptions {
  readonly deterministic: boolean;
  readonly varargs: true;
}

/** A connection as a library has it. What fails in SQLite throws an error that `sqliteCode` recognises. */
export interface DriverConnection {
  prepare(text: string): PreparedStatement;
  /** Runs any number of statements. */
  exec(text: string): void;
  /** Defines a SQL function. An error that it throws fails the statement, which throws it. */
  function(name: string, options: FunctionOptions, body: (...values: SqlValue[]) => SqlValue): void;
  readonly inTransaction: boolean;
  close(): void;
}

export interface OpenOptions {
  /** `create` creates a file that does not exist; the others fail with `SQLITE_CANTOPEN`. */
  readonly mode: 'create' | 'existing' | 'read-only';
  /**
   * Milliseconds that a statement waits while another process has locked the database. The thread is blocked meanwhile.
   */
  readonly timeout: number;
  /** Called with each statement as it runs, with its values. */
  readonly trace?: ((statement: string) => void) | undefined;
}

export interface Driver {
  readonly name: DriverName;
  /** @param path an absolute path, or `:memory:` */
  open(path: string, options: OpenOptions): DriverConnection;
}
