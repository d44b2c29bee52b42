import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Model } from '../../model/model.ts';
import type { Observe } from '../../observe/observation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import { UnusableDatabase } from '../sql/schema-errors.ts';
import { Tables } from '../sql/tables.ts';
import type { Store } from '../store.ts';
import { Checkpoints } from './checkpoints.ts';
import { CurrentRows } from './current-rows.ts';
import { Deadline } from './deadline.ts';
import { sqlite } from './dialect.ts';
import { Connection, isBusy, isUnreadable, type WriterOptions } from './driver.ts';
import { GroupCommit } from './group-commit.ts';
import { HeavyReads } from './heavy-reads.ts';
import { Patience } from './patience.ts';
import { prepareDatabase, readSecret } from './prepare-database.ts';
import { ReadingPlace } from './reading-place.ts';
import { ReadingTurn } from './reading-turn.ts';
import { defineFunctions } from './sql-functions.ts';
import { SqliteDeliveries, SqliteEventLog } from './sqlite-events.ts';
import { SqliteResources } from './sqlite-resources.ts';
import { UnitWriter } from './unit-writer.ts';

export { LossySchemaChange, SchemaViolation, UnusableDatabase } from '../sql/schema-errors.ts';

export interface SqliteOptions {
  /** The file, made with its directory where it is absent; `:memory:` for a database that ends with the store. */
  readonly path: string;
  readonly model: Model;
  readonly observe: Observe;
  readonly clock: Clock;
  /** Makes the secret of a new database. */
  readonly random: Random;
  /** Looks at and limits the writing connection: for tests and for looking closely. What it is told holds values, so never for a log. */
  readonly writing?: WriterOptions;
  /** Rows of a collection up to which heavy reads of it are tried on the calling thread: for tests. Default: 2,000. */
  readonly rowsInPlace?: number;
}

const IN_MEMORY = ':memory:';

/**
 * Reading all of so many rows of common size keeps the thread for half a millisecond to three, as the filter is a column or a decimal inside
 * JSON; another thread adds 0.2 ms to each read.
 */
const ROWS_IN_PLACE = 2_000;

/** While another process turns a new file to WAL, SQLite fails at once instead of waiting; one that migrates may take long. */
const ATTEMPTS = 20;
const PAUSE = 50;

async function patiently<T>(attempt: () => T): Promise<T> {
  for (let left = ATTEMPTS; ; left -= 1) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || left === 1) throw error;
      await setTimeout(PAUSE);
    }
  }
}

/** Opens the writing connection and brings the database to the model. */
function prepare(path: string, options: SqliteOptions): { writer: Connection; statements: readonly string[] } {
  const writer = Connection.writer(path, options.writing);
  try {
    defineFunctions(writer);
    return { writer, statements: prepareDatabase(writer, options.model, options.random) };
  } catch (error) {
    writer.close();
    throw error;
  }
}

function assemble(path: string, writer: Connection, options: SqliteOptions): Store {
  const { model, clock } = options;
  const reader = path === IN_MEMORY ? writer : Connection.reader(path);
  if (reader !== writer) defineFunctions(reader);
  const tables = new Tables(model, sqlite);
  const rows = new CurrentRows(reader, writer, tables, reader === writer ? null : new ReadingTurn(reader));
  const checkpoints = path === IN_MEMORY ? null : new Checkpoints(path, writer);
  const patience = new Patience(options.random, options.writing?.busyTimeout);
  writer.waitNoMore();
  const commits = new GroupCommit(writer, new UnitWriter(writer, tables), clock, patience, (plans, revisions) => {
    rows.wrote(plans, revisions);
    checkpoints?.wrote(plans.length);
  });
  const secret = readSecret(reader);
  const timeout = model.limits.statementTimeout;
  const heavy = path === IN_MEMORY ? null : new HeavyReads({ path, timeout, clock });
  const deadline = new Deadline(reader, { now: () => clock.now(), timeout });
  const rowsInPlace = options.rowsInPlace ?? ROWS_IN_PLACE;
  const place = new ReadingPlace({ reader, deadline, clock, heavy, rowsInPlace });
  return {
    resources: new SqliteResources(reader, tables, commits, place, rows),
    events: new SqliteEventLog(reader),
    deliveries: new SqliteDeliveries(writer, patience),
    get waiting() {
      return commits.waiting;
    },
    secret: () => secret,
    ping: () => {
      reader.get('select 1 from restwright_sequences');
    },
    close: async () => {
      await Promise.all([heavy?.close(), commits.close()]);
      await checkpoints?.close();
      if (reader !== writer) reader.close();
      writer.close();
    },
  };
}

/**
 * Opens a database in SQLite for a model, made or changed to fit it; the statements that changed it are announced.
 *
 * @throws {LossySchemaChange} where the model asks for a change that loses data; the database stays as it was
 * @throws {SchemaViolation} where stored rows break what the model newly declares
 * @throws {UnusableDatabase} where the file is damaged, no database, another program's or made by a newer version
 */
export async function openSqlite(options: SqliteOptions): Promise<Store> {
  const path = options.path === IN_MEMORY ? IN_MEMORY : resolve(options.path);
  if (path !== IN_MEMORY) mkdirSync(dirname(path), { recursive: true });
  try {
    const { writer, statements } = await patiently(() => prepare(path, options));
    if (statements.length > 0) options.observe({ kind: 'schema-changed', statements });
    return assemble(path, writer, options);
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
