import { Socket } from 'node:net';
import type pg from 'pg';
import type { Client, ClientConfig } from 'pg';
import { fieldRows } from '../dialect/literals.ts';
import type { SqlRow, SqlValue } from '../../sql/dialect.ts';
import { quoteText } from '../../sql/standard-dialect.ts';
import type { DatabaseUrl } from './database-url.ts';
import { ConnectionLost, driverError, PostgresDriverMissing } from './postgres-errors.ts';
import { isWithoutTls, tlsOptions } from './tls.ts';

/** The settings of a session. */
export interface SessionSettings {
  /** The name of the session in the database. */
  readonly name: string;
  /** Milliseconds after which the database stops a statement; 0 for never. */
  readonly statementTimeout: number;
  /** Milliseconds that a statement waits for a lock. */
  readonly lockTimeout: number;
  /** True if the session may not write. */
  readonly readOnly: boolean;
  /**
   * True if plans use indexes wherever they can, and are made once: a plan for a small table is kept when the table has
   * grown. Otherwise the server makes a plan for each array, because it estimates its length. Default: false.
   */
  readonly byIndex?: boolean;
  /** Further parameters, which take precedence. Default: none. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The newer of two models whose rows differ: its id, and the schema of its views. Default: null. */
  readonly newer?: { readonly id: string; readonly views: string } | null;
}

/** The result of a statement. */
export interface QueryResult {
  readonly rows: readonly SqlRow[];
  /** The number of rows that it read or changed. */
  readonly count: number;
}

/** One session. Statements are sent without waiting for the answers of others, and answered in order. */
export interface PostgresConnection {
  /** True while statements can be sent. A closed session stays closed. */
  readonly isOpen: boolean;
  query(text: string, values?: readonly SqlValue[]): Promise<QueryResult>;
  /**
   * Runs statements without values, separated by semicolons, in one transaction unless they begin and end one. They are
   * not prepared.
   *
   * @returns the rows of the last one
   */
  script(text: string): Promise<readonly SqlRow[]>;
  /** Waits for the statements that were sent, for a limited time. */
  close(): Promise<void>;
}

/** Milliseconds that connecting may take. */
const CONNECT_TIMEOUT = 2_000;
/** Milliseconds beyond the statement timeout after which the connection counts as dead. */
const ANSWER_MARGIN = 5_000;
/** Milliseconds that closing may take: a server that does not answer does not end the session either. */
const CLOSE_TIMEOUT = 5_000;
/** The most statements that a session prepares: others are parsed each time. */
const MAX_PREPARED = 1_000;
/**
 * Milliseconds after which the database ends a session that does nothing within a transaction: its process hangs, and
 * others wait for its locks.
 */
const IDLE_TIMEOUT = 10_000;
const KEEP_ALIVE_DELAY = 10_000;
/** Parameters of a session whose statements find rows by indexes, with one plan each. */
const BY_INDEX = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
};

/**
 * @param settings null for those of the server: only to look at a pooler
 * @throws {ConnectionLost} where the database cannot be reached
 * @throws {PostgresDriverMissing}
 * @throws what the database reports, where it refuses the session
 */
export async function connectPostgres(url: DatabaseUrl, settings: SessionSettings | null): Promise<PostgresConnection> {
  const { Client: NewClient } = await loadDriver();
  const socket = new Socket();
  const client = new NewClient({ ...configureClient(url, settings), stream: () => socket });
  const connection = new PgConnection(client, socket, settings?.statementTimeout ?? 0);
  try {
    await connection.open();
    if (url.pooler !== null && settings !== null) await setParameters(connection, sessionParameters(url, settings));
    return connection;
  } catch (error) {
    const isPreferred = url.sslMode === 'prefer' && error instanceof ConnectionLost && isWithoutTls(error.cause);
    if (!isPreferred) throw error;
    return connectPostgres({ ...url, sslMode: 'disable' }, settings);
  }
}

async function loadDriver(): Promise<Pick<typeof pg, 'Client'>> {
  try {
    return (await import('pg')).default;
  } catch (error) {
    throw new PostgresDriverMissing(error);
  }
}

/** The parameters of the server that a session sets. */
function sessionParameters(
  { schema }: DatabaseUrl,
  { statementTimeout, lockTimeout, readOnly, byIndex = false, newer = null, parameters = {} }: SessionSettings,
): Readonly<Record<string, string>> {
  return {
    search_path: newer === null ? schema : `${newer.views},${schema}`,
    ...(newer === null ? {} : { 'restwright.writer': newer.id }),
    lock_timeout: String(lockTimeout),
    statement_timeout: String(statementTimeout),
    idle_in_transaction_session_timeout: String(statementTimeout === 0 ? 0 : IDLE_TIMEOUT),
    default_transaction_read_only: readOnly ? 'on' : 'off',
    default_transaction_isolation: 'read committed',
    jit: 'off',
    ...(byIndex ? BY_INDEX : {}),
    ...parameters,
  };
}

/**
 * Sets parameters by a statement: a pooler accepts none when a session begins. Closes the session where one is refused.
 */
async function setParameters(
  connection: PostgresConnection,
  parameters: Readonly<Record<string, string>>,
): Promise<void> {
  const set = Object.entries(parameters).map(([name, value]) => `set_config('${name}', ${quoteText(value)}, false)`);
  try {
    await connection.script(`select ${set.join(', ')}`);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function configureClient(url: DatabaseUrl, settings: SessionSettings | null): ClientConfig {
  const { host, port, database, user, password, pooler } = url;
  return {
    host,
    port,
    database,
    user,
    // An empty one instead of what a file in the home folder says.
    password: password ?? '',
    ssl: tlsOptions(url),
    application_name: settings?.name ?? 'restwright',
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    ...(pooler === null && settings !== null ? { options: writeOptions(sessionParameters(url, settings)) } : {}),
    types: { getTypeParser },
  };
}

/** Parameters that the server reads with the first message of a session. */
function writeOptions(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, String.raw`\$&`)}`)
    .join(' ');
}

const BOOLEAN = 16;
const BYTES = 17;
/** 64, 16 and 32 bits; single and double precision. */
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 700, 701]);

/** Selects the parser of values of a type. 64-bit integers become numbers: statements read those of fields as texts. */
function getTypeParser(type: number): (text: string) => SqlValue {
  if (NUMBERS.has(type)) return Number;
  if (type === BYTES) return (text) => Buffer.from(text.slice(2), 'hex');
  return type === BOOLEAN ? (text) => (text === 't' ? 1 : 0) : (text) => text;
}

/** The callback of an answered statement. */
type Answered<T> = (error: Error | null | undefined, result: T) => void;

class PgConnection implements PostgresConnection {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #names = new Map<string, string>();
  /** Ends a connection on which nothing is answered; null where a statement may run for any time. */
  readonly #watch: NodeJS.Timeout | null;
  #unanswered = 0;
  #isCorked = false;
  #isOpen = false;

  /** @param statementTimeout milliseconds after which the database stops a statement; 0 for never */
  constructor(client: Client, socket: Socket, statementTimeout: number) {
    this.#client = client;
    this.#socket = socket;
    this.#watch =
      statementTimeout === 0 ? null : setTimeout(() => this.#giveUp(), statementTimeout + ANSWER_MARGIN).unref();
    const ended = (): void => {
      this.#isOpen = false;
      if (this.#watch !== null) clearTimeout(this.#watch);
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
      // The driver leaves it open where it gives up itself, such as without a password.
      this.#socket.destroy();
      throw driverError(error);
    }
    this.#isOpen = true;
  }

  query(text: string, values: readonly SqlValue[] = []): Promise<QueryResult> {
    const config = { name: this.#nameOf(text), text, values: [...values] };
    return this.#send<pg.QueryResult<SqlRow>, QueryResult>(
      (answered) => this.#client.query<SqlRow>(config, answered),
      ({ fields, rows, rowCount }) => ({ rows: fieldRows(fields, rows), count: rowCount ?? 0 }),
    );
  }

  script(text: string): Promise<readonly SqlRow[]> {
    return this.#send<pg.QueryResult<SqlRow> | readonly pg.QueryResult<SqlRow>[], readonly SqlRow[]>(
      (answered) => this.#client.query<SqlRow>(text, answered),
      (result) => [result].flat().at(-1)?.rows ?? [],
    );
  }

  /** Callbacks of the driver in place of its promises, which are three for a statement. */
  #send<T, R>(send: (answered: Answered<T>) => void, read: (result: T) => R): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    this.#cork();
    if (this.#unanswered === 0) this.#watch?.refresh();
    this.#unanswered += 1;
    send((error, result) => {
      this.#unanswered -= 1;
      this.#watch?.refresh();
      if (error) reject(driverError(error));
      else resolve(read(result));
    });
    return promise;
  }

  /**
   * All statements of an iteration of the event loop are written to the connection together, at its end. So what they
   * read was read after all requests of the iteration had arrived (OPS-5).
   */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    const { stream } = this.#client.connection;
    stream.cork();
    setImmediate(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  #giveUp(): void {
    if (this.#unanswered > 0) this.#client.connection.stream.destroy(new Error('The database does not answer'));
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_TIMEOUT);
    await this.#client.end();
    clearTimeout(timer);
  }

  #nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size === MAX_PREPARED) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
