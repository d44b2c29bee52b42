import process from 'node:process';
import {
  DRIVER_NAMES,
  type DriverConnection,
  type DriverName,
  type PreparedStatement,
} from '../../../src/stores/sqlite/driver/driver.ts';
import { loadDriver } from '../../../src/stores/sqlite/driver/select-driver.ts';

/** The driver that the environment names. Default: better-sqlite3. */
export const driverName: DriverName = chosenDriver(process.env['RESTWRIGHT_DRIVER'] ?? 'better-sqlite3');

export const driver = loadDriver(driverName);

function chosenDriver(text: string): DriverName {
  const name = DRIVER_NAMES.find((each) => each === text);
  if (name === undefined) throw new Error(`RESTWRIGHT_DRIVER is none of ${DRIVER_NAMES.join(', ')}: ${text}`);
  return name;
}

interface Options {
  readonly readonly?: boolean;
  /** Milliseconds. Default: 5,000. */
  readonly timeout?: number;
}

/**
 * Another connection to the database of a store, as another process has it, which changes or reads what the store would
 * not. It uses the driver of the store: two libraries in one process do not see each other's locks.
 */
export class Database {
  readonly #connection: DriverConnection;

  constructor(file: string, { readonly: isReadOnly = false, timeout = 5_000 }: Options = {}) {
    this.#connection = driver.open(file, { mode: isReadOnly ? 'read-only' : 'create', timeout });
  }

  exec(text: string): this {
    this.#connection.exec(text);
    return this;
  }

  prepare(text: string): Query {
    return new Query(this.#connection.prepare(text));
  }

  close(): void {
    this.#connection.close();
  }
}

class Query {
  readonly #statement: PreparedStatement;

  constructor(statement: PreparedStatement) {
    this.#statement = statement;
  }

  all(): readonly object[] {
    return this.#statement.all().map((row) => ({ ...row }));
  }

  /** The first column of the first row. */
  value(): unknown {
    return Object.values(this.#statement.get() ?? {})[0];
  }

  /** The first column of all rows. */
  texts(): readonly string[] {
    return this.#statement.all().map((row) => String(Object.values(row)[0]));
  }
}

/** An error of SQLite with a code. */
export function sqliteError(code: string): Error {
  return Object.assign(new Error('test'), { code });
}
