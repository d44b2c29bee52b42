import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { SqlRow, SqlValue, Statement } from '../sql/dialect.ts';
import type { BatchRead, BatchRows, SqlClient } from '../sql/sql-client.ts';
import type { BusyRetry } from './busy/busy-retry.ts';
import type { MainConnection } from './connection/main-connection.ts';
import type { ReadScheduler } from './read-pool/read-scheduler.ts';

/** Runs statements on SQLite: reads synchronously on the main connection, other than slow ones, and writes once the database is not locked. */
export class SqliteClient implements SqlClient {
  readonly #main: MainConnection;
  readonly #scheduler: ReadScheduler;
  readonly #retry: BusyRetry;

  constructor(main: MainConnection, scheduler: ReadScheduler, retry: BusyRetry) {
    this.#main = main;
    this.#scheduler = scheduler;
    this.#retry = retry;
  }

  get({ text, values }: Statement): SqlRow | null {
    return this.#main.reader().get(text, values);
  }

  all({ text, values }: Statement): readonly SqlRow[] {
    return this.#main.reader().all(text, values);
  }

  batch(read: BatchRead): MaybePromise<BatchRows> {
    const rows = this.#scheduler.read(read);
    // Another thread may have read a newer state than this iteration's transaction: later reads must be at least as new.
    if (rows instanceof Promise) void rows.then(this.#main.endReadTransaction, this.#main.endReadTransaction);
    return rows;
  }

  execute({ text, values }: Statement): Promise<readonly SqlRow[]> {
    return this.#retry.run(() => this.#main.writer().execute(text, values));
  }

  dataVersion(): SqlValue | undefined {
    this.#main.reader();
    return this.#main.dataVersion;
  }
}
