import type { Random } from '../../platform/random.ts';
import type { CacheEpoch } from '../store.ts';
import type { SqliteConnection } from './connection/sqlite-connection.ts';
import type { MainConnection } from './connection/main-connection.ts';
import { META, readMeta, writeMeta } from './schema/system-tables.ts';
import type { BusyRetry } from './busy/busy-retry.ts';

const ID_BYTES = 8;

/** An edition, and by what it was told. */
interface RecordedEpoch extends CacheEpoch {
  readonly name: string;
}

/** The edition of the database, as its own facts record it: processes that tell it by one name are in the same one. */
export class CacheEpochs {
  readonly #main: MainConnection;
  readonly #patience: BusyRetry;
  readonly #random: Random;

  constructor(main: MainConnection, patience: BusyRetry, random: Random) {
    this.#main = main;
    this.#patience = patience;
    this.#random = random;
  }

  /** The edition of a name, begun where another one stands. @param now milliseconds since the epoch */
  async get(name: string, now: number): Promise<CacheEpoch> {
    const standing = readEpoch(this.#main.reader());
    return standing?.name === name ? standing : this.#patience.run(() => this.#begin(name, now));
  }

  #begin(name: string, now: number): CacheEpoch {
    const connection = this.#main.writer();
    connection.run('begin immediate');
    try {
      // Another process may have been faster.
      const standing = readEpoch(connection);
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

function readEpoch(connection: SqliteConnection): RecordedEpoch | null {
  const text = readMeta(connection, META.edition);
  if (text === null) return null;
  const edition: RecordedEpoch = JSON.parse(text);
  return edition;
}
