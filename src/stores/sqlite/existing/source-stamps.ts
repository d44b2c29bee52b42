import type { ChangeStamps } from '../../store.ts';
import type { VersionedClient } from '../../sql/sql-client.ts';

/**
 * The change stamps of the tables of another program: the version of its file, which each commit of any process
 * changes. It is read for each request, so that nothing is served from a cache without asking the database.
 */
export class SourceStamps implements ChangeStamps {
  readonly #client: Pick<VersionedClient, 'dataVersion'>;

  constructor(client: Pick<VersionedClient, 'dataVersion'>) {
    this.#client = client;
  }

  resourceStamps(resources: readonly string[]): readonly number[] {
    const version = this.#version();
    return resources.map(() => version);
  }

  partitionStamp(): number {
    return this.#version();
  }

  rowStamp(): number {
    return this.#version();
  }

  knownRowStamp(): number {
    return this.#version();
  }

  rowStampAhead(): number {
    return this.#version();
  }

  settledRevision(): null {
    return null;
  }

  #version(): number {
    return Number(this.#client.dataVersion());
  }
}
