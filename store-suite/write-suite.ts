import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WriteOutcome } from '../src/plan/write-unit.ts';
import type { Store } from '../src/stores/store.ts';
import { type OpenStore, withStore } from './open-store.ts';
import { commit, create, createProduct, createSupplier, listIds, remove, readRow, update } from './sample-writes.ts';

const LATER = '2026-02-03T04:05:06.789Z';

async function eventIds(store: Store): Promise<readonly string[]> {
  return (await store.events.after(0, 1_000)).map(({ id }) => id);
}

async function changeStamp(store: Store, resource: string): Promise<number | undefined> {
  const [change] = await store.stamps.resourceStamps([resource]);
  return change;
}

export function writeSuite(name: string, open: OpenStore): void {
  describe(`${name}: writes`, () => {
    it(
      '[REP-8] assigns a unique revision to every change, also after deletes',
      withStore(open, async (store) => {
        const seen: number[] = [];
        for (let round = 0; round < 3; round += 1) {
          const [created = 0] = await commit(store, createProduct('p'));
          const [updated = 0] = await commit(store, update('products', 'p', created, { stock: round }));
          const [removed] = await commit(store, remove('products', 'p', updated));
          assert.equal(removed, 0);
          seen.push(created, updated);
        }
        assert.deepEqual(
          seen,
          [...new Set(seen)].sort((one, other) => one - other),
        );
      }),
    );

    it(
      '[CACHE-2] has a change stamp per resource, which changes with every write and never repeats',
      withStore(open, async (store) => {
        const seen = [await changeStamp(store, 'products')];
        const [created = 0] = await commit(store, createProduct('p'));
        seen.push(await changeStamp(store, 'products'));
        const [updated = 0] = await commit(store, update('products', 'p', created, { stock: 1 }));
        seen.push(await changeStamp(store, 'products'));
        const suppliers = await changeStamp(store, 'suppliers');
        await commit(store, createProduct('q'), remove('products', 'p', updated));
        seen.push(await changeStamp(store, 'products'));
        const [revision = 0] = await commit(store, createProduct('r'));
        await commit(store, remove('products', 'r', revision));
        seen.push(await changeStamp(store, 'products'));
        assert.equal(new Set(seen).size, seen.length, seen.join());
        assert.equal(await changeStamp(store, 'suppliers'), suppliers, 'another resource keeps its stamp');
      }),
    );

    it(
      '[CACHE-2] [MET-14] keeps the change stamp after a refused unit or a dry run',
      withStore(open, async (store) => {
        const [revision = 0] = await commit(store, createProduct('p'));
        const before = await changeStamp(store, 'products');
        const units = [
          { plans: [createProduct('q'), createProduct('p')] },
          { plans: [update('products', 'p', revision + 1, { stock: 1 })] },
          { plans: [createProduct('q')], dry: true },
        ];
        await Promise.all(units.map((unit) => store.writes.commit(unit)));
        assert.equal(await changeStamp(store, 'products'), before);
      }),
    );

    it(
      '[MET-3] changes only the fields of an update',
      withStore(open, async (store) => {
        const before = createProduct('p', { category: 'a', stock: 1, tags: ['x'] });
        const [revision = 0] = await commit(store, before);
        const plan = { ...update('products', 'p', revision, { category: null, tags: [] }), at: LATER };
        const [updated] = await commit(store, plan);
        assert.deepEqual(
          { ...(await readRow(store, 'products', 'p')) },
          {
            id: 'p',
            ...before.values,
            category: null,
            tags: [],
            created_at: before.at,
            updated_at: LATER,
            revision: updated,
          },
        );
      }),
    );

    it(
      '[CACHE-3] updates and deletes a row only at the expected revision',
      withStore(open, async (store) => {
        const [first = 0] = await commit(store, createProduct('p'));
        const [second = 0] = await commit(store, update('products', 'p', first, { stock: 1 }));
        for (const plan of [
          update('products', 'p', first, { stock: 2 }),
          remove('products', 'p', first),
          update('products', 'gone', second, { stock: 2 }),
          remove('products', 'gone', second),
        ]) {
          assert.deepEqual(await store.writes.commit({ plans: [plan] }), { kind: 'stale', plan: 0 });
        }
        const row = await readRow(store, 'products', 'p');
        assert.deepEqual([row.revision, row['stock']], [second, 1]);
      }),
    );

    it(
      '[CACHE-3] commits one of several concurrent updates of a revision',
      withStore(open, async (store) => {
        const [revision = 0] = await commit(store, createProduct('p'));
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, (_, stock) =>
            store.writes.commit({ plans: [update('products', 'p', revision, { stock })] }),
          ),
        );
        assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['committed', ...Array<string>(7).fill('stale')]);
      }),
    );

    it(
      '[CACHE-3] creates a row only if the expected resources are unchanged, also by the unit itself',
      withStore(open, async (store) => {
        const seen = async () => [
          { resource: 'suppliers', stamp: (await changeStamp(store, 'suppliers')) ?? 0 },
          { resource: 'products', stamp: (await changeStamp(store, 'products')) ?? 0 },
        ];
        const before = await seen();
        const writes = ['a', 'b'].map((id) =>
          store.writes.commit({ plans: [{ ...createProduct(id), expectStamps: before }] }),
        );
        const [first, second] = await Promise.all(writes);
        assert.equal(first?.kind, 'committed');
        assert.deepEqual(second, { kind: 'stale', plan: 0 });
        const late = { ...createProduct('c'), expectStamps: before };
        assert.deepEqual(await store.writes.commit({ plans: [late] }), { kind: 'stale', plan: 0 });
        const after = await seen();
        const plans = [createSupplier('s'), { ...createProduct('d'), expectStamps: after }];
        assert.deepEqual(await store.writes.commit({ plans }), { kind: 'stale', plan: 1 });
        await commit(store, { ...createProduct('e'), expectStamps: after });
        assert.deepEqual(await listIds(store, {}), ['a', 'e']);
      }),
    );

    it(
      'commits all plans of a unit or none, and reports the failed one',
      withStore(open, async (store) => {
        await commit(store, createProduct('a'));
        const plans = [createProduct('b'), createSupplier('s'), createProduct('a'), createProduct('c')];
        const refused = await store.writes.commit({ plans, bookmark: { name: 'import', value: '4' } });
        assert.deepEqual(refused, { kind: 'exists', plan: 2 });
        assert.deepEqual(await listIds(store, {}), ['a']);
        assert.deepEqual(await listIds(store, { resource: 'suppliers' }), []);
        assert.deepEqual(await eventIds(store), ['created:a']);
        assert.equal(await store.bookmarks.get('import'), null);
      }),
    );

    it(
      'allows references to rows that the unit created before, and to the row itself',
      withStore(open, async (store) => {
        await commit(
          store,
          createSupplier('s'),
          createProduct('p', { supplier_id: 's', related_ids: ['p'] }),
          create('reviews', 'r', { product_id: 'p', stars: 1 }, { within: [{ resource: 'products', id: 'p' }] }),
        );
        assert.deepEqual(await listIds(store, { resource: 'reviews' }), ['r']);
      }),
    );

    it(
      'commits a bookmark with its unit, and removes others; the last value wins',
      withStore(open, async (store) => {
        assert.equal(await store.bookmarks.get('import'), null);
        await store.writes.commit({ plans: [createProduct('a')], bookmark: { name: 'import', value: '1' } });
        await store.writes.commit({ plans: [], bookmark: { name: 'import', value: '2' } });
        assert.equal(await store.bookmarks.get('import'), '2');
        assert.equal(await store.bookmarks.get('other'), null);
        await store.writes.commit({
          plans: [],
          bookmark: { name: 'other', value: '3' },
          removedBookmarks: ['import', 'none'],
        });
        assert.equal(await store.bookmarks.get('import'), null);
        assert.equal(await store.bookmarks.get('other'), '3');
      }),
    );

    it(
      'refuses one of several concurrent units and commits the others',
      withStore(open, async (store) => {
        await commit(store, createProduct('taken'));
        const ids = Array.from({ length: 32 }, (_, index) => (index === 17 ? 'taken' : `p${index}`));
        const outcomes = await Promise.all(ids.map((id) => store.writes.commit({ plans: [createProduct(id)] })));
        const refused = outcomes.flatMap((outcome, index): [number, WriteOutcome][] =>
          outcome.kind === 'committed' ? [] : [[index, outcome]],
        );
        assert.deepEqual(refused, [[17, { kind: 'exists', plan: 0 }]]);
        assert.deepEqual(await listIds(store, {}), ids.toSorted());
        const revisions = outcomes.flatMap((outcome) => (outcome.kind === 'committed' ? outcome.revisions : []));
        assert.equal(new Set(revisions).size, 31);
      }),
    );

    it(
      'rejects a unit with a value that its column cannot store, and commits the others',
      withStore(open, async (store) => {
        const invalid = store.writes.commit({
          plans: [createProduct('a'), createProduct('b', { serial: 'not a number' })],
        });
        const valid = store.writes.commit({ plans: [createProduct('c')] });
        await assert.rejects(invalid, RangeError);
        assert.equal((await valid).kind, 'committed');
        assert.deepEqual(await listIds(store, {}), ['c']);
      }),
    );

    it(
      '[LIM-1] does not start a unit after its deadline',
      withStore(open, async (store) => {
        const unit = { plans: [createProduct('a')] };
        assert.deepEqual(await store.writes.commit(unit, 0), { kind: 'expired' });
        assert.deepEqual(await listIds(store, {}), []);
        assert.equal((await store.writes.commit(unit, Number.MAX_SAFE_INTEGER)).kind, 'committed');
      }),
    );

    it(
      '[LIM-3] reports the number of waiting units',
      withStore(open, async (store) => {
        const written = [store.writes.commit({ plans: [createProduct('a')] }), store.writes.commit({ plans: [] })];
        assert.equal(store.writes.pending, 2);
        await Promise.all(written);
        assert.equal(store.writes.pending, 0);
      }),
    );

    it(
      '[LIM-3] closes after the accepted writes, and rejects new ones',
      withStore(open, async (store) => {
        const accepted = store.writes.commit({ plans: [createProduct('a')] });
        const closed = store.close();
        await assert.rejects(store.writes.commit({ plans: [createProduct('b')] }));
        assert.equal((await accepted).kind, 'committed');
        await closed;
      }),
    );
  });
}
