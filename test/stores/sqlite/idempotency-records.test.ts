import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { IdempotencyRecord } from '../../../src/plan/write-unit.ts';
import type { Store } from '../../../src/stores/store.ts';
import { createProduct } from '../../../store-suite/sample-writes.ts';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { openSample } from './open-sample.ts';
import { Database } from './driver-under-test.ts';

/** When the records of a test expire, on a clock that starts at 0. */
const EXPIRY = 10;

interface Remembering {
  readonly store: Store;
  readonly clock: { time: number };
  /** The number of records in the table, expired ones included. */
  readonly kept: () => unknown;
}

async function remembering(context: TestContext): Promise<Remembering> {
  const file = path.join(temporaryDirectory(context), 'sample.db');
  const clock = { time: 0 };
  const store = await openSample({ path: file, clock: { now: () => clock.time } });
  const watcher = new Database(file, { readonly: true });
  context.after(async () => {
    watcher.close();
    await store.close();
  });
  return { store, clock, kept: () => watcher.prepare('select count(*) from restwright_memos').value() };
}

function records(count: number, prefix: string, expiresAt: number): readonly IdempotencyRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${prefix}-${index}`,
    request: 'digest',
    outcome: '{}',
    expiresAt,
  }));
}

describe('the table of idempotency records', () => {
  it('[MET-12] is purged in parts, and only by commits that add to it', async (context) => {
    const { store, clock, kept } = await remembering(context);
    await store.writes.commit({ plans: [], records: records(350, 'old', EXPIRY) });
    clock.time = EXPIRY;
    await store.writes.commit({ plans: [createProduct('p')] });
    assert.equal(kept(), 350);
    const sizes: unknown[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await store.writes.commit({ plans: [], records: records(1, name, Number.MAX_SAFE_INTEGER) });
      sizes.push(kept());
    }
    assert.deepEqual(sizes, [250, 150, 50, 4, 5]);
  });

  it('[MET-12] does not grow with time, however many are added by one commit', async (context) => {
    const { store, clock, kept } = await remembering(context);
    for (let day = 1; day <= 5; day += 1) {
      await store.writes.commit({ plans: [], records: records(300, `day-${day}`, EXPIRY * day) });
      clock.time = EXPIRY * day;
    }
    assert.equal(kept(), 300);
  });

  it('[MET-12] keeps a record until the millisecond in which it expires', async (context) => {
    const { store, clock } = await remembering(context);
    const unit = { plans: [], records: records(1, 'm', EXPIRY) };
    await store.writes.commit(unit);
    clock.time = EXPIRY - 1;
    assert.equal((await store.writes.commit(unit)).kind, 'recorded');
    assert.notEqual(await store.idempotencyRecords.find('m-0', clock.time), null);
    clock.time = EXPIRY;
    assert.equal(await store.idempotencyRecords.find('m-0', clock.time), null);
    assert.equal((await store.writes.commit(unit)).kind, 'committed');
  });
});
