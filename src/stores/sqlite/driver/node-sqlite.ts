import { createRequire } from 'node:module';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { SqlRow, SqlValue } from '../../sql/dialect.ts';
import type { Driver, DriverConnection, FunctionOptions, OpenOptions, PreparedStatement } from './driver.ts';

/** A statement of `node:sqlite` that returns rows as arrays and integers as bigints. */
interface NativeStatement {
  readonly expandedSQL: string;
  setReturnArrays(enabled: boolean): void;
  setReadBigInts(enabled: boolean): void;
  columns(): readonly { readonly name: string }[];
  all(...values: readonly SqlValue[]): readonly (readonly SqlValue[])[];
  get(...values: readonly SqlValue[]): readonly SqlValue[] | undefined;
  iterate(...values: readonly SqlValue[]): Iterable<readonly SqlValue[]>;
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
}

interface NativeConnection {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  prepare(text: string): NativeStatement;
  exec(text: string): void;
  function(
    name: string,
    options: FunctionOptions & { readonly useBigIntArguments: true },
    body: (...values: SqlValue[]) => SqlValue,
  ): void;
  close(): void;
}

/** The part of `node:sqlite` that is used here. The types of Node.js have no statement that returns arrays. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    location: string,
    options: { readonly readOnly: boolean; readonly timeout: number },
  ) => NativeConnection;
}

type WrapStatement = (statement: NativeStatement) => PreparedStatement;

/**
 * The driver `node:sqlite`, with the SQLite of the runtime: Node.js, Bun or Deno.
 *
 * @throws the error of the module loader, where the runtime has none
 */
export function nodeSqlite(): Driver {
  // Loaded only where it is used: Node.js 24 warns that it is experimental.
  const { DatabaseSync }: NodeSqlite = createRequire(import.meta.url)('node:sqlite');
  return {
    name: 'node',
    open(path, options) {
      const { mode, timeout } = options;
      const database = new DatabaseSync(writeLocation(path, options), { readOnly: mode === 'read-only', timeout });
      return new NodeConnection(database, wrapStatements(options));
    },
  };
}

/** A path creates the file; a URL with a mode does not. */
function writeLocation(path: string, { mode }: OpenOptions): string {
  return mode === 'existing' ? `${pathToFileURL(path).href}?mode=rw` : path;
}

function wrapStatements({ trace }: OpenOptions): WrapStatement {
  if (trace === undefined) return (statement) => new ArrayStatement(statement);
  return (statement) => new TracedStatement(new ArrayStatement(statement), statement, trace);
}

class NodeConnection implements DriverConnection {
  readonly #database: NativeConnection;
  readonly #statement: WrapStatement;

  constructor(database: NativeConnection, statement: WrapStatement) {
    this.#database = database;
    this.#statement = statement;
  }

  prepare(text: string): PreparedStatement {
    return this.#statement(this.#database.prepare(text));
  }

  exec(text: string): void {
    this.#database.exec(text);
  }

  function(name: string, options: FunctionOptions, body: (...values: SqlValue[]) => SqlValue): void {
    this.#database.function(name, { ...options, useBigIntArguments: true }, (...values) =>
      body(...values.map(toNumber)),
    );
  }

  get inTransaction(): boolean {
    return this.#database.isOpen && this.#database.isTransaction;
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

/** An integer as better-sqlite3 reads it. As a number, `node:sqlite` would refuse one beyond 2^53. */
function toNumber(value: SqlValue = null): SqlValue {
  return typeof value === 'bigint' ? Number(value) : value;
}

/** In Deno 2.9, `all` does not return once a SQL function has thrown. */
const ITERATES = process.versions['deno'] !== undefined;

/**
 * A statement that reads rows as arrays, and makes objects of them. The objects of `node:sqlite` have no prototype, and
 * take longer to read and to write as JSON.
 */
class ArrayStatement implements PreparedStatement {
  readonly #statement: NativeStatement;
  #names: readonly string[] = [];

  constructor(statement: NativeStatement) {
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    this.#statement = statement;
  }

  all(...values: readonly SqlValue[]): SqlRow[] {
    const arrays = ITERATES ? [...this.#statement.iterate(...values)] : this.#statement.all(...values);
    return arrays.map((array) => this.#rowOf(array));
  }

  get(...values: readonly SqlValue[]): SqlRow | undefined {
    const array = this.#statement.get(...values);
    return array === undefined ? undefined : this.#rowOf(array);
  }

  *iterate(...values: readonly SqlValue[]): Iterable<SqlRow> {
    for (const array of this.#statement.iterate(...values)) yield this.#rowOf(array);
  }

  run(...values: readonly SqlValue[]): { readonly changes: number | bigint } {
    return this.#statement.run(...values);
  }

  #rowOf(values: readonly SqlValue[]): SqlRow {
    const names = this.#namesOf(values.length);
    const row: SqlRow = {};
    for (let index = 0; index < names.length; index += 1) row[names[index] ?? ''] = toNumber(values[index]);
    return row;
  }

  /** The names of the columns. Their number changes with the schema, where a statement selects all of them. */
  #namesOf(count: number): readonly string[] {
    if (this.#names.length !== count) this.#names = this.#statement.columns().map(({ name }) => name);
    return this.#names;
  }
}

/** A statement that reports each run with its values. */
class TracedStatement implements PreparedStatement {
  readonly #statement: PreparedStatement;
  readonly #source: NativeStatement;
  readonly #trace: (statement: string) => void;

  constructor(statement: PreparedStatement, source: NativeStatement, trace: (statement: string) => void) {
    this.#statement = statement;
    this.#source = source;
    this.#trace = trace;
  }

  all(...values: readonly SqlValue[]): SqlRow[] {
    return this.#traced(() => this.#statement.all(...values));
  }

  get(...values: readonly SqlValue[]): SqlRow | undefined {
    return this.#traced(() => this.#statement.get(...values));
  }

  iterate(...values: readonly SqlValue[]): Iterable<SqlRow> {
    return this.#traced(() => this.#statement.iterate(...values));
  }

  run(...values: readonly SqlValue[]): { readonly changes: number | bigint } {
    return this.#traced(() => this.#statement.run(...values));
  }

  #traced<T>(run: () => T): T {
    try {
      return run();
    } finally {
      this.#trace(this.#source.expandedSQL);
    }
  }
}
