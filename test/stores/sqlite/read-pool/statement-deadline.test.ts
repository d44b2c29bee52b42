import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EVERYTHING, type RelatedPlan } from '../../../../src/plan/plan.ts';
import { StatementTimeout } from '../../../../src/stores/store.ts';
import { sampleModel } from '../../../../store-suite/sample-model.ts';
import { commit, createProduct, createSupplier, listPlan, topLevel } from '../../../../store-suite/sample-writes.ts';
import { openSample } from '../open-sample.ts';

const ROWS = 200;
const BY_RATING = [
  { path: 'rating', descending: true },
  { path: 'id', descending: false },
];

/** A store in memory whose clock advances by a millisecond with each check. */
async function ticking(
  statementTimeout: number,
  rows: number = ROWS,
  categories: number = 1,
): ReturnType<typeof openSample> {
  let time = 0;
  const now = (): number => {
    time += 1;
    return time;
  };
  const store = await openSample({ clock: { now } }, sampleModel({ statementTimeout }));
  const category = (index: number): string => `c${index % categories}`;
  await commit(
    store,
    ...Array.from({ length: rows }, (_, index) => createProduct(`p${index}`, { category: category(index) })),
  );
  return store;
}

describe('the deadline of a slow read', () => {
  it('[QRY-3] stops the statement after the statement timeout of the model', async () => {
    const store = await ticking(2);
    assert.throws(() => store.rows.list(listPlan({ order: BY_RATING, effort: 'unbounded' })), StatementTimeout);
    const page = await store.rows.list(listPlan({ order: BY_RATING, effort: 'light' }));
    assert.equal(page.rows.length, 100);
    await store.close();
  });

  it('[QRY-3] stops the count too, and the store remains usable', async () => {
    const store = await ticking(2);
    const plan = listPlan({
      filter: [{ path: 'rating', operator: 'exists', value: false }],
      window: { kind: 'offset', offset: 0, limit: 1 },
      count: { kind: 'exact' },
      effort: 'unbounded',
    });
    assert.throws(() => store.rows.list(plan), StatementTimeout);
    await commit(store, createProduct('after'));
    await store.close();
  });

  it('[QRY-3] starts again with each read', async () => {
    const store = await ticking(10);
    for (let count = 0; count < 10; count += 1) {
      assert.equal((await store.rows.list(listPlan({ order: BY_RATING, effort: 'unbounded' }))).rows.length, 100);
    }
    await store.close();
  });

  it('[QRY-3] [QRY-4] stops a read of related rows, by an array of references or in an order without an index', async () => {
    const store = await ticking(2);
    const plan: RelatedPlan = {
      resource: 'products',
      field: 'related_ids',
      owners: topLevel('p0'),
      order: BY_RATING,
      limit: 1,
      visible: EVERYTHING,
    };
    const products = Array.from({ length: ROWS }, (_, index) =>
      createProduct(`q${index}`, { supplier_id: 's', related_ids: ['p0'] }),
    );
    await commit(store, createSupplier('s'), ...products);
    const bySupplier = { ...plan, field: 'supplier_id', owners: topLevel('s') };
    for (const each of [plan, bySupplier]) {
      const read = async (given: RelatedPlan) => store.rows.related(given);
      await assert.rejects(read(each), StatementTimeout, 'without an effort it is unbounded');
      await assert.rejects(read({ ...each, effort: 'unbounded' }), StatementTimeout);
      const found = await store.rows.related({ ...each, effort: 'light' });
      assert.equal(found[0]?.rows.length, 1);
    }
    await store.close();
  });

  it('[QRY-3] is checked whichever rows are read: every second, every 64th, every 100th', async () => {
    for (const categories of [2, 64, 100]) {
      const store = await ticking(1, categories * ROWS, categories);
      const filter = [{ path: 'category', operator: 'in', values: ['c0'] }] as const;
      const plan = listPlan({ filter, order: BY_RATING, effort: 'unbounded' });
      assert.throws(() => store.rows.list(plan), StatementTimeout, `${categories} alternating categories`);
      await store.close();
    }
  });
});
