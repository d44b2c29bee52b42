import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ListPlan } from '../../../../src/plan/plan.ts';
import { commit, createProduct, listPlan } from '../../../../store-suite/sample-writes.ts';
import { openSample } from '../open-sample.ts';

const ROWS = 20;

/**
 * Counts the plannings of statements while something ran. The driver better-sqlite3 generates a function that creates
 * the row objects of a statement, and generates it again after SQLite has planned the statement again.
 */
async function countPlannings(run: () => Promise<void>): Promise<number> {
  const { Function: made } = globalThis;
  let count = 0;
  const counted = new Proxy(made, {
    apply(target, self, args) {
      count += 1;
      return Reflect.apply(target, self, args);
    },
  });
  Object.assign(globalThis, { Function: counted });
  try {
    await run();
  } finally {
    Object.assign(globalThis, { Function: made });
  }
  return count;
}

const PAGES: Readonly<Record<string, (index: number) => Partial<ListPlan>>> = {
  'a limit': (index) => ({ window: { kind: 'offset', offset: 0, limit: index + 1 } }),
  'an offset': (index) => ({ window: { kind: 'offset', offset: index + 1, limit: 2 } }),
  'a position': (index) => ({
    order: [{ path: 'id', descending: false }],
    window: { kind: 'seek', after: [`p${index}`], backward: false, limit: 2 },
  }),
  'a filter, in an order without an index': (index) => ({
    filter: [{ path: 'name', operator: 'in', values: [`p${index}`] }],
    order: [{ path: 'stock', descending: true }],
  }),
  'a total': (index) => ({
    filter: [{ path: 'name', operator: 'in', values: [`p${index}`] }],
    count: { kind: 'capped', cap: index + 1 },
  }),
};

describe('a statement is planned once, for all values', () => {
  for (const [name, pageOf] of Object.entries(PAGES)) {
    it(`[PAGE-10] ${name}`, async () => {
      const store = await openSample({ driver: 'better-sqlite3' });
      await commit(store, ...Array.from({ length: ROWS }, (_, index) => createProduct(`p${index}`)));
      const read = async (from: number, to: number): Promise<void> => {
        for (let index = from; index < to; index += 1) await store.rows.list(listPlan(pageOf(index)));
      };
      await read(0, 2);
      assert.equal(await countPlannings(() => read(2, ROWS)), 0);
      await store.close();
    });
  }
});
