import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StagedRows } from '../../../src/operations/staged/staged-rows.ts';
import {
  EVERYTHING,
  type ListPlan,
  type Page,
  type Row,
  type Visibility,
  type VisibleAncestor,
  type WritePlan,
} from '../../../src/plan/plan.ts';
import {
  randomRelatedCondition,
  randomVisibility,
  RELATED_VALUES,
  seedRelated,
} from '../../../store-suite/relation-samples.ts';
import { sampleModel } from '../../../store-suite/sample-model.ts';
import {
  commit,
  createProduct,
  createReview,
  createSupplier,
  itemPlan,
  listPlan,
  remove,
  topLevel,
  update,
} from '../../../store-suite/sample-writes.ts';
import { SeededRandom } from '../../../store-suite/seeded-random.ts';
import type { RowReader, Store } from '../../../src/stores/store.ts';
import { openSample } from '../../stores/sqlite/open-sample.ts';

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);
const LISTS = 40;
const LOOKUPS = 10;

async function listRows(store: Store, resource: string): Promise<readonly Row[]> {
  return (await store.rows.list(listPlan({ resource }))).rows;
}

/** Changes of suppliers, products and reviews, at most one for each row. */
async function randomUnit(store: Store, random: SeededRandom): Promise<readonly WritePlan[]> {
  const some = <T>(list: readonly T[], times: number): readonly T[] => list.filter(() => random.oneIn(times));
  const suppliers = some(await listRows(store, 'suppliers'), 3).map(({ id, revision }) =>
    update('suppliers', id, revision, { name: `${random.pick(['s0', 's1', 'x'])} ${id}` }),
  );
  const products = some(await listRows(store, 'products'), 8).map(({ id, revision }) =>
    update('products', id, revision, {
      supplier_id: random.pick([null, 's0', 's1', 'new']),
      category: random.pick([null, 'a', 'b']),
      related_ids: random.pick([[], ['p0'], ['p1', 'q']]),
    }),
  );
  const reviews = some(await listRows(store, 'reviews'), 6).flatMap(({ id, revision, ...row }) => {
    const product = row['product_id'];
    return typeof product === 'string' ? remove('reviews', id, revision, [{ resource: 'products', id: product }]) : [];
  });
  return [
    createSupplier('new', 's0 new'),
    createProduct('q', { supplier_id: 'new', category: 'a', related_ids: ['p0'] }),
    ...suppliers,
    ...products,
    ...reviews,
    createReview('added', random.pick(['q', 'p0', 'p1'])),
  ];
}

function randomList(random: SeededRandom): ListPlan {
  const resource = random.pick(Object.keys(RELATED_VALUES));
  return listPlan({
    resource,
    visible: random.oneIn(2) ? EVERYTHING : randomVisibility(random, resource),
    filter: Array.from({ length: 1 + random.integer(2) }, () => randomRelatedCondition(random, resource)),
    order: [{ path: 'id', descending: random.oneIn(2) }],
    window: { kind: 'seek', after: null, backward: false, limit: 1 + random.integer(40) },
    count: random.oneIn(2) ? { kind: 'exact' } : { kind: 'none' },
    effort: 'unbounded',
  });
}

/** Lookups by one caller: rows of a resource by their ids, and rows below one product. */
interface Lookups {
  readonly of: string;
  readonly ids: readonly string[];
  readonly visible: Visibility;
  readonly above: VisibleAncestor;
}

async function randomLookups(random: SeededRandom, store: Store): Promise<Lookups> {
  const of = random.pick(Object.keys(RELATED_VALUES));
  const ids = [...(await listRows(store, of)).map(({ id }) => id), 'new', 'q', 'added', 'none'];
  const id = random.pick(['p0', 'p1', 'q']);
  const above = { resource: 'products', id, visible: randomVisibility(random, 'products') };
  return { of, ids, visible: randomVisibility(random, of), above };
}

/** The ids that every read other than a list finds. */
async function foundBy(rows: RowReader, { of, ids, visible, above }: Lookups): Promise<object> {
  const items: (string | undefined)[] = [];
  for (const id of ids) items.push((await rows.item(itemPlan(of, id, { visible })))?.id);
  const looked = await rows.lookup({ resource: of, rows: topLevel(...ids), visible });
  const missing = await rows.missingReferences(ids.map((id) => ({ resource: of, id, within: [], visible })));
  const below = await rows.list(
    listPlan({
      resource: 'reviews',
      within: [above],
      window: { kind: 'seek', after: null, backward: false, limit: 50 },
    }),
  );
  const child = await rows.item(itemPlan('reviews', 'added', { within: [above] }));
  return {
    items,
    looked: looked.map(({ row }) => row.id).sort(),
    missing: missing.map(({ id }) => id),
    ancestor: (await rows.missingAncestor([above]))?.id,
    below: below.rows.map(({ id }) => id),
    child: child?.id,
  };
}

describe('a list of the rows of a unit', () => {
  for (const seed of SEEDS) {
    it(`[MET-13] [QRY-1] [AUTH-5a] has the rows and the total that it has once the unit is written, like every other read (seed ${seed})`, async () => {
      const random = new SeededRandom(seed);
      const model = sampleModel();
      const store = await openSample({}, model);
      try {
        await seedRelated(store, random);
        const unit = await randomUnit(store, random);
        const staged = new StagedRows(store, model);
        await staged.stage(unit);
        const plans = Array.from({ length: LISTS }, () => randomList(random));
        const lists: Page[] = [];
        for (const plan of plans) lists.push(await staged.list(plan));
        const lookups: (readonly [of: Lookups, found: object])[] = [];
        for (let index = 0; index < LOOKUPS; index += 1) {
          const each = await randomLookups(random, store);
          lookups.push([each, await foundBy(staged, each)]);
        }
        await commit(store, ...unit);
        for (const [each, found] of lookups) {
          assert.deepEqual(found, await foundBy(store.rows, each), JSON.stringify(each));
        }
        for (const [index, plan] of plans.entries()) {
          const { rows, more, total } = await store.rows.list(plan);
          const found = lists[index];
          const shown = JSON.stringify(plan);
          assert.deepEqual(
            found?.rows.map(({ id }) => id),
            rows.map(({ id }) => id),
            shown,
          );
          assert.deepEqual([found?.more, found?.total], [more, total], shown);
        }
      } finally {
        await store.close();
      }
    });
  }
});
