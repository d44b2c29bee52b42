import type { Partition } from '../../../plan/list/partitions.ts';
import type { MaybePromise } from '../../../platform/maybe-promise.ts';
import type { ChangeStamps } from '../../store.ts';
import type { PostgresChangeStamps } from '../commit/change-stamps.ts';
import type { ReplicaClient } from './replica-client.ts';

/**
 * The stamps of one request that reads from replicas. A stamp may be of a later state than the known one: batches after
 * it have the commits of that state. After a batch the stamps are those of its snapshot where that is the
 * known state of the primary, which needs no further read.
 */
export class ReplicaStamps implements ChangeStamps {
  readonly #stamps: ChangeStamps & Pick<PostgresChangeStamps, 'knownStamps' | 'stateOfStamps'>;
  readonly #reads: Pick<ReplicaClient, 'state' | 'see'>;

  constructor(
    stamps: ChangeStamps & Pick<PostgresChangeStamps, 'knownStamps' | 'stateOfStamps'>,
    reads: Pick<ReplicaClient, 'state' | 'see'>,
  ) {
    this.#stamps = stamps;
    this.#reads = reads;
  }

  async resourceStamps(resources: readonly string[]): Promise<readonly number[]> {
    const stamps = await this.#known().resourceStamps(resources);
    await this.#see();
    return stamps;
  }

  async partitionStamp(resource: string, partition: Partition): Promise<number> {
    const stamp = await this.#known().partitionStamp(resource, partition);
    await this.#see();
    return stamp;
  }

  rowStamp(resource: string, id: string): MaybePromise<number | null> {
    return this.#stamps.rowStamp(resource, id);
  }

  knownRowStamp(resource: string, id: string): number | null {
    return this.#stamps.knownRowStamp(resource, id);
  }

  rowStampAhead(resource: string, id: string): number | null {
    return this.#stamps.rowStampAhead(resource, id);
  }

  settledRevision(): MaybePromise<number | null> {
    return this.#stamps.settledRevision();
  }

  #known(): Pick<ChangeStamps, 'resourceStamps' | 'partitionStamp'> {
    return this.#stamps.knownStamps(this.#reads.state) ?? this.#stamps;
  }

  async #see(): Promise<void> {
    this.#reads.see(await this.#stamps.stateOfStamps());
  }
}
