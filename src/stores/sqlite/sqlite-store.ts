import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Model } from '../../model/model.ts';
import type { Observe } from '../../observe/observation.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { createRandom, type Random } from '../../platform/random.ts';
import { UnusableDatabase } from '../sql/schema/schema-errors.ts';
import { Tables } from '../sql/tables.ts';
import type { Store } from '../store.ts';
import { Checkpoints } from './commit/checkpoints.ts';
import { StatementDeadline } from './read-pool/statement-deadline.ts';
import { sqlite } from './dialect.ts';
import { SqliteConnection, isCorrupt, type WriterOptions } from './connection/sqlite-connection.ts';
import { CacheEpochs } from './cache-epochs.ts';
import { GroupCommit } from './commit/group-commit.ts';
import { ReadPool } from './read-pool/read-pool.ts';
import { SqlChangeStamps } from './change-stamps.ts';
import { MainConnection } from './connection/main-connection.ts';
import { BusyRetry } from './busy/busy-retry.ts';
import { prepareDatabase, readSecret, verifyDatabase } from './schema/prepare-database.ts';
import { ReadScheduler } from './read-pool/read-scheduler.ts';
import { defineFunctions } from './connection/sql-functions.ts';
import { SqliteDeliveries, SqliteEventLog } from './sqlite-events.ts';
import { SqliteRows } from './sqlite-rows.ts';
import { UnitWriter } from './commit/unit-writer.ts';
import { waitUntilFree } from './busy/until-free.ts';

export { LossySchemaChange, SchemaViolation, UnusableDatabase } from '../sql/schema/schema-errors.ts';

export interface SqliteOptions {
  /** The file, made with its directory where it is absent; `:memory:` for a database that ends with the store. */
  readonly path: string;
  readonly model: Model;
  /** Whether the file is made and brought to the model; else it must be there, as the model has it. Default: it is. */
  readonly migrate?: boolean;
  /** Default: observations are dropped. */
  readonly observe?: Observe;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Creates the secret of a new database and the ids of cache epochs. Default: the cryptographic generator of Node. */
  readonly random?: Random;
  /** Looks at and limits the main connection: for tests and for looking closely. What it is told holds values, so never for a log. */
  readonly writer?: Omit<WriterOptions, 'existing'> & {
    /** Milliseconds that a write waits for another process that writes. */
    readonly busyTimeout?: number;
  };
  /** Ends the wait for another process that holds the database: opening it fails with the reason. */
  readonly signal?: AbortSignal | undefined;
  /** Rows of a collection up to which heavy reads of it are tried on the calling thread: for tests. Default: 2,000. */
  readonly maxRowsOnMainThread?: number;
}

type CompleteOptions = SqliteOptions & Required<Pick<SqliteOptions, 'observe' | 'clock' | 'random'>>;

const IN_MEMORY = ':memory:';

/**
 * Reading all of so many rows of common size keeps the thread for half a millisecond to three, as the filter is a column or a decimal inside
 * JSON; another thread adds 0.2 ms to each read.
 */
const MAX_ROWS_ON_MAIN_THREAD = 2_000;

interface OpenedDatabase {
  readonly connection: SqliteConnection;
  /** What brought it to the model. */
  readonly statements: readonly string[];
}

/** Opens the database and brings it to the model, or makes sure that it is there and as the model has it. */
function open(path: string, { migrate = true, model, random, writer: writing }: CompleteOptions): OpenedDatabase {
  const connection = SqliteConnection.writer(path, { ...writing, mustExist: !migrate });
  try {
    defineFunctions(connection);
    if (migrate) return { connection, statements: prepareDatabase(connection, model, random) };
    verifyDatabase(connection, model);
    return { connection, statements: [] };
  } catch (error) {
    connection.close();
    throw error;
  }
}

function assemble(path: string, connection: SqliteConnection, options: CompleteOptions): Store {
  const { model, clock } = options;
  const main = new MainConnection(connection);
  const tables = new Tables(model, sqlite);
  const changes = new SqlChangeStamps(main);
  const checkpoints = path === IN_MEMORY ? null : new Checkpoints(path, main);
  const patience = new BusyRetry(options.random, options.writer?.busyTimeout);
  const commits = new GroupCommit(main, new UnitWriter(connection, tables), clock, patience, (plans) => {
    changes.committed(plans);
    checkpoints?.rowsCommitted(plans.length);
  });
  const secret = readSecret(connection);
  const editions = new CacheEpochs(main, patience, options.random);
  const timeout = model.limits.statementTimeout;
  const heavy = path === IN_MEMORY ? null : new ReadPool({ path, timeout, clock });
  const deadline = new StatementDeadline(connection, { now: () => clock.now(), timeout });
  const rowsInPlace = options.maxRowsOnMainThread ?? MAX_ROWS_ON_MAIN_THREAD;
  const place = new ReadScheduler({ main, deadline, clock, pool: heavy, maxRowsOnMainThread: rowsInPlace });
  const rows = new SqliteRows(main, tables, commits, place, changes);
  return {
    rows,
    writes: rows,
    bookmarks: rows,
    idempotencyRecords: rows,
    stamps: rows,
    events: new SqliteEventLog(main),
    deliveries: new SqliteDeliveries(main, patience),
    secret: () => secret,
    cacheEpoch: (name, now) => editions.get(name, now),
    ping: () => {
      main.reader().get('select 1 from restwright_sequences');
    },
    close: async () => {
      await Promise.all([heavy?.close(), commits.close()]);
      await checkpoints?.close();
      connection.close();
    },
  };
}

/** Makes sure that there is a file to open, or a place to make it. */
function findFile(path: string, { migrate = true }: SqliteOptions): void {
  if (path === IN_MEMORY) return;
  if (migrate) mkdirSync(dirname(path), { recursive: true });
  else if (!existsSync(path)) throw new UnusableDatabase('It is gone. Put it back as it was, or start all anew.');
}

/**
 * Opens a database in SQLite for a model, made or changed to fit it; the statements that changed it are announced.
 *
 * @throws {LossySchemaChange} where the model asks for a change that loses data; the database stays as it was
 * @throws {SchemaViolation} where stored rows break what the model newly declares
 * @throws {UnusableDatabase} where the file is damaged, no database, another program's, made by a newer version or held too long; without `prepare` also
 *   where it is missing or not as the model has it
 */
export async function openSqlite(given: SqliteOptions): Promise<Store> {
  const options = { observe: () => undefined, clock: systemClock, random: createRandom(), ...given };
  const path = options.path === IN_MEMORY ? IN_MEMORY : resolve(options.path);
  try {
    findFile(path, options);
    const { connection, statements } = await waitUntilFree(() => open(path, options), { ...options, path });
    if (statements.length > 0) options.observe({ kind: 'schema-changed', statements });
    return assemble(path, connection, options);
  } catch (error) {
    if (error instanceof UnusableDatabase) throw new UnusableDatabase(`${path} cannot be used. ${error.message}`);
    if (!isCorrupt(error)) throw error;
    throw new UnusableDatabase(
      `${path} is no SQLite database, or is damaged. Name another file, or restore a backup.`,
      {
        cause: error,
      },
    );
  }
}
