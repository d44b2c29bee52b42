import { EVERYTHING, type Row, type FieldValues } from '../../../src/plan/plan.ts';
import { type WriteUnit } from '../../../src/plan/write-unit.ts';
import type { Store } from '../../../src/stores/store.ts';
import { replacing } from './replacing.ts';

/** A store that runs a function before each commit, after the API has read and before it writes. */
export function before(store: Store, act: (unit: WriteUnit) => Promise<void> | void): Store {
  return replacing(store, {
    async commit(unit, deadline) {
      await act(unit);
      return store.writes.commit(unit, deadline);
    },
  });
}

/** Another process on the same database: it writes to the store without the API and publishes nothing. */
export class Rival {
  readonly #store: Store;
  readonly #resource: string;
  readonly #at: string;

  constructor(store: Store, resource: string, at = '2026-01-02T03:05:00.000Z') {
    this.#store = store;
    this.#resource = resource;
    this.#at = at;
  }

  async create(id: string, values: FieldValues): Promise<void> {
    await this.#write({ kind: 'create', resource: this.#resource, id, values, within: [], at: this.#at, event: null });
  }

  async change(id: string, values: FieldValues): Promise<void> {
    const { revision } = await this.#row(id);
    const row = { resource: this.#resource, id, within: [], revision };
    await this.#write({ kind: 'update', ...row, values, at: this.#at, event: null });
  }

  async remove(id: string): Promise<void> {
    const { revision } = await this.#row(id);
    await this.#write({ kind: 'delete', resource: this.#resource, id, within: [], revision, event: null });
  }

  async #row(id: string): Promise<Row> {
    const row = await this.#store.rows.item({
      kind: 'item',
      resource: this.#resource,
      id,
      within: [],
      visible: EVERYTHING,
    });
    if (row === null) throw new Error(`there is no row ${id} of ${this.#resource}`);
    return row;
  }

  async #write(plan: WriteUnit['plans'][number]): Promise<void> {
    const outcome = await this.#store.writes.commit({ plans: [plan] });
    if (outcome.kind !== 'committed') throw new Error(`the rival's write was refused: ${outcome.kind}`);
  }
}
