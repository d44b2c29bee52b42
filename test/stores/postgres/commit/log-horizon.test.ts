import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'node:test';
import pg from 'pg';
import { LogHorizon } from '../../../../src/stores/postgres/commit/log-horizon.ts';
import { SHARE_WRITES } from '../../../../src/stores/postgres/commit/write-locks.ts';
import type { SqlRow } from '../../../../src/stores/sql/dialect.ts';
import { ALLOCATORS } from '../../../../src/stores/sql/log-numbers.ts';
import { runs } from '../../../extent.ts';
import { SeededRandom } from '../../../../store-suite/seeded-random.ts';
import { commit, createProduct } from '../../../../store-suite/sample-writes.ts';
import { newSchema, openSample } from '../open-postgres.ts';
import { OverlappingWriters, type WrongLook } from './overlapping-writers.ts';

/** Lets transactions overlap at random while the log is read. @throws where a reader passes what appears later */
async function follow(seed: number, wrong: WrongLook | null = null): Promise<void> {
  const random = new SeededRandom(seed);
  const writers = new OverlappingWriters(random, wrong);
  for (let restores = 0; restores < 3; restores += 1) {
    const reads: Promise<number>[] = [];
    for (let iteration = 0; iteration < 15; iteration += 1) {
      if (random.oneIn(2)) reads.push(writers.read());
      for (let left = random.integer(24); left > 0; left -= 1) writers.step();
      await setImmediate();
    }
    await writers.finish(Promise.all([...reads, writers.read()]));
    // A look finds numbers that are smaller. Had all of them been given again meanwhile, it would not.
    writers.restore();
    await writers.finish(writers.read());
  }
  writers.endAll();
  assert.equal(await writers.finish(writers.read()), writers.last);
}

describe('the horizon of the log', () => {
  it('[law] [EVT-3b] is passed by no number that appears later, and is the last one once all transactions have ended', async () => {
    const count = runs(300, 2_000);
    await Promise.all(Array.from({ length: count }, (_, seed) => follow(seed)));
  });

  for (const wrong of [
    'reads the holders first',
    'ignores the holders',
    'reads 1 of a sequence that is not used',
    'remembers numbers of a database that was restored',
  ] as const) {
    it(`[EVT-3b] is passed where it ${wrong}: the law finds it`, async () => {
      const followed = await Promise.allSettled(Array.from({ length: 100 }, (_, seed) => follow(seed, wrong)));
      assert.ok(followed.some(({ status }) => status === 'rejected'));
    });
  }
});

/** A horizon whose looks a test answers: each with the last number, and the holders. */
function createHorizon() {
  const waiting: ((row: SqlRow) => void)[] = [];
  let elapsed = 0;
  const get = (): Promise<SqlRow> => new Promise((resolve) => waiting.push(resolve));
  const horizon = new LogHorizon({ get }, () => (elapsed += 100));
  const look = async (): Promise<(last: number, holders: string | null, now: number) => Promise<number>> => {
    await setImmediate();
    const read = horizon.settledSequence();
    const [answerLast, answerHolders] = waiting.splice(0);
    return (last, holders, now) => {
      answerLast?.({ sequence: last, revision: last, now });
      answerHolders?.({ holders, now });
      return read;
    };
  };
  return { horizon, look };
}

describe('the horizon of the log, over two sessions', () => {
  it('[EVT-3b] waits for a transaction that began after a look whose answer arrives late', async () => {
    const { look } = createHorizon();
    const earlier = await look();
    const later = await look();
    assert.equal(await later(9, '3/1', 2), 0);
    // At the time of this look another one was writing. The number 9 was allocated after it.
    assert.equal(await earlier(8, '2/1', 1), 0);
    assert.equal(await (await look())(9, '3/1', 3), 8);
    assert.equal(await (await look())(9, null, 4), 9);
  });

  it('[EVT-3b] is never less than before, although a look is answered late', async () => {
    const { horizon, look } = createHorizon();
    const earlier = await look();
    const later = await look();
    assert.equal(await later(9, null, 2), 9);
    assert.equal(await earlier(8, '3/1', 1), 9);
    assert.equal(horizon.known, 9);
    assert.equal(horizon.age, 0);
  });

  it('[OPS-5] begins again with a database whose numbers are smaller, and waits for its transactions', async () => {
    const { look } = createHorizon();
    assert.equal(await (await look())(5, null, 1), 5);
    assert.equal(await (await look())(10, '3/1', 2), 5);
    assert.equal(await (await look())(7, '4/1', 3), 0);
    assert.equal(await (await look())(7, null, 4), 7);
  });

  it('[EVT-3b] learns nothing from holders that were read before the last number', async () => {
    const { horizon } = createHorizon();
    const answers: SqlRow[] = [
      { sequence: 5, revision: 5, now: 2 },
      { holders: null, now: 1 },
      { sequence: 5, revision: 5, now: 3 },
      { holders: null, now: 4 },
    ];
    const swapped = new LogHorizon({ get: () => answers.shift() ?? null }, () => 0);
    assert.equal(horizon.known, 0);
    assert.equal(await swapped.settledSequence(), 5);
    assert.deepEqual(answers, [], 'it has looked again');
  });
});

describe('the horizon of the log on PostgreSQL', () => {
  it('[EVT-3b] waits for transactions that write in its schema, and for no others', async (context) => {
    const [url, other] = [newSchema(), newSchema()];
    const [store, neighbour] = [await openSample({ url }), await openSample({ url: other })];
    const sessions = await Promise.all([url, other].map(openTransaction));
    context.after(async () => {
      for (const session of sessions) await session.end();
      for (const each of [store, neighbour]) await each.close();
    });
    const [own, foreign] = sessions;
    assert.equal(await store.events.lastSequence(), 0, 'a sequence that is not used');
    await foreign?.query(SHARE_WRITES);
    await own?.query('select pg_current_xact_id(), pg_advisory_xact_lock_shared(1), pg_advisory_xact_lock(2)');
    await own?.query('lock table products in row exclusive mode');
    await commit(store, createProduct('a'));
    const listed = async () => (await store.events.list({ after: 0, limit: 9 })).map(({ sequence }) => sequence);
    const first = await store.events.lastSequence();
    assert.deepEqual(await listed(), [first]);
    await own?.query(SHARE_WRITES);
    await own?.query(`select nextval('${ALLOCATORS.sequence}')`);
    await commit(store, createProduct('b'));
    assert.equal(await store.events.lastSequence(), first);
    assert.deepEqual(await listed(), [first]);
    await own?.query('rollback');
    assert.equal(await store.events.lastSequence(), first + 2);
    assert.deepEqual(await listed(), [first, first + 2]);
  });
});

/** Opens a session of a schema, in a transaction. */
async function openTransaction(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`set search_path to "${new URL(url).searchParams.get('schema')}"; begin`);
  return client;
}
