import type { Random } from '../../platform/random.ts';
import type { CacheEpoch } from '../store.ts';
import type { SqlClient } from './sql-client.ts';
import { METADATA, type SystemStatements } from './system-statements.ts';

const ID_BYTES = 8;

/** A cache epoch with its name, as it is stored. */
interface StoredEpoch extends CacheEpoch {
  readonly name: string;
}

/** The cache epoch of a database. Processes that give it the same name share it. */
export class SqlCacheEpochs {
  readonly #client: SqlClient;
  readonly #system: SystemStatements;
  readonly #random: Random;

  constructor(client: SqlClient, system: SystemStatements, random: Random) {
    this.#client = client;
    this.#system = system;
    this.#random = random;
  }

  /**
   * The current epoch, or a new one where the stored one has another name.
   *
   * @param now milliseconds since the epoch
   * @param isShared whether instances of another model represent the same rows, with the same dates
   */
  async get(name: string, now: number, isShared: boolean): Promise<CacheEpoch> {
    const { id, since } = await this.#current(name, now);
    return { id, since: isShared ? Number.POSITIVE_INFINITY : since };
  }

  async #current(name: string, now: number): Promise<CacheEpoch> {
    for (;;) {
      const row = await this.#client.get(this.#system.metadata(METADATA.cacheEpoch));
      const stored = row === null ? null : String(row['value']);
      const current: StoredEpoch | null = stored === null ? null : JSON.parse(stored);
      if (current?.name === name) return current;
      const epoch = { name, id: this.#random.hex(ID_BYTES), since: now };
      const begun = await this.#client.execute(this.#begin(epoch, stored));
      // If another process has begun an epoch in between, the statement changes nothing and the next pass reads that
      // epoch.
      if (begun.length > 0) return epoch;
    }
  }

  #begin(epoch: StoredEpoch, stored: string | null): ReturnType<SystemStatements['metadata']> {
    const value = JSON.stringify(epoch);
    return stored === null
      ? this.#system.insertMetadata(METADATA.cacheEpoch, value)
      : this.#system.replaceMetadata(value, METADATA.cacheEpoch, stored);
  }
}
