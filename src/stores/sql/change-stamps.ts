import type { Partition } from '../../plan/list/partitions.ts';
import type { WritePlan } from '../../plan/plan.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { ChangeStamps } from '../store.ts';
import type { SqlValue } from './dialect.ts';
import type { VersionedClient } from './sql-client.ts';
import { StampCache } from './stamp-cache.ts';
import type { SystemStatements } from './system-statements.ts';

/**
 * Change stamps, cached in memory until another process writes to the database. They depend on the rows alone: on none
 * of identity, permission, visibility and contract.
 */
export class SqlChangeStamps implements ChangeStamps {
  readonly #client: VersionedClient;
  readonly #cache: StampCache;
  /** The version of the database that the cached stamps belong to. */
  #dataVersion: SqlValue | undefined;

  constructor(client: VersionedClient, system: SystemStatements) {
    this.#client = client;
    this.#cache = new StampCache(client, system);
  }

  resourceStamps(resources: readonly string[]): MaybePromise<readonly number[]> {
    this.#refresh();
    return this.#cache.resourceStamps(resources);
  }

  partitionStamp(resource: string, partition: Partition): MaybePromise<number> {
    this.#refresh();
    return this.#cache.partitionStamp(resource, partition);
  }

  rowStamp(_resource: string, id: string): number {
    this.#refresh();
    return this.#cache.rowStamp(id);
  }

  knownRowStamp(resource: string, id: string): number {
    return this.rowStamp(resource, id);
  }

  rowStampAhead(resource: string, id: string): number {
    return this.rowStamp(resource, id);
  }

  settledRevision(): null {
    return null;
  }

  /** Invalidates the stamps of what this process has committed. */
  committed(plans: readonly WritePlan[]): void {
    this.#cache.changed(plans);
  }

  /** Invalidates all stamps where another process may have written. */
  #refresh(): void {
    const version = this.#client.dataVersion();
    if (version === this.#dataVersion) return;
    this.#dataVersion = version;
    this.#cache.clear();
  }
}
