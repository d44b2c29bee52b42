import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StagedRows } from '../../../src/pipeline/batch/staged-rows.ts';
import type { ListPlan, Page, Row, WritePlan } from '../../../src/plan/plan.ts';
import { randomRelatedCondition, RELATED_VALUES, seedRelated } from '../../../src/testing/relation-samples.ts';
import { sampleModel } from '../../../src/testing/sample-model.ts';
import {
  commit,
  createProduct,
  createReview,
  createSupplier,
  listPlan,
  remove,
  update,
} from '../../../src/testing/sample-writes.ts';
import { SeededRandom } from '../../../src/testing/seeded-random.ts';
import type { Store } from '../../../src/stores/store.ts';
import { openSample } from '../../stores/sqlite/open-sample.ts';

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);
const LISTS = 40;

async function rowsOf(store: Store, resource: string): Promise<readonly Row[]> {
  return (await store.rows.list(listPlan({ resource }))).rows;
}

/** Changes of suppliers, products and reviews, at most one for each row. */
async function randomUnit(store: Store, random: SeededRandom): Promise<readonly WritePlan[]> {
  const some = <T>(list: readonly T[], times: number): readonly T[] => list.filter(() => random.oneIn(times));
  const suppliers = some(await rowsOf(store, 'suppliers'), 3).map(({ id, revision }) =>
    update('suppliers', id, revision, { name: `${random.pick(['s0', 's1', 'x'])} ${id}` }),
  );
  const products = some(await rowsOf(store, 'products'), 8).map(({ id, revision }) =>
    update('products', id, revision, {
      supplier_id: random.pick([null, 's0', 's1', 'new']),
      category: random.pick([null, 'a', 'b']),
      related_ids: random.pick([[], ['p0'], ['p1', 'q']]),
    }),
  );
  const reviews = some(await rowsOf(store, 'reviews'), 6).flatMap(({ id, revision, ...row }) => {
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
    filter: Array.from({ length: 1 + random.integer(2) }, () => randomRelatedCondition(random, resource)),
    order: [{ path: 'id', descending: random.oneIn(2) }],
    window: { kind: 'seek', after: null, backward: false, limit: 1 + random.integer(40) },
    count: random.oneIn(2) ? { kind: 'exact' } : { kind: 'none' },
    effort: 'unbounded',
  });
}

describe('a list of the rows of a unit', () => {
  for (const seed of SEEDS) {
    it(`[MET-13] [QRY-1] has the rows and the total that it has once the unit is written (seed ${seed})`, async () => {
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
        await commit(store, ...unit);
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
