import { loopIteration } from '../../../platform/clock.ts';
import { atEndOfTick } from '../../../platform/end-of-tick.ts';
import type { SqlValue } from '../../sql/dialect.ts';
import { unavailable } from '../health/unavailable.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * The connection of the main thread, for reads and writes: a commit empties the page caches of all other connections,
 * but not its own. All reads of one event-loop iteration share a read transaction: locking and unlocking the database
 * takes half as long as finding a row.
 */
export class MainConnection {
  readonly #connection: SqliteConnection;
  readonly #readVersion: string;
  #version: SqlValue | undefined;
  /** The loop iteration whose read transaction is open. */
  #iteration: number | null = null;

  /** @param schema the database whose commits by other processes are noticed: the main one, or an attached one */
  constructor(connection: SqliteConnection, schema = 'main') {
    this.#connection = connection;
    this.#readVersion = `pragma ${schema}.data_version`;
  }

  /**
   * The connection for reading. All reads until the end of the loop iteration see one snapshot, which contains every
   * commit that was acknowledged before the iteration began.
   *
   * @throws {StoreUnavailable} while another process has locked the database
   */
  reader(): SqliteConnection {
    const iteration = loopIteration();
    if (iteration !== this.#iteration) this.#begin(iteration);
    return this.#connection;
  }

  /** The connection for writing, without an open transaction. */
  writer(): SqliteConnection {
    this.endReadTransaction();
    return this.#connection;
  }

  /** `PRAGMA data_version` of the snapshot: it changes when another process has committed. */
  get dataVersion(): SqlValue | undefined {
    return this.#version;
  }

  /** Ends the snapshot: the next read sees the latest commits. */
  readonly endReadTransaction = (): void => {
    if (this.#iteration === null) return;
    this.#iteration = null;
    try {
      this.#connection.run('commit');
    } catch (error) {
      // SQLite ends the transaction itself where the disk fails, and when the connection closes. To look each time
      // takes as long as half of `commit`.
      if (this.#connection.inTransaction) throw error;
    }
  };

  #begin(iteration: number): void {
    this.endReadTransaction();
    this.#connection.run('begin');
    this.#iteration = iteration;
    // Before a commit begins: SQLite restarts the WAL only while it has no readers.
    atEndOfTick('flush', this.endReadTransaction);
    try {
      this.#version = this.#connection.get(this.#readVersion)?.['data_version'];
    } catch (error) {
      this.endReadTransaction();
      throw unavailable(error) ?? error;
    }
  }
}
