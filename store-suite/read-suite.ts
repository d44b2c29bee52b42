import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../src/conventions/json/json.ts';
import type { SortKey } from '../src/model/model.ts';
import { EVERYTHING, type Ancestor, type VisibleAncestor, type Condition } from '../src/plan/plan.ts';
import type { Store } from '../src/stores/store.ts';
import { type OpenStore, withStore } from './open-store.ts';
import {
  AT,
  commit,
  create,
  createProduct,
  createReview,
  createSupplier,
  listIds,
  listPlan,
  readRow,
  itemPlan,
  remove,
  topLevel,
} from './sample-writes.ts';

const GREATEST_INT64 = '9223372036854775807';

const FULL_PRODUCT: Readonly<Record<string, Json>> = {
  name: 'é"\'\n',
  category: '',
  stock: 9_007_199_254_740_991,
  rating: 0.1,
  active: false,
  released: '0001-12-31T23:59:59.999Z',
  price: '-9999999999.99',
  weight: '-0.000000000000000000000000000000012',
  volume: '123456789012345678901234567.500',
  serial: GREATEST_INT64,
  photo: Buffer.from([0, 255, 10]).toString('base64'),
  address: { city: 'Oslo', floor: 3, fee: '1.50', since: AT, number: '-9223372036854775808' },
  labels: { 'a "key".with\\marks': null, b: 'x' },
  tags: ['a', 'a', 'b'],
  supplier_id: 's1',
  related_ids: [],
};

const ascending = (...paths: readonly string[]): readonly SortKey[] =>
  paths.map((each) => ({ path: each, descending: false }));

function matchAny(path: string, ...values: readonly Json[]): Condition {
  return { path, operator: 'in', values };
}

/** Filters on the seeded products, with the ids that they match. */
const FILTERS: readonly { readonly filter: readonly Condition[]; readonly ids: readonly string[] }[] = [
  { filter: [matchAny('id', 'b')], ids: ['b'] },
  { filter: [matchAny('category', 'Books')], ids: ['a'] },
  { filter: [matchAny('category', 'books')], ids: [] },
  { filter: [matchAny('category', 'Books', 'Ünï')], ids: ['a', 'b'] },
  { filter: [matchAny('category', null)], ids: [] },
  { filter: [matchAny('category', 'Books', null)], ids: ['a'] },
  { filter: [matchAny('category')], ids: [] },
  { filter: [matchAny('price', '19.9')], ids: ['a', 'b'] },
  { filter: [matchAny('price', '19.901')], ids: [] },
  { filter: [matchAny('price', '99999999999999999999')], ids: [] },
  { filter: [matchAny('weight', '1.50')], ids: ['a'] },
  { filter: [matchAny('serial', GREATEST_INT64)], ids: ['a'] },
  { filter: [matchAny('serial', '9223372036854775808')], ids: [] },
  { filter: [matchAny('active', false)], ids: ['b'] },
  { filter: [matchAny('released', AT)], ids: ['b'] },
  { filter: [matchAny('created_at', AT)], ids: ['a', 'b', 'c'] },
  { filter: [matchAny('address.city', 'Oslo')], ids: ['a'] },
  { filter: [matchAny('address.floor', 3)], ids: ['a'] },
  { filter: [matchAny('address.fee', '2')], ids: ['a'] },
  { filter: [matchAny('address.number', '12')], ids: ['a'] },
  { filter: [{ path: 'tags', operator: 'contains', value: 'x' }], ids: ['a', 'b'] },
  { filter: [{ path: 'tags', operator: 'contains', value: 'X' }], ids: [] },
  { filter: [{ path: 'related_ids', operator: 'contains', value: 'a' }], ids: ['b', 'c'] },
  { filter: [matchAny('active', false), { path: 'tags', operator: 'contains', value: 'x' }], ids: ['b'] },
];

async function seedProducts(store: Store): Promise<void> {
  const address = { city: 'Oslo', floor: 3, fee: '2.00', since: null, number: '12' };
  await commit(
    store,
    createProduct('a', {
      category: 'Books',
      price: '19.90',
      weight: '1.5',
      serial: GREATEST_INT64,
      address,
      tags: ['x', 'y'],
    }),
    createProduct('b', {
      category: 'Ünï',
      price: '19.90',
      active: false,
      released: AT,
      tags: ['x'],
      related_ids: ['a'],
    }),
    createProduct('c', { related_ids: ['b', 'a'] }),
  );
}

/** Two products, a review of the first, an answer to the review. */
async function seedNested(store: Store): Promise<void> {
  await commit(store, createProduct('p1'), createProduct('p2'), createReview('r1', 'p1'));
  const within = [
    { resource: 'reviews', id: 'r1' },
    { resource: 'products', id: 'p1' },
  ];
  await commit(store, create('answers', 'x1', { review_id: 'r1', text: null }, { within }));
}

const ancestorPath = (...ancestors: readonly (readonly [string, string])[]): readonly VisibleAncestor[] =>
  ancestors.map(([resource, id]) => ({ resource, id, visible: EVERYTHING }));
const named = ({ resource, id }: Ancestor): Ancestor => ({ resource, id });

/** Paths to the answer `x1`, with the outermost missing ancestor. */
const PATHS: readonly { readonly within: readonly VisibleAncestor[]; readonly missing: Ancestor | null }[] = [
  { within: [], missing: null },
  { within: ancestorPath(['reviews', 'r1']), missing: null },
  { within: ancestorPath(['reviews', 'r1'], ['products', 'p1']), missing: null },
  { within: ancestorPath(['reviews', 'r1'], ['products', 'p2']), missing: { resource: 'reviews', id: 'r1' } },
  { within: ancestorPath(['reviews', 'r1'], ['products', 'none']), missing: { resource: 'products', id: 'none' } },
  { within: ancestorPath(['reviews', 'none'], ['products', 'p1']), missing: { resource: 'reviews', id: 'none' } },
];

export function readSuite(name: string, open: OpenStore): void {
  describe(`${name}: items`, () => {
    it(
      '[REP-1] returns a row in JSON order: id, fields as declared, created_at, updated_at, revision',
      withStore(open, async (store) => {
        const plan = { ...createProduct('p'), values: FULL_PRODUCT };
        const [, revision] = await commit(store, createSupplier('s1'), plan);
        const expected = JSON.stringify({ id: 'p', ...FULL_PRODUCT, created_at: AT, updated_at: AT, revision });
        assert.equal(JSON.stringify(await readRow(store, 'products', 'p')), expected);
        const order = ascending('category', 'id');
        const windows = [
          { kind: 'offset', offset: 0, limit: 1 },
          { kind: 'seek', after: [null, 'a'], backward: false, limit: 1 },
        ] as const;
        for (const window of windows) {
          const { rows } = await store.rows.list(listPlan({ order, window }));
          assert.equal(JSON.stringify(rows), `[${expected}]`);
        }
        const found = await store.rows.lookup({
          resource: 'products',
          rows: topLevel('p'),
          visible: EVERYTHING,
          effort: 'light',
        });
        assert.equal(JSON.stringify(found.map(({ row }) => row)), `[${expected}]`);
        const owners = topLevel('s1');
        const referring = { resource: 'products', field: 'supplier_id', owners, order, limit: 1 } as const;
        const [related] = await store.rows.related({ ...referring, visible: EVERYTHING, effort: 'unbounded' });
        assert.equal(JSON.stringify(related?.rows.map(({ row }) => row)), `[${expected}]`);
      }),
    );

    it(
      '[QRY-4] returns the selected fields and the system fields, in the order of the row',
      withStore(open, async (store) => {
        const [, revision] = await commit(store, createSupplier('s1'), { ...createProduct('p'), values: FULL_PRODUCT });
        const columns = ['tags', 'serial', 'name'];
        const selected = { name: FULL_PRODUCT['name'], serial: GREATEST_INT64, tags: FULL_PRODUCT['tags'] };
        const expected = JSON.stringify({ id: 'p', ...selected, created_at: AT, updated_at: AT, revision });
        const item = await store.rows.item(itemPlan('products', 'p', { columns }));
        assert.equal(JSON.stringify(item), expected);
        for (const window of [
          { kind: 'offset', offset: 0, limit: 1 },
          { kind: 'seek', after: [null, 'a'], backward: false, limit: 1 },
        ] as const) {
          const { rows } = await store.rows.list(listPlan({ order: ascending('category', 'id'), window, columns }));
          assert.equal(JSON.stringify(rows), `[${expected}]`);
        }
        const bare = await store.rows.list(listPlan({ columns: [] }));
        assert.deepEqual(bare.rows, [{ id: 'p', created_at: AT, updated_at: AT, revision }]);
      }),
    );

    it(
      '[REP-4] returns null for an unset field',
      withStore(open, async (store) => {
        const plan = createProduct('p');
        const [revision] = await commit(store, plan);
        const row = await readRow(store, 'products', 'p');
        assert.deepEqual({ ...row }, { id: 'p', ...plan.values, created_at: AT, updated_at: AT, revision });
      }),
    );

    it(
      '[URL-6] compares ids byte by byte, and returns null for an unknown id',
      withStore(open, async (store) => {
        await commit(store, createProduct('a/b@c+d#e%f é'));
        assert.ok(await store.rows.item(itemPlan('products', 'a/b@c+d#e%f é')));
        for (const id of ['A/b@c+d#e%f é', 'a/b@c+d#e%f e\u0301', '']) {
          assert.equal(await store.rows.item(itemPlan('products', id)), null);
        }
      }),
    );

    it(
      '[URL-7] returns a row only below its own ancestors, and reports the outermost missing one',
      withStore(open, async (store) => {
        await seedNested(store);
        for (const { within, missing } of PATHS) {
          const item = await store.rows.item(itemPlan('answers', 'x1', { within }));
          const listed = await listIds(store, { resource: 'answers', within });
          assert.deepEqual([item === null, listed.length], missing === null ? [false, 1] : [true, 0]);
          const found = await store.rows.missingAncestor(within);
          assert.deepEqual(found === null ? null : named(found), missing);
        }
      }),
    );

    it(
      '[MET-10] reports missing references',
      withStore(open, async (store) => {
        await commit(store, createSupplier('s1'), createProduct('p1'));
        const missing = ancestorPath(['suppliers', 'p1'], ['products', 'p2']);
        const rows = [...ancestorPath(['suppliers', 's1']), ...missing, ...ancestorPath(['products', 'p1'])];
        const found = await store.rows.missingReferences(rows.map((row) => ({ ...row, within: [] })));
        assert.deepEqual(found.map(named), missing.map(named));
        assert.deepEqual(await store.rows.missingReferences([]), []);
      }),
    );

    it(
      '[MET-10] reports each of thousands of references, also repeated ones, in their order',
      withStore(open, async (store) => {
        await commit(store, createSupplier('s1'), createSupplier('s2'), createProduct('p1'));
        const ids = Array.from({ length: 1200 }, (_, index) => ['s1', `none-${index % 700}`, 's2'][index % 3] ?? '');
        const rows = [...ids, ...ids].flatMap((id) => ancestorPath(['suppliers', id], ['products', 'p1']));
        const found = await store.rows.missingReferences(rows.map((row) => ({ ...row, within: [] })));
        assert.deepEqual(found.map(named), rows.filter(({ id }) => id.startsWith('none')).map(named));
      }),
    );
  });

  describe(`${name}: lists`, () => {
    it(
      '[QRY-7] matches any of several values: text by its bytes, numbers by value, null never',
      withStore(open, async (store) => {
        await seedProducts(store);
        for (const { filter, ids } of FILTERS) {
          assert.deepEqual(await listIds(store, { filter }), ids, JSON.stringify(filter));
        }
      }),
    );

    it(
      '[PAGE-9b, PAGE-9c] counts exactly, or up to a cap and reports so; without a filter always exactly',
      withStore(open, async (store) => {
        await seedProducts(store);
        const filter = [matchAny('created_at', AT)];
        const total = async (changes: Parameters<typeof listPlan>[0]) =>
          (await store.rows.list(listPlan(changes))).total;
        assert.equal(await total({ filter }), null);
        assert.deepEqual(await total({ filter, count: { kind: 'exact' } }), { count: 3, exact: true });
        assert.deepEqual(await total({ filter, count: { kind: 'capped', cap: 3 } }), { count: 3, exact: true });
        assert.deepEqual(await total({ filter, count: { kind: 'capped', cap: 2 } }), { count: 2, exact: false });
        assert.deepEqual(await total({ count: { kind: 'capped', cap: 2 } }), { count: 3, exact: true });
        assert.deepEqual(await total({ resource: 'suppliers', count: { kind: 'exact' } }), { count: 0, exact: true });
      }),
    );

    it(
      '[PAGE-9b] maintains the total of a collection through creates, deletes and refused units',
      withStore(open, async (store) => {
        await seedProducts(store);
        const { revision } = await readRow(store, 'products', 'c');
        await commit(store, remove('products', 'c', revision), createProduct('d'));
        const units = [[createProduct('e'), createProduct('a')], [createProduct('f')]];
        const outcomes = await Promise.all(units.map((plans) => store.writes.commit({ plans })));
        assert.deepEqual(
          outcomes.map(({ kind }) => kind),
          ['exists', 'committed'],
        );
        const { total } = await store.rows.list(listPlan({ count: { kind: 'exact' } }));
        assert.deepEqual(total, { count: 4, exact: true });
      }),
    );

    it(
      '[PAGE-8] skips the rows before an offset, and returns no rows past the end',
      withStore(open, async (store) => {
        await seedProducts(store);
        assert.deepEqual(await listIds(store, { window: { kind: 'offset', offset: 1, limit: 1 } }), ['b']);
        const past = listPlan({ window: { kind: 'offset', offset: 3, limit: 10 } });
        assert.deepEqual(await store.rows.list(past), { rows: [], more: false, total: null, size: 0 });
      }),
    );
  });
}
