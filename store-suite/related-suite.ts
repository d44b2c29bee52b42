import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SortKey } from '../src/model/model.ts';
import { type Ancestor, EVERYTHING, type LookupPlan, type RelatedPlan } from '../src/plan/plan.ts';
import type { Store } from '../src/stores/store.ts';
import { type OpenStore, withStore } from './open-store.ts';
import { commit, create, createProduct, createReview, createSupplier, readRow, topLevel } from './sample-writes.ts';

const BY_CREATION: readonly SortKey[] = ['created_at', 'id'].map((path) => ({ path, descending: false }));

function lookupPlan(changes: Partial<LookupPlan>): LookupPlan {
  return { resource: 'products', rows: [], visible: EVERYTHING, ...changes };
}

function relatedPlan(changes: Partial<RelatedPlan>): RelatedPlan {
  return {
    resource: 'products',
    field: 'supplier_id',
    owners: [],
    order: BY_CREATION,
    limit: 10,
    visible: EVERYTHING,
    ...changes,
  };
}

/** The ids of the related rows of each owner, followed by `+` if there are more. */
async function idsByOwner(
  store: Store,
  { owners, ...changes }: Omit<Partial<RelatedPlan>, 'owners'> & { readonly owners: readonly string[] },
): Promise<Readonly<Record<string, string>>> {
  const found = await store.rows.related(relatedPlan({ owners: topLevel(...owners), ...changes }));
  return Object.fromEntries(
    found.flatMap(({ rows, more }, index) =>
      rows.length === 0 ? [] : [[owners[index], rows.map(({ row }) => row.id).join(' ') + (more ? ' +' : '')]],
    ),
  );
}

/** Three suppliers, products with and without one, related products, reviews and answers. */
async function seedRelated(store: Store): Promise<void> {
  const at = (second: number): string => `2026-01-01T00:00:0${second}.000Z`;
  await commit(
    store,
    createSupplier('s 1'),
    createSupplier('s"2'),
    createSupplier('s3'),
    createProduct('a', { supplier_id: 's 1', price: '2.00' }, at(3)),
    createProduct('b', { supplier_id: 's 1', price: null }, at(2)),
    createProduct('c', { supplier_id: 's"2', price: '1.00', related_ids: ['a', 'b', 'a'] }, at(1)),
    createProduct('d', { supplier_id: 's 1', price: '1.00', related_ids: ['a', 'd'] }, at(2)),
    createProduct('e', {}, at(0)),
    createReview('r1', 'a'),
    createReview('r2', 'b'),
    createReview('r3', 'a'),
  );
  const path = (review: string, product: string) => [
    { resource: 'reviews', id: review },
    { resource: 'products', id: product },
  ];
  await commit(
    store,
    create('answers', 'x1', { review_id: 'r1', text: null }, { within: path('r1', 'a') }),
    create('answers', 'x2', { review_id: 'r2', text: null }, { within: path('r2', 'b') }),
  );
}

export function relatedSuite(name: string, open: OpenStore): void {
  describe(`${name}: rows by their ids`, () => {
    it(
      '[QRY-4] are read together, each once, without missing ones',
      withStore(open, async (store) => {
        await seedRelated(store);
        const found = await store.rows.lookup(lookupPlan({ rows: topLevel('a', 'none', 'c', 'a', 'A', '') }));
        const rows = new Map(found.map(({ row }) => [row.id, row]));
        assert.deepEqual([...rows.keys()].sort(), ['a', 'c']);
        assert.equal(found.length, 2);
        assert.deepEqual(rows.get('a'), await readRow(store, 'products', 'a'));
        assert.deepEqual(await store.rows.lookup(lookupPlan({})), []);
        const quoted = await store.rows.lookup(lookupPlan({ resource: 'suppliers', rows: topLevel('s"2') }));
        assert.deepEqual(quoted, [{ row: await readRow(store, 'suppliers', 's"2'), within: [] }]);
      }),
    );

    it(
      '[QRY-4] [URL-7] have their ancestors, nearest first',
      withStore(open, async (store) => {
        await seedRelated(store);
        const below = (review: string, product: string): readonly Ancestor[] => [
          { resource: 'reviews', id: review },
          { resource: 'products', id: product },
        ];
        const rows = [
          { id: 'x2', within: below('r2', 'b') },
          { id: 'x1', within: below('r1', 'a') },
        ];
        const found = await store.rows.lookup(lookupPlan({ resource: 'answers', rows }));
        assert.deepEqual(
          new Map(found.map(({ row, within }) => [row.id, within])),
          new Map([
            ['x1', below('r1', 'a')],
            ['x2', below('r2', 'b')],
          ]),
        );
      }),
    );
  });

  describe(`${name}: related rows`, () => {
    it(
      '[QRY-4] are the first of each owner in the requested order, with a flag for more',
      withStore(open, async (store) => {
        await seedRelated(store);
        const owners = ['s 1', 's"2', 's3', 'none', 's 1'];
        assert.deepEqual(await idsByOwner(store, { owners }), { 's 1': 'b d a', 's"2': 'c' });
        assert.deepEqual(await idsByOwner(store, { owners, limit: 2 }), { 's 1': 'b d +', 's"2': 'c' });
        assert.deepEqual(await idsByOwner(store, { owners, limit: 3 }), { 's 1': 'b d a', 's"2': 'c' });
        const byPrice = [
          { path: 'price', descending: true },
          { path: 'id', descending: false },
        ];
        assert.deepEqual(await idsByOwner(store, { owners, limit: 2, order: byPrice }), { 's 1': 'a d +', 's"2': 'c' });
        assert.deepEqual(await idsByOwner(store, { owners: [] }), {});
      }),
    );

    it(
      '[QRY-4] include references in arrays, once even if an item repeats',
      withStore(open, async (store) => {
        await seedRelated(store);
        const owners = ['a', 'b', 'c', 'd'];
        const field = 'related_ids';
        assert.deepEqual(await idsByOwner(store, { owners, field }), { a: 'c d', b: 'c', d: 'd' });
        assert.deepEqual(await idsByOwner(store, { owners, field, limit: 1 }), { a: 'c +', b: 'c', d: 'd' });
      }),
    );

    it(
      '[QRY-4] are the rows of an array of references, in the order of the collection, each once',
      withStore(open, async (store) => {
        await seedRelated(store);
        const array = { owners: ['c', 'd', 'a', 'none'], field: 'related_ids', ownedBy: 'products' };
        assert.deepEqual(await idsByOwner(store, array), { c: 'b a', d: 'd a' });
        assert.deepEqual(await idsByOwner(store, { ...array, limit: 1 }), { c: 'b +', d: 'd +' });
        const byId = [{ path: 'id', descending: false }];
        assert.deepEqual(await idsByOwner(store, { ...array, order: byId }), { c: 'a b', d: 'a d' });
      }),
    );

    it(
      '[QRY-4] [URL-7] are complete rows with their ancestors',
      withStore(open, async (store) => {
        await seedRelated(store);
        const reviews = { resource: 'reviews', field: 'product_id', owners: topLevel('a', 'b') };
        const found = await store.rows.related(relatedPlan(reviews));
        const below = [{ resource: 'products', id: 'a' }];
        assert.deepEqual(found[0]?.rows, [
          { row: await readRow(store, 'reviews', 'r1', below), within: below },
          { row: await readRow(store, 'reviews', 'r3', below), within: below },
        ]);
        const owners = [{ id: 'r2', within: [{ resource: 'products', id: 'b' }] }];
        const [related] = await store.rows.related(relatedPlan({ resource: 'answers', field: 'review_id', owners }));
        const [answer] = related?.rows ?? [];
        assert.deepEqual(answer?.within, [
          { resource: 'reviews', id: 'r2' },
          { resource: 'products', id: 'b' },
        ]);
      }),
    );
  });
}
