import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../conventions/json.ts';
import type { SortKey } from '../model/model.ts';
import type { Condition, CreatePlan, ListPlan, Row } from '../plan/plan.ts';
import type { Store } from '../stores/store.ts';
import { SeededRandom } from './seeded-random.ts';
import { type OpenStore, withStore } from './open-store.ts';
import { expectedPage, sortKeyValues } from './oracle.ts';
import { commit, createProduct, listPlan } from './sample-writes.ts';

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
const ROWS = 60;
const PLANS = 80;

/** Values that the rows take, few enough for ties. Null stands among all of them, except where a field is required. */
const VALUES: Readonly<Record<string, readonly Json[]>> = {
  category: [null, '', 'B', 'a', 'b', 'é', '\u{ffff}', '\u{1f600}'],
  stock: [null, -1, 0, 2, 10, 9_007_199_254_740_991],
  rating: [null, -0.5, 0, 1, 1.25],
  active: [null, false, true],
  released: [null, '1969-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  price: [null, '-10.00', '-9.99', '0.00', '9.00', '10.00'],
  weight: [null, '-10', '-9.55', '-9.5', '-9.45', '0', '0.000000000001', '0.5', '9', '10', '100000000000000000000'],
};
/** Values that no row has, and that some of the columns cannot hold: they are compared by value all the same. */
const UNSTORED: Readonly<Record<string, readonly Json[]>> = {
  category: ['\u{10ffff}', 'a\u{10ffff}', '%', '_'],
  stock: [1],
  rating: [0.1],
  released: ['0001-01-01T00:00:00.000Z'],
  price: ['-9.995', '9.005', '-9.99000', '99999999999999999999', '-99999999999999999999'],
  weight: ['9.500000000001', '-9.46'],
  'address.fee': ['1.505'],
  'address.number': ['9223372036854775808', '-9223372036854775809', '4'],
};
const FLOORS: readonly Json[] = [null, 1, 2];
const NESTED: Readonly<Record<string, readonly Json[]>> = {
  'address.city': [null, 'Bergen', 'Oslo', 'oslo'],
  'address.floor': FLOORS,
  'address.fee': [null, '-2', '1.5', '1.50', '10'],
  'address.number': [null, '-3', '9', '10'],
};
const TAGS = ['a', 'b', 'c'];
const NUMERIC: ReadonlySet<string> = new Set(['price', 'weight', 'address.fee', 'address.number']);
const COMPARISONS = ['gt', 'gte', 'lt', 'lte'] as const;
const PARTS = ['', 'B', 'O', 'o', 'Os', 'slo', '\u{1f600}', '\u{ffff}', '%', '_'];
const PATHS = [...Object.keys(VALUES), ...Object.keys(NESTED), 'created_at', 'revision', 'id'];

function randomValues(chance: SeededRandom): Readonly<Record<string, Json>> {
  const values = Object.fromEntries(Object.entries(VALUES).map(([name, some]) => [name, chance.pick(some)]));
  const members = Object.entries(NESTED).map(([path, some]) => [path.replace('address.', ''), chance.pick(some)]);
  const address: Json = chance.oneIn(3) ? null : { ...Object.fromEntries(members), since: null };
  return { ...values, address, tags: TAGS.filter(() => chance.oneIn(2)) };
}

function randomRows(chance: SeededRandom): readonly CreatePlan[] {
  return Array.from({ length: ROWS }, (_, index) =>
    createProduct(`id-${(index * 37) % ROWS}`, randomValues(chance), `2026-01-01T00:00:00.00${chance.integer(4)}Z`),
  );
}

function randomOrder(chance: SeededRandom): readonly SortKey[] {
  const paths = new Set(Array.from({ length: chance.integer(4) }, () => chance.pick(PATHS)));
  paths.delete('id');
  return [...paths, 'id'].map((path) => ({ path, descending: chance.oneIn(2) }));
}

function randomCondition(chance: SeededRandom, path: string): Condition {
  const some = [...(VALUES[path] ?? NESTED[path] ?? []), ...(UNSTORED[path] ?? [])];
  const isText = path === 'category' || path === 'address.city';
  switch (chance.integer(isText ? 6 : 4)) {
    case 0:
      return { path, operator: 'exists', value: chance.oneIn(2) };
    case 1:
    case 2:
      return { path, operator: chance.pick(COMPARISONS), value: chance.pick(some) };
    case 3: {
      const values = Array.from({ length: chance.pick([0, 1, 1, 1, 3]) }, () => chance.pick(some));
      return { path, operator: chance.oneIn(3) ? 'nin' : 'in', values };
    }
    case 4:
      return { path, operator: 'contains', value: chance.pick(PARTS) };
    default:
      return { path, operator: 'starts_with', value: chance.pick(PARTS) };
  }
}

/** Up to four conditions, often of one path, often of the order's first. */
function randomFilter(chance: SeededRandom, [first]: readonly SortKey[]): readonly Condition[] {
  const known = Object.keys({ ...VALUES, ...NESTED });
  const path = first !== undefined && known.includes(first.path) ? first.path : chance.pick(known);
  return Array.from({ length: chance.integer(4) }, (): Condition => {
    if (chance.oneIn(5)) return { path: 'tags', operator: 'contains', value: chance.pick(TAGS) };
    if (chance.oneIn(5)) return { path: 'tags', operator: 'exists', value: chance.oneIn(2) };
    return randomCondition(chance, chance.oneIn(3) ? chance.pick(known) : path);
  });
}

function randomColumns(chance: SeededRandom): Pick<ListPlan, 'columns'> {
  return chance.oneIn(3) ? { columns: Object.keys(VALUES).filter(() => chance.oneIn(3)) } : {};
}

function randomPlan(chance: SeededRandom, rows: readonly Row[]): ListPlan {
  const order = randomOrder(chance);
  const limit = 1 + chance.integer(12);
  const after = chance.oneIn(4) ? null : sortKeyValues(order, chance.pick(rows));
  return listPlan({
    order,
    filter: randomFilter(chance, order),
    ...randomColumns(chance),
    window: chance.oneIn(3)
      ? { kind: 'offset', offset: chance.integer(ROWS), limit }
      : { kind: 'seek', after, backward: chance.oneIn(2), limit },
    count: chance.pick([
      { kind: 'none' },
      { kind: 'exact' },
      { kind: 'capped', cap: 1 + chance.integer(ROWS) },
    ] as const),
    effort: chance.oneIn(3) ? 'unbounded' : 'light',
  });
}

async function seedRows(store: Store, chance: SeededRandom): Promise<readonly Row[]> {
  await commit(store, ...randomRows(chance));
  const { rows } = await store.rows.list(listPlan());
  assert.equal(rows.length, ROWS);
  return rows;
}

/** All rows that a walk by seek reads, page by page; it gives up once it has read more than there are. */
async function walkPages(
  store: Store,
  order: readonly SortKey[],
  backward: boolean,
  limit: number,
): Promise<readonly string[]> {
  const walked: string[] = [];
  let after: readonly Json[] | null = null;
  while (walked.length <= ROWS) {
    const page = await store.rows.list(listPlan({ order, window: { kind: 'seek', after, backward, limit } }));
    const ids = page.rows.map(({ id }) => id);
    walked.push(...(backward ? ids.reverse() : ids));
    const edge = backward ? page.rows.at(0) : page.rows.at(-1);
    if (!page.more || edge === undefined) return walked;
    after = sortKeyValues(order, edge);
  }
  return walked;
}

export function paginationSuite(name: string, open: OpenStore): void {
  describe(`${name}: random rows, filters, orders and windows`, () => {
    for (const seed of SEEDS) {
      it(
        `[PAGE-5][QRY-7] gives the pages that a plain sort and filter gives (seed ${seed})`,
        withStore(open, async (store) => {
          const chance = new SeededRandom(seed);
          const rows = await seedRows(store, chance);
          for (let count = 0; count < PLANS; count += 1) {
            const plan = randomPlan(chance, rows);
            assert.deepEqual(await store.rows.list(plan), expectedPage(rows, plan, NUMERIC), JSON.stringify(plan));
          }
        }),
      );

      it(
        `[PAGE-5] walks every row once in either direction, with ties, NULLs and mixed directions (seed ${seed})`,
        withStore(open, async (store) => {
          const chance = new SeededRandom(seed);
          const rows = await seedRows(store, chance);
          for (const backward of [false, true]) {
            const order = randomOrder(chance);
            const window = { kind: 'offset', offset: 0, limit: ROWS } as const;
            const all = expectedPage(rows, listPlan({ order, window }), NUMERIC).rows.map(({ id }) => id);
            const expected = backward ? all.toReversed() : all;
            assert.deepEqual(
              await walkPages(store, order, backward, 1 + chance.integer(9)),
              expected,
              JSON.stringify(order),
            );
          }
        }),
      );
    }

    it(
      '[PAGE-5] goes on from a row that was removed meanwhile',
      withStore(open, async (store) => {
        await commit(store, createProduct('a'), createProduct('b'), createProduct('c'));
        const [, second] = (await store.rows.list(listPlan())).rows;
        assert.ok(second !== undefined);
        await commit(store, { kind: 'delete', resource: 'products', id: 'b', revision: second.revision, event: null });
        const page = await store.rows.list(
          listPlan({ window: { kind: 'seek', after: ['b'], backward: false, limit: 5 } }),
        );
        assert.deepEqual(
          page.rows.map(({ id }) => id),
          ['c'],
        );
      }),
    );
  });
}
