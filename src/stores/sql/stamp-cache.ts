import type { Partition } from '../../plan/list/partitions.ts';
import { fnv1a } from '../../cache/fnv1a.ts';
import { awaitAll, type MaybePromise } from '../../platform/maybe-promise.ts';
import type { Statement } from './dialect.ts';
import type { SqlClient } from './sql-client.ts';
import type { SystemStatements } from './system-statements.ts';

/** A power of two. Rows that share a slot share their stamp. */
const SLOTS = 16_384;
/** Most partitions of a resource whose stamps are kept in memory. */
const MAX_PARTITIONS = 10_000;

/** A row that was created, changed or deleted. */
export interface ChangedRow {
  readonly resource: string;
  readonly id: string;
}

/** Change stamps in memory, valid until another process writes to the database. */
export class StampCache {
  readonly #client: SqlClient;
  readonly #system: SystemStatements;
  readonly #resources = new Map<string, number>();
  /** By partition, of each resource. */
  readonly #partitions = new Map<string, Map<string, number>>();
  /** For each slot the number of the last known write to one of its rows. */
  readonly #slots = new Float64Array(SLOTS);
  #writes = 0;
  /** The number of the last write that may have changed any row. */
  #lastUnknownWrite = 0;

  constructor(client: SqlClient, system: SystemStatements) {
    this.#client = client;
    this.#system = system;
  }

  /** The last revision that was assigned when a row of each resource changed; 0 where none ever did. */
  resourceStamps(resources: readonly string[]): MaybePromise<readonly number[]> {
    return awaitAll(
      resources.map(
        (resource) =>
          this.#resources.get(resource) ?? this.#keep(this.#system.resourceStamp(resource), this.#resources, resource),
      ),
    );
  }

  /** The last revision that was assigned when a row of the partition changed; 0 where none ever did. */
  partitionStamp(resource: string, { field, value }: Partition): MaybePromise<number> {
    const known = this.#partitions.get(resource) ?? new Map<string, number>();
    if (known.size < MAX_PARTITIONS) this.#partitions.set(resource, known);
    else known.clear();
    const key = `${field}=${value}`;
    return known.get(key) ?? this.#keep(this.#system.partitionStamp(resource, field, value), known, key);
  }

  rowStamp(id: string): number {
    return Math.max(this.#lastUnknownWrite, this.#slots[findSlot(id)] ?? 0);
  }

  /** Invalidates the stamps of rows that were changed. */
  changed(rows: readonly ChangedRow[]): void {
    this.#writes += 1;
    for (const { resource, id } of rows) {
      this.#resources.delete(resource);
      this.#partitions.delete(resource);
      this.#slots[findSlot(id)] = this.#writes;
    }
  }

  /** Invalidates all stamps: it is not known what was changed. */
  clear(): void {
    this.#writes += 1;
    this.#lastUnknownWrite = this.#writes;
    this.#resources.clear();
    this.#partitions.clear();
  }

  /** Reads a stamp, and keeps it unless something was written meanwhile. */
  async #keep(read: Statement, known: Map<string, number>, key: string): Promise<number> {
    const writes = this.#writes;
    const row = await this.#client.get(read);
    const stamp = Number(row?.['change'] ?? 0);
    if (writes === this.#writes) known.set(key, stamp);
    return stamp;
  }
}

function findSlot(id: string): number {
  return fnv1a(id) & (SLOTS - 1);
}
