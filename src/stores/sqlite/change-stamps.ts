import type { WritePlan } from '../../plan/plan.ts';
import { fnv1a } from '../../cache/fnv1a.ts';
import type { SqliteConnection } from './connection/sqlite-connection.ts';
import type { MainConnection } from './connection/main-connection.ts';
import { readResourceStamp } from './schema/system-tables.ts';

/** A power of two. Rows that share a slot count as changed together. */
const SLOTS = 16_384;

/** When resources and rows changed last, from memory as long as no other process has written. */
export class SqlChangeStamps {
  readonly #main: MainConnection;
  readonly #ofResources = new Map<string, number>();
  /** For each slot the number of the last write to one of its rows. */
  readonly #ofRows = new Float64Array(SLOTS);
  #writes = 0;
  /** The number of the last write of another process, to whatever row. */
  #others = 0;
  /** The version of the database that all is of. */
  #version: unknown = null;

  constructor(main: MainConnection) {
    this.#main = main;
  }

  /** The revision that was drawn last when a row of a resource changed; 0 where none ever did. */
  resourceStamp(resource: string): number {
    const reader = this.#current();
    const known = this.#ofResources.get(resource);
    if (known !== undefined) return known;
    const change = readResourceStamp(reader, resource);
    this.#ofResources.set(resource, change);
    return change;
  }

  /** A number that is another one once a row may have changed. */
  rowStamp(id: string): number {
    this.#current();
    return Math.max(this.#others, this.#ofRows[slotOf(id)] ?? 0);
  }

  /** Plans that were committed. */
  committed(plans: readonly WritePlan[]): void {
    this.#writes += 1;
    for (const { resource, id } of plans) {
      this.#ofResources.delete(resource);
      this.#ofRows[slotOf(id)] = this.#writes;
    }
  }

  /** The connection for reading, once nothing is told from memory that another process may have changed. */
  #current(): SqliteConnection {
    const reader = this.#main.reader();
    if (this.#main.dataVersion !== this.#version) {
      this.#version = this.#main.dataVersion;
      this.#writes += 1;
      this.#others = this.#writes;
      this.#ofResources.clear();
    }
    return reader;
  }
}

function slotOf(id: string): number {
  return fnv1a(id) & (SLOTS - 1);
}
