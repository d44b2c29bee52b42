import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../conventions/json.ts';
import type { Alternative, PathCondition, RelationKey } from '../plan/condition.ts';
import { type Condition, type CreatePlan, EVERYTHING, type ListPlan, type Row, type Visibility } from '../plan/plan.ts';
import type { Store } from '../stores/store.ts';
import { type OpenStore, withStore } from './open-store.ts';
import { expectedPage, sortKeyValues } from './oracle.ts';
import { field, model, refersTo, resource } from './sample-model.ts';
import { commit, create, createProduct, createSupplier, listIds, listPlan } from './sample-writes.ts';
import { SeededRandom } from './seeded-random.ts';

const SEEDS = [1, 2, 3, 4];
const PRODUCTS = 30;
const PLANS = 100;

/** The rows that related rows are filtered by, and the values that they have, few enough for ties. */
const VALUES: Readonly<Record<string, Readonly<Record<string, readonly Json[]>>>> = {
  suppliers: { name: ['s0', 's1', 's2'], id: ['s0', 's1', 'none'] },
  products: {
    category: [null, 'a', 'b'],
    stock: [null, 0, 1],
    price: [null, '1.00', '2.00', '1.005'],
    'address.city': [null, 'Oslo'],
    supplier_id: [null, 's0', 's1'],
  },
  reviews: { stars: [1, 2, 3], product_id: ['p0', 'p1'] },
};
const RELATIONS: Readonly<Record<string, readonly RelationKey[]>> = {
  suppliers: [{ resource: 'products', field: 'supplier_id', inverse: true }],
  products: [
    { resource: 'suppliers', field: 'supplier_id', inverse: false },
    { resource: 'products', field: 'related_ids', inverse: false },
    { resource: 'products', field: 'related_ids', inverse: true },
    { resource: 'reviews', field: 'product_id', inverse: true },
  ],
  reviews: [{ resource: 'products', field: 'product_id', inverse: false }],
};
const NUMERIC: ReadonlySet<string> = new Set(['price']);

function randomProduct(random: SeededRandom, index: number): CreatePlan {
  const some = (path: string): Json => random.pick(VALUES['products']?.[path] ?? [null]);
  const city = random.oneIn(3)
    ? null
    : { city: some('address.city'), floor: null, fee: null, since: null, number: null };
  const before = Array.from({ length: index }, (_, at) => `p${at}`);
  return createProduct(`p${index}`, {
    category: some('category'),
    stock: some('stock'),
    price: random.pick([null, '1.00', '2.00']),
    address: city,
    supplier_id: some('supplier_id'),
    related_ids: before.filter(() => random.oneIn(8)),
  });
}

async function seed(store: Store, random: SeededRandom): Promise<void> {
  await commit(store, ...['s0', 's1', 's2'].map((id) => createSupplier(id)));
  await commit(store, ...Array.from({ length: PRODUCTS }, (_, index) => randomProduct(random, index)));
  const reviews = Array.from({ length: PRODUCTS }, (_, index) => {
    const product = `p${random.integer(PRODUCTS)}`;
    const values = { product_id: product, stars: 1 + random.integer(3) };
    return create('reviews', `r${index}`, values, { within: [{ resource: 'products', id: product }] });
  });
  await commit(store, ...reviews);
}

function randomComparison(random: SeededRandom, of: string): PathCondition {
  const [path, some] = random.pick(Object.entries(VALUES[of] ?? {}));
  switch (random.integer(4)) {
    case 0:
      return { path, operator: 'exists', value: random.oneIn(2) };
    case 1:
      return { path, operator: random.pick(['gt', 'gte', 'lt', 'lte']), value: random.pick(some) };
    default: {
      const values = Array.from({ length: random.pick([1, 1, 2]) }, () => random.pick(some));
      return { path, operator: random.oneIn(3) ? 'nin' : 'in', values };
    }
  }
}

function randomMember(random: SeededRandom, of: string): Alternative<{ readonly visible: Visibility }>[number] {
  if (random.oneIn(3)) return randomComparison(random, of);
  const relation = random.pick(RELATIONS[of] ?? []);
  const conditions = Array.from({ length: 1 + random.integer(2) }, () => randomComparison(random, relation.resource));
  return { operator: 'related', relation, visible: EVERYTHING, conditions };
}

function randomCondition(random: SeededRandom, of: string): Condition {
  if (random.oneIn(2)) return randomMember(random, of);
  const alternatives = Array.from({ length: 1 + random.integer(3) }, () =>
    Array.from({ length: 1 + random.integer(2) }, () => randomMember(random, of)),
  );
  return { operator: 'any', alternatives };
}

function randomPlan(random: SeededRandom, of: string, rows: readonly Row[]): ListPlan {
  const path = random.pick(Object.keys(VALUES[of] ?? {}));
  const order = [...new Set([path, 'id'])].map((each) => ({ path: each, descending: random.oneIn(2) }));
  const limit = 1 + random.integer(12);
  return listPlan({
    resource: of,
    order,
    filter: Array.from({ length: 1 + random.integer(2) }, () => randomCondition(random, of)),
    window: random.oneIn(3)
      ? { kind: 'offset', offset: random.integer(10), limit }
      : {
          kind: 'seek',
          after: random.oneIn(2) ? null : sortKeyValues(order, random.pick(rows)),
          backward: random.oneIn(2),
          limit,
        },
    count: random.pick([{ kind: 'none' }, { kind: 'exact' }, { kind: 'capped', cap: 5 }] as const),
    effort: random.oneIn(3) ? 'light' : 'unbounded',
  });
}

/** Folders with files whose ids are unique below their folder, and which refer to files of the same folder. */
const DRIVE = model([
  resource({ name: 'folders', fields: [field('name', { kind: 'text', format: null })] }),
  resource({
    name: 'files',
    parent: 'folders',
    fields: [
      field('name', { kind: 'text', format: null }),
      field('original_id', { kind: 'text', format: null }, { reference: { ...refersTo('files'), siblings: true } }),
      field(
        'copy_ids',
        { kind: 'array', item: { type: { kind: 'text', format: null }, nullable: false } },
        { reference: { ...refersTo('files'), siblings: true } },
      ),
    ],
  }),
]);

/** Two folders, each with files `x`, `y` and `z`; `y` refers to `x` in both ways. Their names are `a:x`, `b:x`, ... */
async function seedDrive(store: Store): Promise<void> {
  for (const folder of ['a', 'b']) {
    const within = [{ resource: 'folders', id: folder }];
    const file = (id: string, original: string | null, copies: readonly string[]): CreatePlan => {
      const values = { folder_id: folder, name: `${folder}:${id}`, original_id: original, copy_ids: copies };
      return create('files', id, values, { within });
    };
    await commit(store, create('folders', folder, { name: folder }), file('x', null, []), file('y', 'x', ['x']));
    await commit(store, file('z', 'y', ['y', 'x']));
  }
}

const related = (of: string, by: string, inverse: boolean, ...conditions: readonly PathCondition[]): Condition => ({
  operator: 'related',
  relation: { resource: of, field: by, inverse },
  visible: EVERYTHING,
  conditions,
});
const named = (...values: readonly string[]): PathCondition => ({ path: 'name', operator: 'in', values });

export function relationFilterSuite(name: string, open: OpenStore): void {
  describe(`${name}: filters on related rows and alternatives`, () => {
    for (const number of SEEDS) {
      it(
        `[QRY-1] [QRY-7] [PAGE-5] match like the oracle, in any order and window (seed ${number})`,
        withStore(open, async (store) => {
          const random = new SeededRandom(number);
          await seed(store, random);
          const all = new Map<string, readonly Row[]>();
          for (const of of Object.keys(VALUES)) {
            all.set(of, (await store.rows.list(listPlan({ resource: of }))).rows);
          }
          const rowsOf = (of: string): readonly Row[] => all.get(of) ?? [];
          for (let index = 0; index < PLANS; index += 1) {
            const of = random.pick(Object.keys(VALUES));
            const plan = randomPlan(random, of, rowsOf(of));
            const wanted = expectedPage(rowsOf(of), plan, { numeric: NUMERIC, rowsOf });
            const { size: _, ...page } = await store.rows.list(plan);
            assert.deepEqual(page, wanted, JSON.stringify(plan));
          }
        }),
      );
    }

    it('[QRY-1] [URL-7] lead to the row below the same parent where ids are unique below it', async () => {
      const store = await open(DRIVE);
      try {
        await seedDrive(store);
        const rows: readonly (readonly [condition: Condition, files: readonly string[]])[] = [
          [related('files', 'original_id', false, named('a:x')), ['a:y']],
          [related('files', 'original_id', true, named('b:z')), ['b:y']],
          [related('files', 'copy_ids', false, named('a:x')), ['a:y', 'a:z']],
          [related('files', 'copy_ids', true, named('b:y')), ['b:x']],
          [related('files', 'copy_ids', true, { path: 'id', operator: 'in', values: ['y'] }), ['a:x', 'b:x']],
          [related('folders', 'folder_id', false, named('b')), ['b:x', 'b:y', 'b:z']],
        ];
        for (const [condition, files] of rows) {
          const { rows: found } = await store.rows.list(listPlan({ resource: 'files', filter: [condition] }));
          const names = found.map((row) => row['name']);
          assert.deepEqual(new Set(names), new Set(files), JSON.stringify(condition));
          assert.equal(names.length, files.length);
        }
        const within = [{ resource: 'folders', id: 'b' }];
        const owners = [
          { id: 'z', within },
          { id: 'x', within },
        ];
        const order = [{ path: 'id', descending: false }];
        const array = { resource: 'files', field: 'copy_ids', ownedBy: 'files', owners, order, limit: 9 };
        const copies = await store.rows.related({ ...array, visible: EVERYTHING });
        assert.deepEqual(
          copies.map(({ rows: found }) => found.map(({ row }) => row['name'])),
          [['b:x', 'b:y'], []],
        );
        const holding = related('files', 'folder_id', true, named('b:z'));
        assert.deepEqual(await listIds(store, { resource: 'folders', filter: [holding] }), ['b']);
      } finally {
        await store.close();
      }
    });
  });
}
