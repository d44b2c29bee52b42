import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { SqliteConnection } from '../../../../src/stores/sqlite/connection/sqlite-connection.ts';
import { type Store, StoreUnavailable } from '../../../../src/stores/store.ts';
import { commit, createProduct, listIds } from '../../../../store-suite/sample-writes.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { openSample } from '../open-sample.ts';
import { Database, driver } from '../driver-under-test.ts';

/** A store in a file, and the number of times that each statement ran on its writing connection after it was opened. */
async function traced(
  context: TestContext,
  busyTimeout = 1,
): Promise<{ store: Store; file: string; ran: (start: string) => number }> {
  const statements: string[] = [];
  const file = path.join(temporaryDirectory(context), 'sample.db');
  const store = await openSample({
    path: file,
    writer: { busyTimeout, trace: (statement) => statements.push(statement) },
  });
  const opening = statements.length;
  return { store, file, ran: (start) => statements.slice(opening).filter((each) => each.startsWith(start)).length };
}

function write(store: Store, ids: readonly string[]): ReturnType<Store['writes']['commit']> {
  return store.writes.commit({ plans: ids.map((id) => createProduct(id)) });
}

/** Another process that has locked the database. */
function locking(file: string): { unlock(): void } {
  const other = new Database(file);
  other.exec('begin immediate');
  return {
    unlock() {
      other.exec('commit');
      other.close();
    },
  };
}

/** Runs the event loop until a condition holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await setImmediate();
}

describe('group commit', () => {
  it('[OPS-4c] acknowledges what is on disk: a write-ahead log, synced at each commit', (context) => {
    const connection = SqliteConnection.writer(path.join(temporaryDirectory(context), 'sample.db'), driver);
    const pragmas = ['journal_mode', 'synchronous', 'fullfsync', 'foreign_keys'].map((name) => connection.pragma(name));
    connection.close();
    assert.deepEqual(pragmas, ['wal', 2, 1, 1]);
  });

  it('[OPS-4c] commits 31 of 32 concurrent writes once, while one breaks a constraint', async (context) => {
    const { store, ran } = await traced(context);
    await commit(store, createProduct('taken'));
    const before = ran('commit');
    const ids = Array.from({ length: 32 }, (_, index) => (index === 9 ? 'taken' : `p${index}`));
    const outcomes = await Promise.all(ids.map((id) => write(store, [id])));
    assert.equal(outcomes.filter(({ kind }) => kind === 'committed').length, 31);
    assert.deepEqual([ran('commit') - before, ran('rollback to all_units'), ran('rollback to unit')], [1, 1, 1]);
    const revisions = outcomes.flatMap((outcome) => (outcome.kind === 'committed' ? outcome.revisions : []));
    assert.deepEqual(
      revisions,
      Array.from({ length: 31 }, (_, index) => index + 2),
    );
    await store.close();
  });

  it('[OPS-4c] gives each of concurrent writes a savepoint only after one was refused', async (context) => {
    const { store, ran } = await traced(context);
    await commit(store, createProduct('taken'));
    let serial = 0;
    const group = (last: string): Promise<unknown> =>
      Promise.all([`n${(serial += 1)}`, `n${(serial += 1)}`, last].map((id) => write(store, [id])));
    await group('free');
    assert.deepEqual([ran('savepoint all_units'), ran('savepoint unit')], [1, 0]);
    await group('taken');
    assert.deepEqual([ran('savepoint all_units'), ran('savepoint unit')], [2, 3]);
    for (let index = 0; index < 16; index += 1) await group(`a${index}`);
    assert.deepEqual([ran('savepoint all_units'), ran('savepoint unit')], [2, 3 + 16 * 3]);
    await group('b');
    assert.deepEqual([ran('savepoint all_units'), ran('savepoint unit')], [3, 3 + 16 * 3]);
    await store.close();
  });

  it('[OPS-4c] needs no savepoint for one write, and no commit for one that is refused', async (context) => {
    const { store, ran } = await traced(context);
    await commit(store, createProduct('taken'));
    assert.deepEqual([ran('savepoint'), ran('commit'), ran('rollback')], [0, 1, 0]);
    assert.equal((await write(store, ['new', 'taken'])).kind, 'exists');
    assert.deepEqual([ran('savepoint'), ran('commit'), ran('rollback')], [0, 1, 1]);
    await store.close();
  });

  it('[LIM-3] limits the size of a transaction, so that a long queue does not block the thread', async (context) => {
    const { store, ran } = await traced(context);
    await Promise.all(Array.from({ length: 300 }, (_, index) => write(store, [`p${index}`])));
    assert.equal(ran('commit'), 2);
    const large = Array.from({ length: 3 }, (_, unit) =>
      Array.from({ length: 600 }, (__, index) => `q${unit}-${index}`),
    );
    await Promise.all(large.map((ids) => write(store, ids)));
    assert.equal(ran('commit'), 5);
    await store.close();
  });

  it('[LIM-3] rejects every waiting write while another process has locked the database, and writes none of them', async (context) => {
    const { store, file } = await traced(context);
    await commit(store, createProduct('before'));
    const other = locking(file);
    const waiting = [write(store, ['a']), write(store, ['b'])];
    const outcomes = await Promise.allSettled(waiting);
    other.unlock();
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailable),
      [true, true],
    );
    assert.deepEqual(await listIds(store, {}), ['before']);
    await commit(store, createProduct('after'));
    await store.close();
  });

  it('[LIM-3] answers reads while another process has locked the database, and writes once it is unlocked', async (context) => {
    const { store, file, ran } = await traced(context, 60_000);
    await commit(store, createProduct('before'));
    const other = locking(file);
    const waiting = [write(store, ['a']), write(store, ['b'])];
    await until(() => ran('begin immediate') > 3);
    assert.deepEqual([await listIds(store, {}), store.writes.pending], [['before'], 2]);
    waiting.push(write(store, ['c']));
    other.unlock();
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ kind }) => kind),
      ['committed', 'committed', 'committed'],
    );
    assert.deepEqual(await listIds(store, {}), ['a', 'b', 'before', 'c']);
    assert.equal(ran('update restwright_counts'), 2, 'waiting units share a transaction');
    await store.close();
  });

  it('[LIM-3] commits units that wait for another process when it closes', async (context) => {
    const { store, file, ran } = await traced(context, 60_000);
    const other = locking(file);
    const waiting = write(store, ['a']);
    await until(() => ran('begin immediate') > 1);
    const closing = store.close();
    other.unlock();
    assert.equal((await waiting).kind, 'committed');
    await closing;
  });

  it('[EVT-3a] stores deliveries once the database is unlocked, and reads them meanwhile', async (context) => {
    const { store, file, ran } = await traced(context, 60_000);
    await store.deliveries.register('after', ['hook']);
    const other = locking(file);
    assert.deepEqual(await store.deliveries.waiting('after'), []);
    const hook = { reader: 'after', endpoint: 'hook', sequence: 1, attempts: 1, due: 1, resource: null } as const;
    const stored = store.writes.commit({ plans: [], delivery: { deliveries: [{ ...hook, state: 'waiting' }] } });
    const begun = ran('begin immediate');
    await until(() => ran('begin immediate') > begun + 1);
    other.unlock();
    await stored;
    assert.deepEqual(await store.deliveries.waiting('after'), [{ endpoint: 'hook', due: 1 }]);
    await store.close();
  });

  it('[EVT-3a] commits a unit that may wait with the next write, after its delay, or when the store closes', async (context) => {
    const { store, ran } = await traced(context);
    const lazy = (maxDelay: number): Promise<unknown> =>
      store.writes.commit({ plans: [], maxDelay, bookmark: { name: String(maxDelay), value: 'x' } });
    const first = lazy(60_000);
    await commit(store, createProduct('a'));
    await first;
    assert.equal(ran('commit'), 1);
    await lazy(1);
    assert.equal(ran('commit'), 2);
    const last = lazy(60_000);
    await store.close();
    await last;
  });

  it('[REP-8][EVT-3b] shares the counters of revisions and sequences with other processes', async (context) => {
    const { store, file } = await traced(context);
    const other = await openSample({ path: file });
    const revisions: number[] = [];
    for (const [index, each] of [store, other, store, other].entries()) {
      revisions.push(...(await commit(each, createProduct(`p${index}`))));
    }
    assert.deepEqual(revisions, [1, 2, 3, 4]);
    const events = await store.events.after(0, 10);
    assert.deepEqual(
      events.map(({ payload }) => payload.resource.id),
      ['p0', 'p1', 'p2', 'p3'],
    );
    await Promise.all([store.close(), other.close()]);
  });
});
