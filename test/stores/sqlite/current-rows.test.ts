import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'node:test';
import type { RelatedPlan, Row } from '../../../src/plan/plan.ts';
import { ReadingPlace } from '../../../src/stores/sqlite/reading-place.ts';
import type { RowsRead } from '../../../src/stores/sqlite/reading.ts';
import type { Store } from '../../../src/stores/store.ts';
import {
  commit,
  createProduct,
  createReview,
  createSupplier,
  listOf,
  remove,
  rowOf,
  update,
} from '../../../src/testing/sample-writes.ts';
import Database from 'better-sqlite3';
import { openSample } from './open-sample.ts';

/** Two stores on one file, as two processes have them. */
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

/** A row that is kept in memory, for it was asked for often enough. */
async function keptRow(store: Store, resource: string, id: string): Promise<Row> {
  const rows = [];
  for (let time = 0; time < 4; time += 1) rows.push(await rowOf(store, resource, id));
  const [third, fourth] = rows.slice(2);
  assert.ok(third !== undefined && third === fourth, 'it is not kept');
  return third;
}

function reviewsOf(id: string): RelatedPlan {
  return { resource: 'reviews', field: 'product_id', owners: [id], order: listOf().order, limit: 9, effort: 'light' };
}

describe('rows that were read before', () => {
  it('[CACHE-2] are the very same as long as they are as they were, and nobody can change them', async () => {
    await both(async (store) => {
      await commit(store, createProduct('p', { tags: ['a'] }));
      const once = await rowOf(store, 'products', 'p');
      const twice = await rowOf(store, 'products', 'p');
      const row = await rowOf(store, 'products', 'p');
      assert.notEqual(twice, once, 'what is asked for once is not kept');
      assert.notEqual(row, twice, 'nor what is asked for twice');
      assert.deepEqual(row, once);
      assert.equal(await rowOf(store, 'products', 'p'), row);
      const { rows } = await store.resources.list(listOf());
      assert.equal(rows[0], row);
      assert.throws(() => Object.assign(row, { name: 'x' }), TypeError);
      assert.throws(() => Object.assign(row['tags'] ?? {}, ['x']), TypeError);
    });
  });

  it('[REP-8] are others right after a write of this process', async () => {
    await both(async (store) => {
      const [first = 0] = await commit(store, createProduct('p', { stock: 1 }));
      assert.equal((await keptRow(store, 'products', 'p'))['stock'], 1);
      const [second = 0] = await commit(store, update('products', 'p', first, { stock: 2 }));
      assert.deepEqual([(await rowOf(store, 'products', 'p'))['stock'], second > first], [2, true]);
      await commit(store, remove('products', 'p', second));
      assert.equal(await store.resources.item({ kind: 'item', resource: 'products', id: 'p', within: [] }), null);
      assert.deepEqual((await store.resources.list(listOf())).rows, []);
    });
  });

  it('[REP-8] [MET-3] are after a change what the database has', async () => {
    await both(async (one, other) => {
      const [first = 0] = await commit(one, createProduct('p', { stock: 1, price: '5.00', tags: ['a'] }));
      await keptRow(one, 'products', 'p');
      const address = { city: 'Oslo', floor: null, fee: '1.50', since: null, number: '9007199254740993' };
      const values = { stock: null, price: '19.90', tags: [], address, active: true };
      await commit(one, update('products', 'p', first, values));
      assert.deepEqual(await rowOf(one, 'products', 'p'), await rowOf(other, 'products', 'p'));
      assert.deepEqual(
        Object.keys(await rowOf(one, 'products', 'p')),
        Object.keys(await rowOf(other, 'products', 'p')),
      );
    });
  });

  it('[REP-8] are others one turn after a write of another process', async () => {
    await both(async (one, other) => {
      const [first = 0] = await commit(one, createProduct('p', { stock: 1 }));
      await setImmediate();
      await keptRow(one, 'products', 'p');
      const [changed] = await one.resources.changes(['products']);
      for (const stock of [2, 3]) {
        const { revision } = await rowOf(other, 'products', 'p');
        await commit(other, update('products', 'p', revision, { stock }));
        await setImmediate();
        assert.equal((await keptRow(one, 'products', 'p'))['stock'], stock);
        assert.equal((await one.resources.list(listOf())).rows[0]?.['stock'], stock);
        assert.notEqual((await one.resources.changes(['products']))[0], changed);
      }
      assert.ok(first > 0);
    });
  });

  it('[REP-8] are others for what arrives after a write of another process, wherever in the turn before it they were read', async () => {
    await both(async (one, other, file) => {
      const rival = new Database(file);
      await commit(other, createProduct('p', { stock: 0 }));
      for (let stock = 1; stock <= 20; stock++) {
        await setImmediate();
        await keptRow(one, 'products', 'p');
        const arrival = stat(file);
        rival.exec('update products set stock = stock + 1, revision = revision + 1');
        await arrival;
        assert.equal((await rowOf(one, 'products', 'p'))['stock'], stock);
      }
      rival.close();
    });
  });

  it('[CACHE-1] [CACHE-2] are of the change that is told in their turn, whatever another process writes meanwhile', async () => {
    await both(async (one, other, file) => {
      const rival = new Database(file);
      await commit(other, createProduct('p', { stock: 1 }));
      for (let stock = 1; stock < 4; stock += 1) {
        await setImmediate();
        const [before] = await one.resources.changes(['products']);
        rival.exec('update products set stock = stock + 1; update restwright_counts set change = change + 1');
        assert.equal((await one.resources.list(listOf())).rows[0]?.['stock'], stock);
        assert.equal((await rowOf(one, 'products', 'p'))['stock'], stock);
        assert.deepEqual(await one.resources.changes(['products']), [before]);
      }
      rival.close();
    });
  });

  it('[CACHE-1] [CACHE-2] are of a change that is told after another thread has read them, in the same turn too', async (context) => {
    await both(async (one, other, file) => {
      const rival = new Database(file);
      await commit(other, createProduct('p', { stock: 1 }), createReview('r', 'p'));
      const readings = [
        () => one.resources.list(listOf()),
        () => one.resources.lookup({ resource: 'products', ids: ['p'], effort: 'light' }),
        () => one.resources.related(reviewsOf('p')),
      ];
      const { mock } = context.mock.method(ReadingPlace.prototype, 'read');
      for (const read of readings) {
        const thread = Promise.withResolvers<RowsRead>();
        mock.mockImplementationOnce(() => thread.promise);
        const reading = read();
        await setImmediate();
        const [before] = await one.resources.changes(['products']);
        rival.exec('update products set stock = stock + 1; update restwright_counts set change = change + 1');
        thread.resolve([]);
        await reading;
        assert.notDeepEqual(await one.resources.changes(['products']), [before]);
      }
      rival.close();
    });
  });

  it('[CACHE-2] [MET-14] stay the same where a unit was refused, or only tried', async () => {
    await both(async (store) => {
      const [revision = 0] = await commit(store, createProduct('p', { stock: 1 }));
      const row = await keptRow(store, 'products', 'p');
      await store.resources.write({ plans: [update('products', 'p', revision + 1, { stock: 2 })] });
      await store.resources.write({ plans: [update('products', 'p', revision, { stock: 2 })], dry: true });
      assert.deepEqual(await rowOf(store, 'products', 'p'), row);
    });
  });

  it('[URL-7] are those of their own resource, where one of another has the same id', async () => {
    await both(async (store) => {
      await commit(store, createProduct('x', { stock: 7 }), createSupplier('x'));
      const names = async (): Promise<unknown> => [
        (await rowOf(store, 'products', 'x'))['stock'],
        'stock' in (await rowOf(store, 'suppliers', 'x')),
      ];
      for (let time = 0; time < 4; time += 1) assert.deepEqual(await names(), [7, false]);
      for (let time = 0; time < 4; time += 1) assert.equal((await rowOf(store, 'products', 'x'))['stock'], 7);
      assert.deepEqual(await names(), [7, false]);
    });
  });

  it('[URL-7] are found below their own parent alone', async () => {
    await both(async (store) => {
      await commit(store, createProduct('p'), createProduct('q'), createReview('r', 'p'));
      const below = (id: string): unknown =>
        store.resources.item({
          kind: 'item',
          resource: 'reviews',
          id: 'r',
          within: [{ resource: 'products', id }],
        });
      assert.notEqual(await below('p'), null);
      assert.equal(await below('q'), null);
      assert.notEqual(await below('p'), null);
    });
  });
});
