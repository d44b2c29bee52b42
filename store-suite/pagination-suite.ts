import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../src/conventions/json/json.ts';
import type { SortKey } from '../src/model/model.ts';
import type { Condition, CreatePlan, ListPlan, Row } from '../src/plan/plan.ts';
import type { Store } from '../src/stores/store.ts';
import { SeededRandom } from './seeded-random.ts';
import { type OpenStore, withStore } from './open-store.ts';
import { expectedPage, sortKeyValues } from './oracle.ts';
import { commit, createProduct, listPlan, remove } from './sample-writes.ts';

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
const ROWS = 60;
const PLANS = 80;

/** Values of the rows, few enough for ties. */
const VALUES: Readonly<Record<string, readonly Json[]>> = {
  category: [null, '', 'B', 'a', 'b', 'é', '\u{ffff}', '\u{1f600}'],
  stock: [null, -1, 0, 2, 10, 9_007_199_254_740_991],
  rating: [null, -0.5, 0, 1, 1.25],
  active: [null, false, true],
  released: [null, '1969-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
  price: [null, '-10.00', '-9.99', '0.00', '9.00', '10.00'],
  weight: [null, '-10', '-9.55', '-9.5', '-9.45', '0', '0.000000000001', '0.5', '9', '10', '100000000000000000000'],
};
/** Values that no row has, some of which the column cannot store. They are still compared by value. */
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

function randomValues(random: SeededRandom): Readonly<Record<string, Json>> {
  const values = Object.fromEntries(Object.entries(VALUES).map(([name, some]) => [name, random.pick(some)]));
  const members = Object.entries(NESTED).map(([path, some]) => [path.replace('address.', ''), random.pick(some)]);
  const address: Json = random.oneIn(3) ? null : { ...Object.fromEntries(members), since: null };
  return { ...values, address, tags: TAGS.filter(() => random.oneIn(2)) };
}

function randomRows(random: SeededRandom): readonly CreatePlan[] {
  return Array.from({ length: ROWS }, (_, index) =>
    createProduct(`id-${(index * 37) % ROWS}`, randomValues(random), `2026-01-01T00:00:00.00${random.integer(4)}Z`),
  );
}

function randomOrder(random: SeededRandom): readonly SortKey[] {
  const paths = new Set(Array.from({ length: random.integer(4) }, () => random.pick(PATHS)));
  paths.delete('id');
  return [...paths, 'id'].map((path) => ({ path, descending: random.oneIn(2) }));
}

function randomCondition(random: SeededRandom, path: string): Condition {
  const some = [...(VALUES[path] ?? NESTED[path] ?? []), ...(UNSTORED[path] ?? [])];
  const isText = path === 'category' || path === 'address.city';
  switch (random.integer(isText ? 6 : 4)) {
    case 0:
      return { path, operator: 'exists', value: random.oneIn(2) };
    case 1:
    case 2:
      return { path, operator: random.pick(COMPARISONS), value: random.pick(some) };
    case 3: {
      const values = Array.from({ length: random.pick([0, 1, 1, 1, 3]) }, () => random.pick(some));
      return { path, operator: random.oneIn(3) ? 'nin' : 'in', values };
    }
    case 4:
      return { path, operator: 'contains', value: random.pick(PARTS) };
    default:
      return { path, operator: 'starts_with', value: random.pick(PARTS) };
  }
}

/** Up to three conditions, often of one path, often of the first sort key. */
function randomFilter(random: SeededRandom, [first]: readonly SortKey[]): readonly Condition[] {
  const known = Object.keys({ ...VALUES, ...NESTED });
  const path = first !== undefined && known.includes(first.path) ? first.path : random.pick(known);
  return Array.from({ length: random.integer(4) }, (): Condition => {
    if (random.oneIn(5)) return { path: 'tags', operator: 'contains', value: random.pick(TAGS) };
    if (random.oneIn(5)) return { path: 'tags', operator: 'exists', value: random.oneIn(2) };
    return randomCondition(random, random.oneIn(3) ? random.pick(known) : path);
  });
}

function randomColumns(random: SeededRandom): Pick<ListPlan, 'columns'> {
  return random.oneIn(3) ? { columns: Object.keys(VALUES).filter(() => random.oneIn(3)) } : {};
}

function randomPlan(random: SeededRandom, rows: readonly Row[]): ListPlan {
  const order = randomOrder(random);
  const limit = 1 + random.integer(12);
  const after = random.oneIn(4) ? null : sortKeyValues(order, random.pick(rows));
  return listPlan({
    order,
    filter: randomFilter(random, order),
    ...randomColumns(random),
    window: random.oneIn(3)
      ? { kind: 'offset', offset: random.integer(ROWS), limit }
      : { kind: 'seek', after, backward: random.oneIn(2), limit },
    count: random.pick([
      { kind: 'none' },
      { kind: 'exact' },
      { kind: 'capped', cap: 1 + random.integer(ROWS) },
    ] as const),
    effort: random.oneIn(3) ? 'unbounded' : 'light',
  });
}

async function seedRows(store: Store, random: SeededRandom): Promise<readonly Row[]> {
  await commit(store, ...randomRows(random));
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
  let maxSize = 0;
  while (walked.length <= ROWS) {
    maxSize += 50;
    const window = { kind: 'seek', after, backward, limit } as const;
    const page = await store.rows.list(listPlan({ order, window, maxSize }));
    const ids = page.rows.map(({ id }) => id);
    walked.push(...(backward ? ids.reverse() : ids));
    const edge = backward ? page.rows.at(0) : page.rows.at(-1);
    if (!page.more || edge === undefined) return walked;
    after = sortKeyValues(order, edge);
  }
  return walked;
}

/** Checks a page of a size: it is the longest part of the whole page, from its start, that has at most this size. */
async function assertEndsAtSize(store: Store, plan: ListPlan, maxSize: number): Promise<void> {
  const whole = await store.rows.list(plan);
  const page = await store.rows.list({ ...plan, maxSize });
  const message = JSON.stringify({ ...plan, maxSize });
  const { length } = page.rows;
  const backward = plan.window.kind === 'seek' && plan.window.backward;
  const expected = backward ? whole.rows.slice(whole.rows.length - length) : whole.rows.slice(0, length);
  assert.deepEqual(page.rows, expected, message);
  assert.deepEqual([page.more, page.total], [whole.more || length < whole.rows.length, whole.total], message);
  assert.ok(length >= Math.min(1, whole.rows.length) && (length <= 1 || page.size <= maxSize), message);
  if (length === whole.rows.length) return;
  const longer = await store.rows.list({ ...plan, window: { ...plan.window, limit: length + 1 } });
  assert.ok(longer.size > maxSize, message);
}

export function paginationSuite(name: string, open: OpenStore, seeds: number = SEEDS.length): void {
  describe(`${name}: random rows, filters, orders and windows`, () => {
    for (const seed of SEEDS.slice(0, seeds)) {
      it(
        `[PAGE-5][QRY-7] returns the same pages as the oracle (seed ${seed})`,
        withStore(open, async (store) => {
          const random = new SeededRandom(seed);
          const rows = await seedRows(store, random);
          for (let count = 0; count < PLANS; count += 1) {
            const plan = randomPlan(random, rows);
            const { size, ...page } = await store.rows.list(plan);
            assert.deepEqual(page, expectedPage(rows, plan, { numeric: NUMERIC }), JSON.stringify(plan));
            assert.ok(size >= page.rows.reduce((sum, { id }) => sum + id.length, 0));
          }
        }),
      );

      it(
        `[LIM-1] ends a page before the row that exceeds its size, in the direction of reading (seed ${seed})`,
        withStore(open, async (store) => {
          const random = new SeededRandom(seed);
          const rows = await seedRows(store, random);
          for (let count = 0; count < PLANS; count += 1) {
            await assertEndsAtSize(store, randomPlan(random, rows), random.integer(600));
          }
        }),
      );

      it(
        `[PAGE-5] visits every row once in either direction, with ties, nulls and mixed directions (seed ${seed})`,
        withStore(open, async (store) => {
          const random = new SeededRandom(seed);
          const rows = await seedRows(store, random);
          for (const backward of [false, true]) {
            const order = randomOrder(random);
            const window = { kind: 'offset', offset: 0, limit: ROWS } as const;
            const all = expectedPage(rows, listPlan({ order, window }), { numeric: NUMERIC }).rows.map(({ id }) => id);
            const expected = backward ? all.toReversed() : all;
            assert.deepEqual(
              await walkPages(store, order, backward, 1 + random.integer(9)),
              expected,
              JSON.stringify(order),
            );
          }
        }),
      );
    }

    it(
      '[PAGE-5] continues after a row that was deleted meanwhile',
      withStore(open, async (store) => {
        await commit(store, createProduct('a'), createProduct('b'), createProduct('c'));
        const [, second] = (await store.rows.list(listPlan())).rows;
        assert.ok(second !== undefined);
        await commit(store, remove('products', 'b', second.revision));
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
