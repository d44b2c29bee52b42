import { loopIteration } from '../../../platform/clock.ts';
import { atEndOfTick } from '../../../platform/end-of-tick.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { unavailable } from '../busy/unavailable.ts';

/**
 * The one connection of the thread that answers. It reads what it has written without reading the file again: each commit has every other
 * connection let go of the pages that it holds. What is read in one turn of the event loop is read in one transaction: by itself each
 * read would lock the database and let go of it again, which takes the system half as long as it takes SQLite to find a row.
 */
export class MainConnection {
  readonly #connection: SqliteConnection;
  #version: unknown = null;
  /** The turn whose transaction is open. */
  #turn: number | null = null;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /**
   * The connection for reading: what is read from now on to the end of the turn is of one state of the database, which holds every commit
   * that was answered before the turn began.
   *
   * @throws {StoreUnavailable} where another process holds the database
   */
  reader(): SqliteConnection {
    const turn = loopIteration();
    if (turn !== this.#turn) this.#begin(turn);
    return this.#connection;
  }

  /** The connection for writing, with no transaction open. */
  writer(): SqliteConnection {
    this.endReadTransaction();
    return this.#connection;
  }

  /** Another one than before where another process has changed what is being read (`PRAGMA data_version`). */
  get dataVersion(): unknown {
    return this.#version;
  }

  /** What is read next is of the state that it finds. */
  readonly endReadTransaction = (): void => {
    if (this.#turn === null) return;
    this.#turn = null;
    // SQLite ends the transaction itself where the disk fails, and with the connection.
    if (this.#connection.inTransaction) this.#connection.run('commit');
  };

  #begin(turn: number): void {
    this.endReadTransaction();
    this.#connection.run('begin');
    this.#turn = turn;
    // Before a commit begins: SQLite's log begins anew only where nobody reads from it.
    atEndOfTick('flush', this.endReadTransaction);
    try {
      this.#version = this.#connection.get('pragma data_version')?.['data_version'];
    } catch (error) {
      this.endReadTransaction();
      throw unavailable(error) ?? error;
    }
  }
}
