import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StatementTimeout } from '../../../src/stores/store.ts';
import { sampleModel } from '../../../src/testing/sample-model.ts';
import { commit, createProduct, listOf } from '../../../src/testing/sample-writes.ts';
import { openSample } from './open-sample.ts';

const ROWS = 200;

/** A store whose clock goes on by a millisecond at each look. */
async function ticking(statementTimeout: number): ReturnType<typeof openSample> {
  let time = 0;
  const now = (): number => {
    time += 1;
    return time;
  };
  const store = await openSample({ clock: { now } }, sampleModel({ statementTimeout }));
  await commit(store, ...Array.from({ length: ROWS }, (_, index) => createProduct(`p${index}`)));
  return store;
}

describe('the deadline of a heavy read', () => {
  const order = [
    { path: 'rating', descending: true },
    { path: 'id', descending: false },
  ];

  it('[QRY-3] stops the statement after the statement timeout of the model', async () => {
    const store = await ticking(2);
    assert.throws(() => store.resources.list(listOf({ order, heavy: true })), StatementTimeout);
    const page = await store.resources.list(listOf({ order, heavy: false }));
    assert.equal(page.rows.length, 100);
    await store.close();
  });

  it('[QRY-3] stops the count as well, and leaves the store in order', async () => {
    const store = await ticking(2);
    const plan = listOf({
      filter: [{ path: 'rating', operator: 'in', values: [null] }],
      count: { kind: 'exact' },
      heavy: true,
    });
    assert.throws(
      () => store.resources.list({ ...plan, window: { kind: 'offset', offset: 0, limit: 1 } }),
      StatementTimeout,
    );
    await commit(store, createProduct('after'));
    await store.close();
  });

  it('[QRY-3] gives every statement its own time', async () => {
    const store = await ticking(10);
    for (let count = 0; count < 10; count += 1) {
      assert.equal((await store.resources.list(listOf({ order, heavy: true }))).rows.length, 100);
    }
    await store.close();
  });
});
