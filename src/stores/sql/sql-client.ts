import type { Effort } from '../../plan/plan.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { DeadlineChecks, SqlRow, SqlValue, Statement } from './dialect.ts';

/** Statements that are read in one transaction, so that no commit falls between them. */
export type StatementBatch = readonly Statement[];

/** The rows of each statement of a batch. */
export type BatchRows = readonly (readonly SqlRow[])[];

/** A batch, and what decides where it runs. */
export interface BatchRead {
  /** The resource whose rows are read. */
  readonly resource: string;
  readonly effort: Effort;
  /** The statements, with checks of the deadline at some rows. */
  readonly statements: (checks: DeadlineChecks) => StatementBatch;
}

/** Runs statements on one database. A driver that answers synchronously returns values instead of promises. */
export interface SqlClient {
  /** The first row of a query; null where it has none. */
  get(statement: Statement): MaybePromise<SqlRow | null>;

  /** All rows of a query. */
  all(statement: Statement): MaybePromise<readonly SqlRow[]>;

  /** Reads a batch. @throws {StatementTimeout} {StoreOverloaded} {StoreUnavailable} */
  batch(read: BatchRead): MaybePromise<BatchRows>;

  /**
   * Runs a statement in a transaction of its own, once the database is not locked.
   *
   * @returns the rows of its `returning` clause
   */
  execute(statement: Statement): Promise<readonly SqlRow[]>;
}

/** A client of a database that says without a read whether another process has written. */
export interface VersionedClient extends SqlClient {
  /**
   * A value that differs from the previous one after another process has committed. It is read once per event-loop
   * iteration.
   */
  dataVersion(): SqlValue | undefined;
}
