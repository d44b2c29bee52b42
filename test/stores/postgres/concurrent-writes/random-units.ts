import { setImmediate } from 'node:timers/promises';
import type { WritePlan } from '../../../../src/plan/plan.ts';
import type { WriteUnit } from '../../../../src/plan/write-unit.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { create, itemPlan, listPlan, remove, update } from '../../../../store-suite/sample-writes.ts';
import type { SeededRandom } from '../../../../store-suite/seeded-random.ts';
import { compilePolicies, withResources } from '../../../model/policies.ts';
import type { History } from './history.ts';
import { logged } from './rig.ts';

/** Notes of tenants, each of which may belong to a group. */
export const { model: NOTES } = compilePolicies(
  withResources(`  groups:
    id: client
    access: { read: authenticated, write: authenticated }
    schema: { type: object, properties: { name: { type: string } } }
  notes:
    id: client
    access: { read: authenticated, write: authenticated, rows: { read: { tenant: $caller.claims.tenant } } }
    schema:
      type: object
      properties:
        tenant: { type: string }
        text: { type: string }
        group_id: { type: string, x-references: { resource: groups } }
`),
);

const TENANTS = ['a', 'b'] as const;
const GROUPS = ['g0', 'g1', 'g2', 'g3', 'g4'] as const;
/** The most groups that units create. */
export const MAX_GROUPS = 3;
const ROWS = 10;

/** A client of one store: it writes random units over ten rows, and reads as requests do. */
export class RandomClient {
  readonly #store: Store;
  readonly #history: History;
  readonly #random: SeededRandom;
  readonly #rows = new Map<string, readonly [stamp: number | null, revision: number | null]>();

  constructor(store: Store, history: History, random: SeededRandom) {
    this.#store = store;
    this.#history = history;
    this.#random = random;
  }

  async write(count: number): Promise<void> {
    for (let at = 0; at < count; at += 1) {
      const unit = this.#random.oneIn(4) ? await this.#groupUnit() : await this.#noteUnit();
      if (unit === null) continue;
      const sent = this.#history.now();
      const outcome = await this.#store.writes.commit(unit);
      this.#history.units.push({ unit, sent, answered: this.#history.now(), outcome });
    }
  }

  /** Reads all notes, and their stamps before and after that. */
  async readPages(count: number): Promise<void> {
    for (let at = 0; at < count; at += 1) {
      const sent = this.#history.now();
      const before = await this.#stamps();
      const { rows } = await this.#store.rows.list(listPlan({ resource: 'notes' }));
      const after = await this.#stamps();
      for (const [index, what] of ['all', ...TENANTS].entries()) {
        const stamp = before[index];
        const shown = rows.filter(({ tenant }) => what === 'all' || tenant === what);
        if (stamp !== undefined && stamp === after[index]) this.#history.noteStamp(what, stamp, shown);
      }
      for (let note = 0; note < ROWS; note += 1) {
        const revision = rows.find(({ id }) => id === `n${note}`)?.revision ?? null;
        this.#history.reads.push({ resource: 'notes', id: `n${note}`, sent, revision });
      }
    }
  }

  /** The stamps of all notes, and of those of each tenant. */
  async #stamps(): Promise<readonly number[]> {
    await setImmediate();
    const { stamps } = this.#store;
    const read = [...(await stamps.resourceStamps(['notes']))];
    for (const value of TENANTS) read.push(await stamps.partitionStamp('notes', { field: 'tenant', value }));
    return read;
  }

  /** Reads a row, unless its stamp is that of an earlier read. @returns its revision; null where it does not exist */
  async #read(resource: string, id: string): Promise<number | null> {
    await setImmediate();
    const sent = this.#history.now();
    const stamp = await this.#store.stamps.rowStamp(resource, id);
    const known = this.#rows.get(id);
    const isKnown = known !== undefined && known[0] === stamp;
    const revision = isKnown ? known[1] : ((await this.#store.rows.item(itemPlan(resource, id)))?.revision ?? null);
    this.#rows.set(id, [stamp, revision]);
    this.#history.reads.push({ resource, id, sent, revision });
    return revision;
  }

  /** Writes one to four notes in any order. Each tenth unit is refused after its other plans have run. */
  async #noteUnit(): Promise<WriteUnit> {
    const ids = new Set(Array.from({ length: 1 + this.#random.integer(4) }, () => `n${this.#random.integer(ROWS)}`));
    const plans: WritePlan[] = [];
    for (const id of ids) plans.push(this.#notePlan(id, await this.#read('notes', id)));
    if (this.#random.oneIn(10)) plans.push(logged(update('notes', 'missing', 1, { text: 'x' }), NOTES));
    return { plans };
  }

  #notePlan(id: string, revision: number | null): WritePlan {
    const text = String(this.#history.now());
    const tenant = this.#random.pick(TENANTS);
    const group = this.#random.oneIn(4) ? this.#random.pick(GROUPS) : null;
    if (revision === null) return logged(create('notes', id, { tenant, text, group_id: group }), NOTES);
    if (this.#random.oneIn(4)) return logged(remove('notes', id, revision), NOTES);
    return logged(update('notes', id, revision, this.#random.oneIn(2) ? { text } : { tenant, group_id: group }), NOTES);
  }

  /** Deletes a group, or creates one where there are few of them: the unit expects that this still holds. */
  async #groupUnit(): Promise<WriteUnit | null> {
    const id = this.#random.pick(GROUPS);
    const revision = await this.#read('groups', id);
    if (revision !== null) return { plans: [logged(remove('groups', id, revision), NOTES)] };
    const [stamp = 0] = await this.#store.stamps.resourceStamps(['groups']);
    const { rows } = await this.#store.rows.list(listPlan({ resource: 'groups' }));
    if (rows.length >= MAX_GROUPS) return null;
    const plans = [logged(create('groups', id, { name: id }), NOTES)];
    return { plans, expectStamps: [{ resource: 'groups', stamp }] };
  }
}

/** Follows the log of a store until it is stopped. */
export class LogFollower {
  readonly ids: string[] = [];
  readonly #store: Store;
  readonly #done: Promise<void>;
  #position = 0;
  #isStopped = false;

  constructor(store: Store) {
    this.#store = store;
    this.#done = this.#follow();
  }

  /** Reads what is left of the log. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done;
    while ((await this.#step()) > 0);
  }

  async #follow(): Promise<void> {
    while (!this.#isStopped) await this.#step();
  }

  async #step(): Promise<number> {
    const events = await this.#store.events.list({ after: this.#position, limit: 20 });
    this.ids.push(...events.map(({ event }) => event.id));
    this.#position = events.at(-1)?.sequence ?? this.#position;
    return events.length;
  }
}
