import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Model } from '../../model/model.ts';
import type { Observe } from '../../observe/observation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import { UnusableDatabase } from '../sql/schema-errors.ts';
import { Tables } from '../sql/tables.ts';
import type { Store } from '../store.ts';
import { Checkpoints } from './checkpoints.ts';
import { Deadline } from './deadline.ts';
import { sqlite } from './dialect.ts';
import { Connection, isUnreadable, type WriterOptions } from './driver.ts';
import { Editions } from './editions.ts';
import { GroupCommit } from './group-commit.ts';
import { HeavyReads } from './heavy-reads.ts';
import { LastChanges } from './last-changes.ts';
import { MainConnection } from './main-connection.ts';
import { Patience } from './patience.ts';
import { prepareDatabase, readSecret, verifyDatabase } from './prepare-database.ts';
import { ReadingPlace } from './reading-place.ts';
import { defineFunctions } from './sql-functions.ts';
import { SqliteDeliveries, SqliteEventLog } from './sqlite-events.ts';
import { SqliteResources } from './sqlite-resources.ts';
import { UnitWriter } from './unit-writer.ts';
import { untilFree } from './until-free.ts';

export { LossySchemaChange, SchemaViolation, UnusableDatabase } from '../sql/schema-errors.ts';

export interface SqliteOptions {
  /** The file, made with its directory where it is absent; `:memory:` for a database that ends with the store. */
  readonly path: string;
  readonly model: Model;
  /** Whether the file is made and brought to the model; else it must be there, as the model has it. Default: it is. */
  readonly prepare?: boolean;
  readonly observe: Observe;
  readonly clock: Clock;
  /** Makes the secret of a new database, and ids of editions. */
  readonly random: Random;
  /** Looks at and limits the main connection: for tests and for looking closely. What it is told holds values, so never for a log. */
  readonly writing?: Omit<WriterOptions, 'existing'> & {
    /** Milliseconds that a write waits for another process that writes. */
    readonly busyTimeout?: number;
  };
  /** Ends the wait for another process that holds the database: opening it fails with the reason. */
  readonly stop?: AbortSignal | undefined;
  /** Rows of a collection up to which heavy reads of it are tried on the calling thread: for tests. Default: 2,000. */
  readonly rowsInPlace?: number;
}

const IN_MEMORY = ':memory:';

/**
 * Reading all of so many rows of common size keeps the thread for half a millisecond to three, as the filter is a column or a decimal inside
 * JSON; another thread adds 0.2 ms to each read.
 */
const ROWS_IN_PLACE = 2_000;

interface Prepared {
  readonly connection: Connection;
  /** What brought it to the model. */
  readonly statements: readonly string[];
}

/** Opens the database and brings it to the model, or makes sure that it is there and as the model has it. */
function open(path: string, { prepare = true, model, random, writing }: SqliteOptions): Prepared {
  const connection = Connection.writer(path, { ...writing, existing: !prepare });
  try {
    defineFunctions(connection);
    if (prepare) return { connection, statements: prepareDatabase(connection, model, random) };
    verifyDatabase(connection, model);
    return { connection, statements: [] };
  } catch (error) {
    connection.close();
    throw error;
  }
}

function assemble(path: string, connection: Connection, options: SqliteOptions): Store {
  const { model, clock } = options;
  const main = new MainConnection(connection);
  const tables = new Tables(model, sqlite);
  const changes = new LastChanges(main);
  const checkpoints = path === IN_MEMORY ? null : new Checkpoints(path, main);
  const patience = new Patience(options.random, options.writing?.busyTimeout);
  const commits = new GroupCommit(main, new UnitWriter(connection, tables), clock, patience, (plans) => {
    changes.wrote(plans);
    checkpoints?.wrote(plans.length);
  });
  const secret = readSecret(connection);
  const editions = new Editions(main, patience, options.random);
  const timeout = model.limits.statementTimeout;
  const heavy = path === IN_MEMORY ? null : new HeavyReads({ path, timeout, clock });
  const deadline = new Deadline(connection, { now: () => clock.now(), timeout });
  const rowsInPlace = options.rowsInPlace ?? ROWS_IN_PLACE;
  const place = new ReadingPlace({ main, deadline, clock, heavy, rowsInPlace });
  return {
    resources: new SqliteResources(main, tables, commits, place, changes),
    events: new SqliteEventLog(main),
    deliveries: new SqliteDeliveries(main, patience),
    get waiting() {
      return commits.waiting;
    },
    secret: () => secret,
    edition: (name, now) => editions.of(name, now),
    ping: () => {
      main.toRead().get('select 1 from restwright_sequences');
    },
    close: async () => {
      await Promise.all([heavy?.close(), commits.close()]);
      await checkpoints?.close();
      connection.close();
    },
  };
}

/** Makes sure that there is a file to open, or a place to make it. */
function findFile(path: string, { prepare = true }: SqliteOptions): void {
  if (path === IN_MEMORY) return;
  if (prepare) mkdirSync(dirname(path), { recursive: true });
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
export async function openSqlite(options: SqliteOptions): Promise<Store> {
  const path = options.path === IN_MEMORY ? IN_MEMORY : resolve(options.path);
  try {
    findFile(path, options);
    const { connection, statements } = await untilFree(() => open(path, options), { ...options, path });
    if (statements.length > 0) options.observe({ kind: 'schema-changed', statements });
    return assemble(path, connection, options);
  } catch (error) {
    if (error instanceof UnusableDatabase) throw new UnusableDatabase(`${path} cannot be used. ${error.message}`);
    if (!isUnreadable(error)) throw error;
    throw new UnusableDatabase(
      `${path} is no SQLite database, or is damaged. Name another file, or restore a backup.`,
      {
        cause: error,
      },
    );
  }
}
