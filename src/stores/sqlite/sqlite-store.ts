import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Model } from '../../model/model.ts';
import { readsTablesOnly, showsTables } from '../../model/table-source.ts';
import type { Observe } from '../../observe/observation.ts';
import { type Clock, monotonicNow, systemClock } from '../../platform/clock.ts';
import { createRandom, type Random } from '../../platform/random.ts';
import { SqlCacheEpochs } from '../sql/cache-epochs.ts';
import { SqlChangeStamps } from '../sql/change-stamps.ts';
import { SqlBookmarks, SqlIdempotencyRecords } from '../sql/commit-records.ts';
import type { ConversionCheck } from '../sql/conversion/problem-rows.ts';
import { SqlDeliveries } from '../sql/events/deliveries.ts';
import { SqlEventLog } from '../sql/events/event-log.ts';
import { newestTime } from '../sql/read/newest-time.ts';
import { SqlRowReader } from '../sql/read/row-reader.ts';
import type { MigrationPhase } from '../sql/schema/current-models.ts';
import { type Consent, type SchemaStep, UnusableDatabase } from '../sql/schema/schema-errors.ts';
import { METADATA, SystemStatements } from '../sql/system-statements.ts';
import type { Store } from '../store.ts';
import { BusyRetry } from './busy/busy-retry.ts';
import { openWhenUnlocked } from './busy/open-when-unlocked.ts';
import { Tables } from '../sql/tables.ts';
import { Checkpoints } from './commit/checkpoints.ts';
import { GroupCommit } from './commit/group-commit.ts';
import { UnitWriter } from './commit/unit-writer.ts';
import { MainConnection } from './connection/main-connection.ts';
import { defineFunctions } from './connection/sql-functions.ts';
import type { Driver, DriverName } from './driver/driver.ts';
import { selectDriver } from './driver/select-driver.ts';
import { isCorrupt } from './driver/sqlite-errors.ts';
import { type DatabaseFile, locateFile } from './health/database-files.ts';
import { SqliteConnection, type WriterOptions } from './connection/sqlite-connection.ts';
import { sqlite } from './dialect/sqlite-dialect.ts';
import { type ExistingFile, openTables } from './existing/existing-file.ts';
import { requireUris } from './existing/open-source.ts';
import { partsOfOwnRows, partsWithTables } from './existing/table-parts.ts';
import { openReads } from './read-pool/open-reads.ts';
import {
  planMigration,
  type Preparation,
  prepareDatabase,
  readSecret,
  verifyDatabase,
} from './schema/prepare-database.ts';
import { SqliteClient } from './sqlite-client.ts';
import { watchDatabase, type WatchedDatabase } from './watch-database.ts';

export { LossySchemaChange, SchemaViolation, UnusableDatabase } from '../sql/schema/schema-errors.ts';

export interface SqliteOptions {
  /**
   * The file, created with its directory where it does not exist; `:memory:` for a database that ends with the store.
   */
  readonly path: string;
  readonly model: Model;
  /**
   * The library that opens the file. Default: better-sqlite3, or `node:sqlite` where that cannot be loaded; it is
   * observed as `driver-unavailable`.
   */
  readonly driver?: DriverName | undefined;
  /**
   * True to create the file and migrate its schema to the model; if false, it must exist and match the model. Default:
   * true.
   */
  readonly migrate?: boolean;
  /** Consent to a migration that loses data, or leaves rows that break a rule of the model. Default: `none`. */
  readonly consent?: Consent;
  /** A phase of a deployment in which two neighbouring models are served (OPS-6). Default: none. */
  readonly phase?: MigrationPhase | null;
  /** Receives the steps of a migration that was applied. */
  readonly onMigrated?: (steps: readonly SchemaStep[]) => void;
  /** Default: observations are dropped. */
  readonly observe?: Observe;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Creates the secret of a new database and the ids of cache epochs. Default: the cryptographic generator of Node. */
  readonly random?: Random;
  /**
   * Traces and limits the main connection, for tests and debugging. Traced statements contain values: never log them.
   */
  readonly writer?: Omit<WriterOptions, 'mustExist'> & {
    /** Milliseconds that a write waits while another process has locked the database. Default: 5,000. */
    readonly busyTimeout?: number;
  };
  /** Stops the wait for a locked database: opening it fails with the reason. */
  readonly signal?: AbortSignal | undefined;
  /** Slow reads of collections with at most so many rows are tried on the main thread first. Default: 2,000. */
  readonly maxRowsOnMainThread?: number;
}

type CompleteOptions = SqliteOptions & Required<Pick<SqliteOptions, 'observe' | 'clock' | 'random'>>;

/** The path of a database that ends with the store. */
export const IN_MEMORY = ':memory:';

const STORAGE_TYPES = new SystemStatements(sqlite).metadata(METADATA.storageTypes);

interface OpenedDatabase extends Preparation {
  readonly connection: SqliteConnection;
  /** The file that is written; null for a database in memory. */
  readonly file: DatabaseFile | null;
  /** The file of another program, whose tables the model shows; null for a model of own rows. */
  readonly source: ExistingFile | null;
}

/** Opens the database of own rows, or the file of another program. */
function open(path: string, driver: Driver, options: CompleteOptions): OpenedDatabase {
  return showsTables(options.model) ? openTables(path, { ...options, driver }) : openOwn(path, driver, options);
}

/** Opens the database and migrates it to the model, or verifies that it matches the model. */
function openOwn(
  path: string,
  driver: Driver,
  { migrate = true, consent = 'none', phase = null, model, random, writer }: CompleteOptions,
): OpenedDatabase {
  const connection = SqliteConnection.writer(path, driver, { ...writer, mustExist: !migrate });
  try {
    const found = path === IN_MEMORY ? null : locateFile(path);
    const file = found === null ? null : { ...found, driver: driver.name };
    defineFunctions(connection);
    const prepared = migrate
      ? prepareDatabase(connection, model, { random, consent, phase })
      : verifyDatabase(connection, model);
    // Not before: a migration sorts whole tables for their indexes, which may not fit in memory.
    connection.keepStatementJournalsInMemory();
    return { connection, file, source: null, ...prepared };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Creates the listener that is called after each commit, before anything else can read. */
function commitListener(
  { committed }: Pick<SqlChangeStamps, 'committed'>,
  checkpoints: Checkpoints | null,
): SqlChangeStamps['committed'] {
  return (plans) => {
    committed(plans);
    checkpoints?.rowsCommitted(plans.length);
  };
}

/** @throws {StoreUnavailable} where the database, or its file, is not as it was opened */
function ping(client: SqliteClient, { guard, match, health }: WatchedDatabase): void {
  guard.check();
  match.requireColumns(client.get(STORAGE_TYPES));
  health.requireHealthy();
}

function assemble(opened: OpenedDatabase, retry: BusyRetry, options: CompleteOptions): Store {
  const { connection, file: database, source } = opened;
  const main = new MainConnection(connection, source?.schema);
  const tables = new Tables(options.model, sqlite, null, source?.tables);
  const { system } = tables;
  const { pool, scheduler } = openReads(opened, main, options);
  const watched = watchDatabase({ file: database, source }, main, options);
  const client = new SqliteClient({ main, scheduler, retry, ...watched });
  const stamps = new SqlChangeStamps(client, system);
  const { random } = options;
  const parts =
    source === null ? partsOfOwnRows(stamps) : partsWithTables(stamps, { connection, client, tables, random });
  const checkpoints = database === null ? null : new Checkpoints(database, main);
  const onCommit = commitListener(parts, checkpoints);
  const writer = new UnitWriter(connection, tables, parts.tableWriter);
  const writes = new GroupCommit({ main, writer, clock: options.clock, retry, ...watched, onCommit });
  const [secret, epochs] = [readSecret(connection), new SqlCacheEpochs(client, system, random)];
  return {
    rows: new SqlRowReader(client, tables, options.clock),
    writes,
    bookmarks: new SqlBookmarks(client, system),
    idempotencyRecords: new SqlIdempotencyRecords(client, tables),
    stamps: parts.stamps,
    events: new SqlEventLog(client, tables, options.model),
    deliveries: new SqlDeliveries(client, sqlite),
    secret: () => secret,
    cacheEpoch: (name, now) => epochs.get(parts.nameEpoch(name), now, opened.isShared),
    newestTime: (until) => newestTime(client, tables, until),
    ping: () => ping(client, watched),
    usage: () => ({ queuedReads: pool?.queued ?? 0, statements: connection.statementStatistics }),
    close: async () => {
      for (const each of [watched.guard, watched.health]) each.close();
      await Promise.all([pool?.close(), writes.close()]);
      await checkpoints?.close();
      connection.close();
      source?.close();
    },
  };
}

function chooseDriver({ driver: name, observe, model }: CompleteOptions): Driver {
  if (showsTables(model) && readsTablesOnly(model)) return requireUris(name);
  const { driver, replaces } = selectDriver(name);
  if (replaces !== null) observe({ kind: 'driver-unavailable', used: driver.name, error: replaces });
  return driver;
}

/** Creates the directory of the file, or checks that the file exists. */
function prepareFile(path: string, { migrate = true, model }: SqliteOptions): void {
  if (path === IN_MEMORY || showsTables(model)) return;
  if (migrate) mkdirSync(dirname(path), { recursive: true });
  else if (!existsSync(path))
    throw new UnusableDatabase('It does not exist any more. Restore it, or restart all processes.');
}

/**
 * Opens a SQLite database for a model, and migrates its schema to the model. The statements that changed it are
 * observed as `schema-changed`.
 *
 * @throws {LossySchemaChange} where the migration would lose data or leave rows that break a rule, without consent; the
 *   database is unchanged
 * @throws {SchemaViolation} where stored rows violate a new rule of the model; the database is unchanged
 * @throws {UnusableDatabase} for a file that is corrupt, not a database, of another program or of a newer version, or
 *   locked for too long
 * @throws {UnusableDatabase} without `migrate` also for a file that does not exist or does not match the model
 *
 * @example
 * ```ts
 * const store = await openSqlite({ path: './notes.db', model });
 * const api = createApi({ model, store });
 * ```
 */
export async function openSqlite(given: SqliteOptions): Promise<Store> {
  const options = { observe: () => undefined, clock: systemClock, random: createRandom(), ...given };
  const path = options.path === IN_MEMORY ? IN_MEMORY : resolve(options.path);
  const retry = new BusyRetry({ random: options.random, now: monotonicNow, timeout: options.writer?.busyTimeout });
  try {
    const driver = chooseDriver(options);
    prepareFile(path, options);
    const opened = await openWhenUnlocked(retry, () => open(path, driver, options), {
      path,
      observe: options.observe,
      signal: options.signal,
    });
    const { isNew, steps } = opened;
    const statements = steps.flatMap((step) => step.statements);
    options.onMigrated?.(steps);
    if (statements.length > 0) options.observe({ kind: 'schema-changed', database: path, isNew, statements });
    return assemble(opened, retry, options);
  } catch (error) {
    throw withPath(error, path);
  }
}

type PlanSqliteOptions = Pick<SqliteOptions, 'driver' | 'phase'> & Partial<ConversionCheck>;

/**
 * The steps that {@link openSqlite} would make to migrate a database to a model, without changing it. A file that does
 * not exist is planned as an empty database.
 *
 * @param options as those of {@link openSqlite}
 * @throws {UnusableDatabase} where the file is corrupt, not a database, of another program or of a newer version
 */
export function planSqlite(
  file: string,
  model: Model,
  { driver: name, phase = null, now = monotonicNow, report = null }: PlanSqliteOptions = {},
): readonly SchemaStep[] {
  const path = existsSync(file) ? resolve(file) : IN_MEMORY;
  try {
    const { driver } = selectDriver(name);
    const connection =
      path === IN_MEMORY ? SqliteConnection.writer(path, driver) : SqliteConnection.reader(path, driver);
    try {
      defineFunctions(connection);
      return planMigration(connection, model, { phase, now, report });
    } finally {
      connection.close();
    }
  } catch (error) {
    throw withPath(error, path);
  }
}

/** Names the file in the error for a database that cannot be used. */
function withPath(error: unknown, path: string): unknown {
  if (error instanceof UnusableDatabase) return new UnusableDatabase(`${path} cannot be used. ${error.message}`);
  if (!isCorrupt(error)) return error;
  const message = `${path} is not a valid SQLite database. Name another file, or restore a backup.`;
  return new UnusableDatabase(message, { cause: error });
}
