import type { ConnectionOptions } from 'node:tls';
import type pg from 'pg';
import type { Client, ClientConfig } from 'pg';
import type { SqlRow, SqlValue } from '../../sql/dialect.ts';
import type { DatabaseUrl } from '../connection/database-url.ts';
import { driverError, PostgresDriverMissing } from './postgres-errors.ts';

/** What a session does with its statements. */
export interface SessionSettings {
  /** What the database shows as the name of the session. */
  readonly name: string;
  /** Milliseconds after which the database stops a statement; 0 for never. */
  readonly statementTimeout: number;
  /** Milliseconds that a statement waits for a lock. */
  readonly lockTimeout: number;
  /** Whether the session may write. */
  readonly readOnly: boolean;
}

/** What a statement did. */
export interface QueryResult {
  readonly rows: readonly SqlRow[];
  /** The number of rows that it read or changed. */
  readonly count: number;
}

/** One session. Statements are sent without waiting for the answers of others, and answered in order. */
export interface PostgresConnection {
  /** Whether statements can be sent: it does not become open again. */
  readonly isOpen: boolean;
  query(text: string, values?: readonly SqlValue[]): Promise<QueryResult>;
  /** Statements without values, separated by semicolons, which run in one transaction unless they begin and end one. */
  script(text: string): Promise<void>;
  /** Waits for the statements that were sent. */
  close(): Promise<void>;
}

/** Milliseconds that connecting may take. */
const CONNECT_TIMEOUT = 2_000;
/** Milliseconds beyond the statement timeout after which the connection counts as dead. */
const ANSWER_MARGIN = 5_000;
/** The most statements that a session prepares: others are parsed each time. */
const MAX_PREPARED = 1_000;
/** Milliseconds after which the database ends a session that does nothing within a transaction: its process hangs, and others wait for its locks. */
const IDLE_TIMEOUT = 10_000;
const KEEP_ALIVE_DELAY = 10_000;

/** @throws {ConnectionLost} where the database cannot be reached @throws {PostgresDriverMissing} @throws what the database reports, where it refuses the session */
export async function connectPostgres(url: DatabaseUrl, settings: SessionSettings): Promise<PostgresConnection> {
  const { Client: NewClient } = await loadDriver();
  const connection = new PgConnection(new NewClient(configOf(url, settings)));
  await connection.open();
  return connection;
}

async function loadDriver(): Promise<Pick<typeof pg, 'Client'>> {
  try {
    return (await import('pg')).default;
  } catch (error) {
    throw new PostgresDriverMissing(error);
  }
}

function configOf(url: DatabaseUrl, { name, statementTimeout, lockTimeout, readOnly }: SessionSettings): ClientConfig {
  const { host, port, database, user, password, schema } = url;
  const idleTimeout = statementTimeout === 0 ? 0 : IDLE_TIMEOUT;
  const parameters = {
    search_path: schema,
    lock_timeout: lockTimeout,
    statement_timeout: statementTimeout,
    idle_in_transaction_session_timeout: idleTimeout,
    default_transaction_read_only: readOnly ? 'on' : 'off',
    default_transaction_isolation: String.raw`read\ committed`,
    jit: 'off',
  };
  return {
    host,
    port,
    database,
    user,
    // An empty one instead of what a file in the home folder says.
    password: password ?? '',
    ssl: tlsOf(url),
    application_name: name,
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    ...(statementTimeout === 0 ? {} : { query_timeout: statementTimeout + ANSWER_MARGIN }),
    options: Object.entries(parameters)
      .map(([parameter, value]) => `-c ${parameter}=${value}`)
      .join(' '),
    types: { getTypeParser },
  };
}

function tlsOf({ sslMode, authority }: DatabaseUrl): ConnectionOptions | false {
  if (sslMode === 'disable') return false;
  if (sslMode === 'require') return { rejectUnauthorized: false };
  const ca = authority === null ? {} : { ca: authority };
  return sslMode === 'verify-full' ? ca : { ...ca, checkServerIdentity: () => undefined };
}

const BOOLEAN = 16;
const BYTES = 17;
/** 64, 16 and 32 bits; single and double precision. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 700, 701]);

/** How the text of a value is read, by its type. Integers of 64 bits are numbers: statements read those of fields as texts. */
function getTypeParser(type: number): (text: string) => SqlValue {
  if (NUMBERS.has(type)) return Number;
  if (type === BYTES) return (text) => Buffer.from(text.slice(2), 'hex');
  return type === BOOLEAN ? (text) => (text === 't' ? 1 : 0) : (text) => text;
}

class PgConnection implements PostgresConnection {
  readonly #client: Client;
  readonly #names = new Map<string, string>();
  #isOpen = false;

  constructor(client: Client) {
    this.#client = client;
    const ended = (): void => {
      this.#isOpen = false;
    };
    client.on('error', ended);
    client.on('end', ended);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async open(): Promise<void> {
    try {
      await this.#client.connect();
    } catch (error) {
      throw driverError(error);
    }
    this.#isOpen = true;
  }

  async query(text: string, values: readonly SqlValue[] = []): Promise<QueryResult> {
    try {
      const { rows, rowCount } = await this.#client.query<SqlRow>({
        name: this.#nameOf(text),
        text,
        values: [...values],
      });
      return { rows, count: rowCount ?? 0 };
    } catch (error) {
      throw driverError(error);
    }
  }

  async script(text: string): Promise<void> {
    try {
      await this.#client.query(text);
    } catch (error) {
      throw driverError(error);
    }
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#client.end();
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size === MAX_PREPARED) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
