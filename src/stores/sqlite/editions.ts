import type { Random } from '../../platform/random.ts';
import type { Edition } from '../store.ts';
import type { Connection } from './driver.ts';
import type { MainConnection } from './main-connection.ts';
import { META, readMeta, writeMeta } from './own-tables.ts';
import type { Patience } from './patience.ts';

const ID_BYTES = 8;

/** An edition, and by what it was told. */
interface Recorded extends Edition {
  readonly name: string;
}

/** The edition of the database, as its own facts record it: processes that tell it by one name are in the same one. */
export class Editions {
  readonly #main: MainConnection;
  readonly #patience: Patience;
  readonly #random: Random;

  constructor(main: MainConnection, patience: Patience, random: Random) {
    this.#main = main;
    this.#patience = patience;
    this.#random = random;
  }

  /** The edition of a name, begun where another one stands. @param now milliseconds since the epoch */
  async of(name: string, now: number): Promise<Edition> {
    const standing = recorded(this.#main.toRead());
    return standing?.name === name ? standing : this.#patience.with(() => this.#begin(name, now));
  }

  #begin(name: string, now: number): Edition {
    const connection = this.#main.toWrite();
    connection.run('begin immediate');
    try {
      // Another process may have been faster.
      const standing = recorded(connection);
      const edition = standing?.name === name ? standing : { name, id: this.#random.hex(ID_BYTES), since: now };
      writeMeta(connection, META.edition, JSON.stringify(edition));
      connection.run('commit');
      return edition;
    } catch (error) {
      if (connection.inTransaction) connection.run('rollback');
      throw error;
    }
  }
}

function recorded(connection: Connection): Recorded | null {
  const text = readMeta(connection, META.edition);
  if (text === null) return null;
  const edition: Recorded = JSON.parse(text);
  return edition;
}
