import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { EVERYTHING, type RelatedPlan, type Row } from '../../../src/plan/plan.ts';
import { ReadScheduler } from '../../../src/stores/sqlite/read-pool/read-scheduler.ts';
import type { BatchRows } from '../../../src/stores/sql/sql-client.ts';
import type { Store } from '../../../src/stores/store.ts';
import {
  commit,
  createProduct,
  createReview,
  createSupplier,
  listPlan,
  remove,
  readRow,
  update,
  topLevel,
} from '../../../store-suite/sample-writes.ts';
import fc from 'fast-check';
import { openSample } from '../sqlite/open-sample.ts';
import { Database } from '../sqlite/driver-under-test.ts';
import { runs } from '../../extent.ts';

/** Two stores on one file, like two processes. */
async function both(run: (one: Store, other: Store, file: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'rows-'));
  const file = path.join(folder, 'sample.db');
  const one = await openSample({ path: file });
  const other = await openSample({ path: file });
  try {
    await run(one, other, file);
  } finally {
    await one.close();
    await other.close();
    rmSync(folder, { recursive: true });
  }
}

async function rowChange(store: Store, id = 'p'): Promise<number> {
  const change = await store.stamps.rowStamp('products', id);
  assert.ok(change !== null);
  return change;
}

async function readItem(store: Store, id: string): Promise<Row | null> {
  return store.rows.item({ kind: 'item', resource: 'products', id, within: [], visible: EVERYTHING });
}

function reviewsPlan(id: string): RelatedPlan {
  return {
    resource: 'reviews',
    field: 'product_id',
    owners: topLevel(id),
    visible: EVERYTHING,
    order: listPlan().order,
    limit: 9,
    effort: 'light',
  };
}

describe('the change stamp of a row', () => {
  it('[CACHE-1] stays the same until the row is written', async () => {
    await both(async (store) => {
      const [revision = 0] = await commit(store, createProduct('p'), createProduct('q'));
      const change = await rowChange(store);
      await setImmediate();
      await readRow(store, 'products', 'p');
      assert.equal(await rowChange(store), change);
      await commit(store, update('products', 'q', revision + 1, { stock: 2 }));
      assert.equal(await rowChange(store), change);
    });
  });

  it('[CACHE-1] changes with each write of this process', async () => {
    await both(async (store) => {
      const seen = [await rowChange(store)];
      const [first = 0] = await commit(store, createProduct('p'));
      seen.push(await rowChange(store));
      const [second = 0] = await commit(store, update('products', 'p', first, { stock: 2 }));
      seen.push(await rowChange(store));
      await commit(store, remove('products', 'p', second));
      seen.push(await rowChange(store));
      await commit(store, createProduct('p'));
      seen.push(await rowChange(store));
      assert.equal(new Set(seen).size, 5, seen.join());
    });
  });

  it('[CACHE-1] changes in the loop iteration after a write of another process to any row', async () => {
    await both(async (one, other) => {
      const [revision = 0] = await commit(one, createProduct('p'), createProduct('q'));
      const seen = [await rowChange(one)];
      for (const stock of [2, 3, 4]) {
        const { revision: last } = await readRow(other, 'products', 'q');
        await commit(other, update('products', 'q', last, { stock }));
        await setImmediate();
        seen.push(await rowChange(one));
      }
      assert.equal(new Set(seen).size, 4, seen.join());
      assert.ok(revision > 0);
    });
  });

  it('[CACHE-1] [MET-14] stays the same after a refused unit or a dry run', async () => {
    await both(async (store) => {
      const [revision = 0] = await commit(store, createProduct('p', { stock: 1 }));
      const change = await rowChange(store);
      await store.writes.commit({ plans: [update('products', 'p', revision + 1, { stock: 2 })] });
      await store.writes.commit({ plans: [update('products', 'p', revision, { stock: 2 })], dry: true });
      assert.equal(await rowChange(store), change);
      assert.equal((await readRow(store, 'products', 'p'))['stock'], 1);
    });
  });

  it('[law] [CACHE-1] differs whenever the row does, whichever process wrote it', async () => {
    const step = fc.record({
      by: fc.constantFrom('one', 'other'),
      id: fc.constantFrom('p', 'q'),
      stock: fc.option(fc.integer({ min: 0, max: 3 })),
    });
    await both(async (one, other) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const known = new Map<string, unknown>();
          for (const { by, id, stock } of steps) {
            const store = by === 'one' ? one : other;
            const row = await readItem(store, id);
            const { revision = 0 } = row ?? {};
            if (row === null) await commit(store, createProduct(id, { stock: stock ?? 0 }));
            else if (stock === null) await commit(store, remove('products', id, revision));
            else await commit(store, update('products', id, revision, { stock }));
            await setImmediate();
            for (const each of ['p', 'q']) {
              const state = `${each} ${await rowChange(one, each)}`;
              const stands = await readItem(one, each);
              if (known.has(state)) assert.deepEqual(stands, known.get(state), state);
              known.set(state, stands);
            }
          }
        }),
        { numRuns: runs(5, 50) },
      );
    });
  });
});

describe('rows and stamps', () => {
  it('[REP-8] are current right after a write of this process', async () => {
    await both(async (store) => {
      const [first = 0] = await commit(store, createProduct('p', { stock: 1 }));
      assert.equal((await readRow(store, 'products', 'p'))['stock'], 1);
      const [second = 0] = await commit(store, update('products', 'p', first, { stock: 2 }));
      assert.deepEqual([(await readRow(store, 'products', 'p'))['stock'], second > first], [2, true]);
      await commit(store, remove('products', 'p', second));
      assert.equal(await readItem(store, 'p'), null);
      assert.deepEqual((await store.rows.list(listPlan())).rows, []);
    });
  });

  it('[REP-8] are current one loop iteration after a write of another process', async () => {
    await both(async (one, other) => {
      const [first = 0] = await commit(one, createProduct('p', { stock: 1 }));
      await setImmediate();
      await readRow(one, 'products', 'p');
      const [changed] = await one.stamps.resourceStamps(['products']);
      for (const stock of [2, 3]) {
        const { revision } = await readRow(other, 'products', 'p');
        await commit(other, update('products', 'p', revision, { stock }));
        await setImmediate();
        assert.equal((await readRow(one, 'products', 'p'))['stock'], stock);
        assert.equal((await one.rows.list(listPlan())).rows[0]?.['stock'], stock);
        assert.notEqual((await one.stamps.resourceStamps(['products']))[0], changed);
      }
      assert.ok(first > 0);
    });
  });

  it('[REP-8] are current for requests that arrive after a write of another process, wherever in the previous loop iteration they were read', async () => {
    await both(async (one, other, file) => {
      const rival = new Database(file);
      await commit(other, createProduct('p', { stock: 0 }));
      for (let stock = 1; stock <= 20; stock++) {
        await setImmediate();
        await readRow(one, 'products', 'p');
        const arrival = stat(file);
        rival.exec('update products set stock = stock + 1, revision = revision + 1');
        await arrival;
        assert.equal((await readRow(one, 'products', 'p'))['stock'], stock);
      }
      rival.close();
    });
  });

  it('[CACHE-1] [CACHE-2] match within a loop iteration, whatever another process writes meanwhile', async () => {
    await both(async (one, other, file) => {
      const rival = new Database(file);
      await commit(other, createProduct('p', { stock: 1 }));
      for (let stock = 1; stock < 4; stock += 1) {
        await setImmediate();
        const [before] = await one.stamps.resourceStamps(['products']);
        rival.exec('update products set stock = stock + 1; update restwright_counts set change = change + 1');
        assert.equal((await one.rows.list(listPlan())).rows[0]?.['stock'], stock);
        assert.equal((await readRow(one, 'products', 'p'))['stock'], stock);
        assert.deepEqual(await one.stamps.resourceStamps(['products']), [before]);
      }
      rival.close();
    });
  });

  it('[CACHE-1] [CACHE-2] match after another thread has read the rows, in the same loop iteration too', async (context) => {
    await both(async (one, other, file) => {
      const rival = new Database(file);
      await commit(other, createProduct('p', { stock: 1 }), createReview('r', 'p'));
      const readings = [
        () => one.rows.list(listPlan()),
        () => one.rows.lookup({ resource: 'products', rows: topLevel('p'), visible: EVERYTHING, effort: 'light' }),
        () => one.rows.related(reviewsPlan('p')),
      ];
      const { mock } = context.mock.method(ReadScheduler.prototype, 'read');
      for (const read of readings) {
        const thread = Promise.withResolvers<BatchRows>();
        mock.mockImplementationOnce(() => thread.promise);
        const reading = read();
        await setImmediate();
        const [before] = await one.stamps.resourceStamps(['products']);
        rival.exec('update products set stock = stock + 1; update restwright_counts set change = change + 1');
        thread.resolve([]);
        await reading;
        assert.notDeepEqual(await one.stamps.resourceStamps(['products']), [before]);
      }
      rival.close();
    });
  });

  it('[URL-7] belong to their own resource, even where another resource has the same id', async () => {
    await both(async (store) => {
      await commit(store, createProduct('x', { stock: 7 }), createSupplier('x'));
      const names = async (): Promise<unknown> => [
        (await readRow(store, 'products', 'x'))['stock'],
        'stock' in (await readRow(store, 'suppliers', 'x')),
      ];
      assert.deepEqual(await names(), [7, false]);
    });
  });

  it('[URL-7] are found below their own parent only', async () => {
    await both(async (store) => {
      await commit(store, createProduct('p'), createProduct('q'), createReview('r', 'p'));
      const below = (id: string): unknown =>
        store.rows.item({
          kind: 'item',
          resource: 'reviews',
          id: 'r',
          visible: EVERYTHING,
          within: [{ resource: 'products', id, visible: EVERYTHING }],
        });
      assert.notEqual(await below('p'), null);
      assert.equal(await below('q'), null);
      assert.notEqual(await below('p'), null);
    });
  });
});
