import type { WritePlan } from '../../../plan/plan.ts';
import type { SqlValue } from '../../sql/dialect.ts';
import type { VersionedClient } from '../../sql/sql-client.ts';
import type { Tables } from '../../sql/tables.ts';
import type { ChangeStamps } from '../../store.ts';

/**
 * The change stamps of the tables of another program: the version of its file, which each commit of any process
 * changes. It is read for each request, so that nothing is served from a cache without asking the database. The version
 * leaves out the commits of this process, which are counted.
 */
export class SourceStamps implements ChangeStamps {
  readonly #client: Pick<VersionedClient, 'dataVersion'>;
  readonly #tables: Tables;
  #commits = 0;

  constructor(client: Pick<VersionedClient, 'dataVersion'>, tables: Tables) {
    this.#client = client;
    this.#tables = tables;
  }

  resourceStamps(resources: readonly string[]): readonly number[] {
    const stamp = this.#current();
    return resources.map(() => stamp);
  }

  partitionStamp(): number {
    return this.#current();
  }

  rowStamp(): number {
    return this.#current();
  }

  knownRowStamp(): number {
    return this.#current();
  }

  rowStampAhead(): number {
    return this.#current();
  }

  settledRevision(): null {
    return null;
  }

  /** The stamp of all tables for a version of the file. */
  stampAt(version: SqlValue | undefined): number {
    return Number(version) + this.#commits;
  }

  /** Counts a commit of this process. Its triggers may have changed any table. */
  committed(plans: readonly WritePlan[]): void {
    if (plans.some(({ resource }) => this.#tables.of(resource).existing !== null)) this.#commits += 1;
  }

  #current(): number {
    return this.stampAt(this.#client.dataVersion());
  }
}
