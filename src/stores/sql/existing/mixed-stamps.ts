import type { Partition } from '../../../plan/list/partitions.ts';
import { chain, type MaybePromise } from '../../../platform/maybe-promise.ts';
import type { ChangeStamps, StampBasis } from '../../store.ts';
import type { Tables } from '../tables.ts';

interface StampSources {
  readonly own: ChangeStamps;
  /** Those of tables of another program. */
  readonly existing: ChangeStamps;
}

/** The change stamps of a model with own tables and tables of another program. */
export class MixedStamps implements ChangeStamps {
  readonly #own: ChangeStamps;
  readonly #existing: ChangeStamps;
  readonly #tables: Tables;

  constructor({ own, existing }: StampSources, tables: Tables) {
    this.#own = own;
    this.#existing = existing;
    this.#tables = tables;
  }

  rowStamp(resource: string, id: string): MaybePromise<number | null> {
    return this.#of(resource).rowStamp(resource, id);
  }

  knownRowStamp(resource: string, id: string): number | null {
    return this.#of(resource).knownRowStamp(resource, id);
  }

  rowStampAhead(resource: string, id: string): number | null {
    return this.#of(resource).rowStampAhead(resource, id);
  }

  resourceStamps(resources: readonly string[]): MaybePromise<readonly number[]> {
    const own = resources.filter((name) => !this.#isExisting(name));
    const others = resources.filter((name) => this.#isExisting(name));
    return chain(own.length === 0 ? [] : this.#own.resourceStamps(own), (ownStamps) =>
      chain(this.#existing.resourceStamps(others), (stamps) => {
        const known = new Map([
          ...own.map((name, at) => [name, ownStamps[at] ?? 0] as const),
          ...others.map((name, at) => [name, stamps[at] ?? 0] as const),
        ]);
        return resources.map((name) => known.get(name) ?? 0);
      }),
    );
  }

  partitionStamp(resource: string, partition: Partition): MaybePromise<number> {
    return this.#of(resource).partitionStamp(resource, partition);
  }

  settledRevision(): MaybePromise<number | null> {
    return this.#own.settledRevision();
  }

  basis(resource: string): StampBasis {
    return this.#of(resource).basis?.(resource) ?? 'commits';
  }

  lastStamp(resource: string): number | null {
    return this.#of(resource).lastStamp?.(resource) ?? null;
  }

  #isExisting(resource: string): boolean {
    return this.#tables.of(resource).existing !== null;
  }

  #of(resource: string): ChangeStamps {
    return this.#isExisting(resource) ? this.#existing : this.#own;
  }
}
