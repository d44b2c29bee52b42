import type { ItemPlan, Row, WritePlan } from '../../plan/plan.ts';
import { itemStatement } from '../sql/read-statements.ts';
import type { Tables } from '../sql/tables.ts';
import type { Connection } from './driver.ts';
import type { MainConnection } from './main-connection.ts';
import { readLastChange } from './own-tables.ts';
import { RowCache } from './row-cache.ts';

/** Rows by id, and when a resource changed last, from memory where they were read before and nobody has written since. */
export class CurrentRows {
  readonly #main: MainConnection;
  readonly #tables: Tables;
  readonly #cache = new RowCache();
  readonly #changes = new Map<string, number>();
  /** The version of the database that they are of. */
  #version: unknown = null;

  constructor(main: MainConnection, tables: Tables) {
    this.#main = main;
    this.#tables = tables;
  }

  /** The revision that was drawn last when a row of a resource changed; 0 where none ever did. */
  lastChange(resource: string): number {
    const reader = this.#current();
    const known = this.#changes.get(resource);
    if (known !== undefined) return known;
    const change = readLastChange(reader, resource);
    this.#changes.set(resource, change);
    return change;
  }

  /** The row of a plan, whole or with more columns than were asked for; null where it is absent or not below the rows named. */
  read(plan: ItemPlan): Row | null {
    const reader = this.#current();
    const { resource, id, within } = plan;
    const known = this.#cache.get(resource, id);
    if (known !== null && within.length === 0) return known;
    const { text, values } = itemStatement(this.#tables, plan);
    const read = reader.get(text, values);
    if (read === null) return null;
    const row = this.#tables.of(resource).decode(read);
    // What is below other rows is looked up each time; the row itself stays the one that is known, where it is that.
    if (known !== null && known.revision === row.revision) return known;
    return plan.columns === undefined ? this.#cache.offer(resource, row) : row;
  }

  /** The same row as was told before, where it still is. One that was not is not kept: whoever asks for a page asks for no row of it. */
  known(resource: string, row: Row): Row {
    const known = this.#cache.get(resource, row.id);
    return known?.revision === row.revision ? known : row;
  }

  /** Plans that were committed, and the revisions that their rows have by now. */
  wrote(plans: readonly WritePlan[], revisions: readonly number[]): void {
    for (const [index, plan] of plans.entries()) {
      const { resource, id } = plan;
      const before = this.#cache.get(resource, id);
      this.#changes.delete(resource);
      // What a row has become is known where it is known what it was.
      const revision = revisions[index];
      if (plan.kind === 'update' && before?.revision === plan.revision && revision !== undefined) {
        this.#cache.put(resource, { ...before, ...plan.values, updated_at: plan.at, revision });
      } else this.#cache.forget(resource, id);
    }
  }

  /** The connection for reading, once nothing is kept here that another process may have changed. */
  #current(): Connection {
    const reader = this.#main.toRead();
    if (this.#main.version !== this.#version) {
      this.#version = this.#main.version;
      this.#cache.clear();
      this.#changes.clear();
    }
    return reader;
  }
}
