import type { Partition } from '../../../plan/list/partitions.ts';
import type { MaybePromise } from '../../../platform/maybe-promise.ts';
import type { ChangeStamps } from '../../store.ts';
import type { PostgresChangeStamps } from '../commit/change-stamps.ts';
import type { ReplicaClient } from './replica-client.ts';

/**
 * The stamps of one request that reads from replicas. After a batch they are those of its snapshot where that is the
 * known state of the primary, which needs no further read.
 */
export class ReplicaStamps implements ChangeStamps {
  readonly #stamps: PostgresChangeStamps;
  readonly #reads: Pick<ReplicaClient, 'revision'>;

  constructor(stamps: PostgresChangeStamps, reads: Pick<ReplicaClient, 'revision'>) {
    this.#stamps = stamps;
    this.#reads = reads;
  }

  resourceStamps(resources: readonly string[]): MaybePromise<readonly number[]> {
    return (this.#stamps.knownStamps(this.#reads.revision) ?? this.#stamps).resourceStamps(resources);
  }

  partitionStamp(resource: string, partition: Partition): MaybePromise<number> {
    return (this.#stamps.knownStamps(this.#reads.revision) ?? this.#stamps).partitionStamp(resource, partition);
  }

  rowStamp(resource: string, id: string): Promise<number> {
    return this.#stamps.rowStamp(resource, id);
  }

  knownRowStamp(resource: string, id: string): number | null {
    return this.#stamps.knownRowStamp(resource, id);
  }

  rowStampAhead(resource: string, id: string): number | null {
    return this.#stamps.rowStampAhead(resource, id);
  }
}
