import type { Partition } from '../../plan/partitions.ts';
import type { WritePlan } from '../../plan/plan.ts';
import { loopIteration } from '../../platform/clock.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { SqlClient } from '../sql/sql-client.ts';
import { StampCache } from '../sql/stamp-cache.ts';
import type { SystemStatements } from '../sql/system-statements.ts';
import type { ChangeStamps } from '../store.ts';

/** A transaction of this process: the last revision before it and in it, and what it has written. */
export interface OwnCommit {
  readonly from: number;
  readonly to: number;
  readonly plans: readonly WritePlan[];
}

/**
 * Change stamps, cached in memory until another process writes to the database. Once per event-loop iteration the last revision is read, which each commit that
 * changes rows increases: what was acknowledged before a request arrived, by whichever instance, is in it (OPS-5). They depend on the rows alone: on none of
 * identity, permission, visibility and contract.
 */
export class PostgresChangeStamps implements ChangeStamps {
  readonly #client: SqlClient;
  readonly #system: SystemStatements;
  readonly #cache: StampCache;
  #iteration: number | null = null;
  /** The read of the iteration; null where it is answered and nothing was committed since. */
  #asked: Promise<void> | null = null;
  /** The number of reads so far, and of those that were sent before the revision was learned. */
  #reads = 0;
  #readsBefore = 0;
  /** The last revision that the cached stamps belong to. */
  #revision = -1;
  /** What is being committed. */
  #own: OwnCommit | null = null;

  constructor(client: SqlClient, system: SystemStatements) {
    this.#client = client;
    this.#system = system;
    this.#cache = new StampCache(client, system);
  }

  async resourceStamps(resources: readonly string[]): Promise<readonly number[]> {
    await this.#current();
    return this.#cache.resourceStamps(resources);
  }

  async partitionStamp(resource: string, partition: Partition): Promise<number> {
    await this.#current();
    return this.#cache.partitionStamp(resource, partition);
  }

  async rowStamp(_resource: string, id: string): Promise<number> {
    await this.#current();
    return this.#cache.rowStamp(id);
  }

  /** To be called before a transaction is committed: a read may see it before it is acknowledged. */
  committing(commit: OwnCommit): void {
    this.#own = commit;
  }

  /** To be called once it is committed, before anything else can read. */
  committed({ from, to, plans }: OwnCommit): void {
    this.#own = null;
    // What was acknowledged is in the next read.
    this.#iteration = null;
    if (to <= this.#revision) return;
    if (from === this.#revision) this.#cache.committed(plans);
    else this.#cache.clear();
    this.#learned(to);
  }

  #current(): MaybePromise<void> {
    const iteration = loopIteration();
    if (iteration !== this.#iteration) {
      this.#iteration = iteration;
      this.#asked = this.#ask();
    }
    return this.#asked ?? undefined;
  }

  async #ask(): Promise<void> {
    this.#reads += 1;
    const read = this.#reads;
    const row = await this.#client.get(this.#system.counters());
    this.#compare(Number(row?.['revision'] ?? 0), read);
  }

  /** Invalidates the stamps of what was written since they were read. @param read the number of the read that found the revision */
  #compare(revision: number, read: number): void {
    if (revision === this.#revision) return;
    // A later read, or a commit, has overtaken it. Another lower revision is that of a database that was restored.
    if (revision < this.#revision && read <= this.#readsBefore) return;
    const own = this.#own;
    if (own?.from === this.#revision && own.to === revision) this.#cache.committed(own.plans);
    else this.#cache.clear();
    this.#learned(revision);
  }

  #learned(revision: number): void {
    this.#revision = revision;
    this.#readsBefore = this.#reads;
  }
}
