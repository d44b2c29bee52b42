import { atEndOfTurn } from '../../platform/end-of-turn.ts';
import type { Connection } from './driver.ts';

/**
 * The transaction that the reads of one turn of the event loop share. By itself each of them would lock the database and let go of it again,
 * which takes the system half as long as it takes SQLite to find a row.
 */
export class ReadingTurn {
  readonly #reader: Connection;
  #begun = false;

  /** @param reader a connection that never writes */
  constructor(reader: Connection) {
    this.#reader = reader;
  }

  /** What is read on the connection from now on to the end of the turn is of one state of the database. */
  begin(): void {
    if (this.#begun) return;
    this.#reader.run('begin');
    this.#begun = true;
    // Before a commit begins: SQLite's log begins anew only where nobody reads from it.
    atEndOfTurn('leave', this.end);
  }

  /** What is read next is of the state that it finds: call it when the database has changed. */
  readonly end = (): void => {
    if (!this.#begun) return;
    this.#begun = false;
    // SQLite ends the transaction itself where the disk fails, and with the connection.
    if (this.#reader.inTransaction) this.#reader.run('commit');
  };
}
