import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'node:test';
import type { Row } from '../../../../src/plan/plan.ts';
import { type Store, WriteOutcomeUnknown } from '../../../../src/stores/store.ts';
import { commit, createProduct, itemPlan, listPlan, update } from '../../../../store-suite/sample-writes.ts';
import { FAULTS, NO_FAULT } from './faults.ts';
import { assertFound, logged, storeAt, storeShapes, withRig } from './rig.ts';
import type { Rewrite } from './statement-relay.ts';

/** Reads as requests do: what was read before is valid while its stamp is the same. */
class CachedReads {
  readonly #store: Store;
  readonly #rows = new Map<string, readonly [stamp: number | null, row: Row | null]>();
  readonly #pages = new Map<number, readonly Row[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  async stock(id: string): Promise<unknown> {
    await setImmediate();
    const stamp = await this.#store.stamps.rowStamp('products', id);
    const known = this.#rows.get(id);
    const row = known?.[0] === stamp ? known[1] : await this.#store.rows.item(itemPlan('products', id));
    this.#rows.set(id, [stamp, row]);
    return row?.['stock'];
  }

  /** The stock of all rows. */
  async page(): Promise<readonly unknown[]> {
    await setImmediate();
    const [stamp = 0] = await this.#store.stamps.resourceStamps(['products']);
    const rows = this.#pages.get(stamp) ?? (await this.#store.rows.list(listPlan())).rows;
    this.#pages.set(stamp, rows);
    return rows.map(({ stock }) => stock);
  }
}

/** Two rows are changed. The numbers of the change that is committed later were allocated first. */
function isSeen(faults: readonly Rewrite[]): Promise<void> {
  return withRig({ count: 3, faults }, async (rig) => {
    const [slow, fast, reader] = [storeAt(rig, 0), storeAt(rig, 1), storeAt(rig, 2)];
    await storeShapes(slow.store, createProduct('other'));
    const [p = 0] = await commit(slow.store, logged(createProduct('p', { stock: 0 })));
    const [q = 0] = await commit(fast.store, logged(createProduct('q', { stock: 0 })));
    const reads = new CachedReads(reader.store);
    assert.deepEqual([await reads.stock('p'), await reads.stock('q'), await reads.page()], [0, 0, [0, 0]]);
    const held = slow.relay.hold('update restwright_slots');
    const late = commit(slow.store, logged(update('products', 'p', p, { stock: 1 })));
    await held.reached;
    await commit(fast.store, logged(update('products', 'q', q, { stock: 1 })));
    assert.deepEqual([await reads.stock('p'), await reads.stock('q'), await reads.page()], [0, 1, [0, 1]]);
    held.release();
    await late;
    assert.deepEqual([await reads.stock('p'), await reads.stock('q'), await reads.page()], [1, 1, [1, 1]]);
  });
}

/** A write is committed, and the answer to its commit is lost. */
function isSeenWithoutAnswer(fault: Rewrite): Promise<void> {
  return withRig({ count: 2, faults: [fault, fault] }, async (rig) => {
    const [writer, other] = [storeAt(rig, 0), storeAt(rig, 1)];
    await storeShapes(writer.store, createProduct('other'));
    const [p = 0] = await commit(writer.store, logged(createProduct('p', { stock: 0 })));
    const reads = [new CachedReads(writer.store), new CachedReads(other.store)];
    for (const each of reads) assert.deepEqual([await each.stock('p'), await each.page()], [0, [0]]);
    const cut = writer.relay.cutAfter(/^commit$/);
    const write = writer.store.writes.commit({ plans: [logged(update('products', 'p', p, { stock: 1 }))] });
    await assert.rejects(write, WriteOutcomeUnknown);
    await cut;
    for (const each of reads) assert.deepEqual([await each.stock('p'), await each.page()], [1, [1]]);
  });
}

/** Transactions do not add their changes to the state. */
const keptState: Rewrite = (text) => text.replace('update restwright_slots set changes = $1', '$& * 0 + changes');

describe('a write whose answer is lost', () => {
  it('[OPS-5] is seen once it is committed, also by the store that does not know', () => isSeenWithoutAnswer(NO_FAULT));

  it('[OPS-5] would not be seen if it were not added to the state', () => assertFound(isSeenWithoutAnswer(keptState)));
});

describe('an acknowledged write, on another store', () => {
  it('[OPS-5] is seen by id and in pages, also where later numbers were seen before', () => isSeen([]));

  it('[OPS-5] would not be seen if the state were the greatest sequence', () =>
    assertFound(isSeen([NO_FAULT, NO_FAULT, FAULTS.greatestSequence])));

  it('[OPS-5] would not be seen if two transactions had one slot', () =>
    assertFound(isSeen([FAULTS.sharedSlots, FAULTS.sharedSlots])));

  it('[CACHE-2] would not change the ETag of a page if it were not added to the stamp', () =>
    assertFound(isSeen([FAULTS.keptStamp, FAULTS.keptStamp])));
});
