import type { Model } from '../../../model/model.ts';
import type { Clock } from '../../../platform/clock.ts';
import { SystemStatements } from '../../sql/system-statements.ts';
import type { MainConnection } from '../connection/main-connection.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { sqlite } from '../dialect/sqlite-dialect.ts';
import type { ExistingFile } from '../existing/existing-file.ts';
import type { DatabaseFile } from '../health/database-files.ts';
import { ReadPool } from './read-pool.ts';
import { ReadScheduler } from './read-scheduler.ts';
import { StatementDeadline } from './statement-deadline.ts';

/**
 * Reading so many rows of average size takes the main thread 0.5 ms with a filter on a column. With one on a decimal
 * inside JSON it takes 3 ms. Another thread adds 0.2 ms to each read.
 */
const MAX_ROWS_ON_MAIN_THREAD = 2_000;

/** A database that is read: of own rows, or of another program. */
interface ReadDatabase {
  readonly connection: SqliteConnection;
  /** null for a database in memory. */
  readonly file: DatabaseFile | null;
  readonly source: ExistingFile | null;
}

interface OpenReadsOptions {
  readonly model: Model;
  readonly clock: Clock;
  readonly maxRowsOnMainThread?: number;
}

/** Reads on the main thread, and on the threads of a pool. */
export function openReads(
  { connection, file, source }: ReadDatabase,
  main: MainConnection,
  { model, clock, maxRowsOnMainThread = MAX_ROWS_ON_MAIN_THREAD }: OpenReadsOptions,
): { readonly pool: ReadPool | null; readonly scheduler: ReadScheduler } {
  const timeout = model.limits.statementTimeout;
  const database = source?.file ?? file;
  const views = source === null ? null : { schema: source.schema, views: source.views };
  const pool = database === null ? null : new ReadPool({ database, views, timeout, clock });
  const deadline = new StatementDeadline(connection, { now: () => clock.now(), timeout });
  const system = new SystemStatements(sqlite);
  return { pool, scheduler: new ReadScheduler({ main, deadline, clock, pool, system, maxRowsOnMainThread }) };
}
