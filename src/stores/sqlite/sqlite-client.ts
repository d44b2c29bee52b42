import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { SqlRow, SqlValue, Statement } from '../sql/dialect.ts';
import type { BatchRead, BatchRows, VersionedClient } from '../sql/sql-client.ts';
import type { BusyRetry } from './busy/busy-retry.ts';
import type { MainConnection } from './connection/main-connection.ts';
import type { FileGuard } from './health/file-guard.ts';
import type { ModelGuard } from '../sql/schema/model-guard.ts';
import type { WriteHealth } from '../sql/write-health.ts';
import type { ReadScheduler } from './read-pool/read-scheduler.ts';

interface SqliteClientOptions {
  readonly main: MainConnection;
  readonly scheduler: ReadScheduler;
  readonly retry: BusyRetry;
  readonly guard: FileGuard;
  readonly health: WriteHealth;
  readonly match: ModelGuard;
}

/**
 * Runs statements on SQLite: reads synchronously on the main connection, other than slow ones, and writes once the
 * database is not locked. Errors of the database as a whole are thrown as `StoreUnavailable`.
 */
export class SqliteClient implements VersionedClient {
  readonly #main: MainConnection;
  readonly #scheduler: ReadScheduler;
  readonly #retry: BusyRetry;
  readonly #guard: FileGuard;
  readonly #health: WriteHealth;
  readonly #match: ModelGuard;

  constructor({ main, scheduler, retry, guard, health, match }: SqliteClientOptions) {
    this.#main = main;
    this.#scheduler = scheduler;
    this.#retry = retry;
    this.#guard = guard;
    this.#health = health;
    this.#match = match;
  }

  get({ text, values }: Statement): SqlRow | null {
    this.#requireUsable();
    try {
      return this.#main.reader().get(text, values);
    } catch (error) {
      throw this.#health.readFailed(error);
    }
  }

  all({ text, values }: Statement): readonly SqlRow[] {
    this.#requireUsable();
    try {
      return this.#main.reader().all(text, values);
    } catch (error) {
      throw this.#health.readFailed(error);
    }
  }

  batch(read: BatchRead): MaybePromise<BatchRows> {
    this.#requireUsable();
    try {
      const rows = this.#scheduler.read(read);
      return rows instanceof Promise ? this.#fromThread(rows) : rows;
    } catch (error) {
      throw this.#health.readFailed(error);
    }
  }

  async execute({ text, values }: Statement): Promise<readonly SqlRow[]> {
    this.#requireUsable();
    try {
      const rows = await this.#retry.run(() => this.#main.writer().execute(text, values));
      this.#guard.check();
      return rows;
    } catch (error) {
      throw this.#health.writeFailed(error);
    }
  }

  dataVersion(): SqlValue | undefined {
    this.#requireUsable();
    this.#main.reader();
    return this.#main.dataVersion;
  }

  #requireUsable(): void {
    this.#guard.requireIntact();
    this.#match.requireMatch();
  }

  /**
   * Another thread may have read a newer state than this iteration's transaction: later reads must be at least as new.
   */
  async #fromThread(rows: Promise<BatchRows>): Promise<BatchRows> {
    try {
      return await rows;
    } catch (error) {
      throw this.#health.readFailed(error);
    } finally {
      this.#main.endReadTransaction();
    }
  }
}
