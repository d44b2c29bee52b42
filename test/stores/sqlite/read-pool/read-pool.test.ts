import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, describe, it, type TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';
import {
  EVERYTHING,
  type Effort,
  type ListPlan,
  type LookupPlan,
  type RelatedPlan,
} from '../../../../src/plan/plan.ts';
import type { Statement } from '../../../../src/stores/sql/dialect.ts';
import { sqlite } from '../../../../src/stores/sqlite/dialect/sqlite-dialect.ts';
import { ReadPool, type ReadPoolOptions } from '../../../../src/stores/sqlite/read-pool/read-pool.ts';
import { StatementTimeout, type Store, StoreOverloaded, StoreUnavailable } from '../../../../src/stores/store.ts';
import type { OpenStore } from '../../../../store-suite/open-store.ts';
import { relatedSuite } from '../../../../store-suite/related-suite.ts';
import { productValues } from '../../../../store-suite/sample-model.ts';
import { commit, createProduct, listIds, listPlan, topLevel } from '../../../../store-suite/sample-writes.ts';
import { paginationSuite } from '../../../../store-suite/pagination-suite.ts';
import { temporaryDirectory } from '../../../temporary-directory.ts';
import { runs } from '../../../extent.ts';
import { openFile } from '../open-file.ts';
import { openSample } from '../open-sample.ts';

/** Milliseconds that are longer than any test. */
const NEVER = 3_600_000;

const query = (text: string): Statement => ({ text, values: [] });

/** An endless table of numbers: only a limit or a deadline stops it. */
const NUMBERS = 'with recursive numbers (_rowid_) as (select 1 union all select _rowid_ + 1 from numbers)';
const ENDLESS = query(`${NUMBERS} select count(*) from numbers where ${sqlite.deadline?.sampled}`);
const LONG = query(`${NUMBERS} select count(*) from (select * from numbers limit 1000000)`);
const ONE = query('select 1 as one');
const PRODUCTS = query('select count(*) as count from products');

interface Opened {
  readonly file: string;
  readonly store: Store;
  readonly heavy: ReadPool;
}

/** A store in a file, and a second read pool for the same file. */
async function opened(context: TestContext, options: Partial<ReadPoolOptions> = {}): Promise<Opened> {
  const file = path.join(temporaryDirectory(context), 'sample.db');
  const store = await openSample({ path: file });
  const heavy = new ReadPool({
    database: openFile(file),
    timeout: NEVER,
    clock: { now: () => 1 },
    maxThreads: 1,
    ...options,
  });
  context.after(async () => {
    await heavy.close();
    await store.close();
  });
  return { file, store, heavy };
}

/** The threads that were started during a test. */
function threads(context: TestContext): readonly Worker[] {
  const started: Worker[] = [];
  const note = (worker: Worker): number => started.push(worker);
  process.on('worker', note);
  context.after(() => process.off('worker', note));
  return started;
}

/** The result of a read once it has settled: the name of its error, or its rows. */
async function ending(read: Promise<unknown>): Promise<unknown> {
  try {
    return await read;
  } catch (error) {
    return error instanceof Error ? error.name : error;
  }
}

/** Resolves once a thread has used so many more milliseconds of CPU time: it runs its statement. */
async function worked(thread: Worker | undefined, milliseconds: number): Promise<void> {
  assert.ok(thread !== undefined, 'a thread has started');
  const active = (): number => thread.performance.eventLoopUtilization().active;
  const start = active();
  while (active() < start + milliseconds) await new Promise((resolve) => setImmediate(resolve));
}

describe('a slow read', () => {
  it('[QRY-3] does not block the main thread, which reads and writes during an endless read', async (context) => {
    const { store, heavy } = await opened(context);
    const endless = ending(heavy.read([ENDLESS], 'unbounded'));
    await commit(store, createProduct('a'));
    assert.deepEqual(await listIds(store, {}), ['a']);
    await heavy.close();
    assert.equal(await endless, 'StoreUnavailable');
  });

  it('[QRY-3] is stopped after the statement timeout, and its thread runs the next one', async (context) => {
    const started = threads(context);
    const { heavy } = await opened(context, { timeout: 20 });
    await assert.rejects(heavy.read([ENDLESS], 'unbounded'), StatementTimeout);
    assert.deepEqual(await heavy.read([ONE], 'unbounded'), [[{ one: 1 }]]);
    assert.equal(started.length, 1);
  });

  it('[PAGE-9b] reads a page and its total from one snapshot, whatever is written between', async (context) => {
    const { store, heavy } = await opened(context);
    await commit(store, createProduct('p0'));
    const read = heavy.read([PRODUCTS, LONG, PRODUCTS], 'unbounded');
    const done = read.then(() => true);
    const write = async (id: string): Promise<boolean> => {
      await commit(store, createProduct(id));
      return false;
    };
    let written = 1;
    while (!(await Promise.race([done, write(`p${written}`)]))) written += 1;
    const [[before] = [], , [later] = []] = await read;
    assert.deepEqual(before, later);
    assert.ok(written > Number(before?.['count']) + 1, 'something was written meanwhile');
  });

  it('fails alone where its statement fails, with the error of the database', async (context) => {
    const started = threads(context);
    const { heavy } = await opened(context);
    await assert.rejects(heavy.read([query('select 1 from absent')], 'unbounded'), /no such table: absent/);
    assert.deepEqual(await heavy.read([ONE, ONE], 'unbounded'), [[{ one: 1 }], [{ one: 1 }]]);
    assert.equal(started.length, 1);
  });
});

describe('the threads of the read pool', () => {
  it('are at most two for one effort, and none before the first read', async (context) => {
    const started = threads(context);
    const { heavy } = await opened(context, { maxThreads: 2 });
    assert.equal(started.length, 0);
    await heavy.read([ONE], 'unbounded');
    await heavy.read([ONE], 'unbounded');
    assert.equal(started.length, 1, 'an idle thread is used');
    await Promise.all(Array.from({ length: 5 }, () => heavy.read([ONE], 'unbounded')));
    assert.equal(started.length, 2);
    await Promise.all(Array.from({ length: 5 }, () => heavy.read([ONE], 'bounded')));
    assert.equal(started.length, 2, 'reads of the other effort use them too');
  });

  it('[QRY-3] are three in all: reads of one effort never wait for all of the other', async (context) => {
    const started = threads(context);
    const { heavy } = await opened(context, { maxThreads: 2 });
    const scans = [ENDLESS, ENDLESS, ENDLESS].map((each) => ending(heavy.read([each], 'unbounded')));
    assert.deepEqual(await heavy.read([ONE], 'bounded'), [[{ one: 1 }]]);
    await Promise.all(Array.from({ length: 5 }, () => heavy.read([ONE], 'bounded')));
    assert.equal(started.length, 3);
    await heavy.close();
    await Promise.all(scans);
  });

  it('run reads in order', async (context) => {
    const { heavy } = await opened(context);
    const order: number[] = [];
    await Promise.all(
      [1, 2, 3, 4].map(async (number) => {
        await heavy.read([number === 1 ? LONG : ONE], 'unbounded');
        order.push(number);
      }),
    );
    assert.deepEqual(order, [1, 2, 3, 4]);
  });

  it('[LIM-3] queue a limited number of reads, and refuse more immediately', async (context) => {
    const { heavy } = await opened(context, { maxQueued: 2 });
    const reads = [ENDLESS, ONE, ONE].map((each) => ending(heavy.read([each], 'unbounded')));
    await assert.rejects(heavy.read([ONE], 'unbounded'), StoreOverloaded);
    assert.equal(heavy.queued, 2);
    assert.deepEqual(await heavy.read([ONE], 'bounded'), [[{ one: 1 }]], 'the other effort has its own queue');
    await heavy.close();
    assert.deepEqual(await Promise.all(reads), ['StoreUnavailable', 'StoreUnavailable', 'StoreUnavailable']);
  });

  it('[LIM-3] let no read wait for longer than the statement timeout', async (context) => {
    let time = 0;
    const { heavy } = await opened(context, { clock: { now: () => time } });
    const reads = [heavy.read([ONE], 'unbounded'), ending(heavy.read([ONE], 'unbounded'))];
    time = NEVER + 1;
    assert.deepEqual(await Promise.all(reads), [[[{ one: 1 }]], 'StoreOverloaded']);
    assert.deepEqual(await heavy.read([ONE], 'unbounded'), [[{ one: 1 }]]);
  });

  it('end when idle, and start again', async (context) => {
    const started = threads(context);
    const { heavy } = await opened(context, { idleTimeout: 1 });
    await heavy.read([ONE], 'unbounded');
    const [thread] = started;
    assert.ok(thread !== undefined);
    const [code] = await once(thread, 'exit');
    assert.equal(code, 0);
    assert.deepEqual(await heavy.read([ONE], 'bounded'), [[{ one: 1 }]]);
    assert.equal(started.length, 2);
  });

  it('stay for consecutive reads', async (context) => {
    const started = threads(context);
    const { heavy } = await opened(context, { idleTimeout: NEVER });
    for (let read = 0; read < 5; read += 1) await heavy.read([ONE], 'unbounded');
    assert.equal(started.length, 1);
  });

  it('[LIM-3] stop their reads when the store closes, and accept no more', async (context) => {
    const { heavy } = await opened(context);
    const reads = [ENDLESS, ONE].map((each) => ending(heavy.read([each], 'unbounded')));
    await Promise.all([heavy.close(), heavy.close()]);
    assert.deepEqual(await Promise.all(reads), ['StoreUnavailable', 'StoreUnavailable']);
    await assert.rejects(heavy.read([ONE], 'unbounded'), StoreUnavailable);
  });

  it('are replaced where one is killed, even during a statement: its read fails, queued ones continue', async (context) => {
    const started = threads(context);
    const { heavy } = await opened(context);
    await heavy.read([ONE], 'unbounded');
    const reads = [ENDLESS, ONE].map((each) => ending(heavy.read([each], 'unbounded')));
    const [thread] = started;
    await worked(thread, 20);
    await thread?.terminate();
    assert.deepEqual(await Promise.all(reads), ['StoreUnavailable', [[{ one: 1 }]]]);
    assert.equal(started.length, 2);
  });

  it('are started again where one could not start: its read fails with the reason', async (context) => {
    const { file, store } = await opened(context);
    await commit(store, createProduct('a'));
    await store.close();
    const heavy = new ReadPool({ database: openFile(file), timeout: NEVER, clock: { now: () => 1 }, maxThreads: 1 });
    renameSync(file, `${file}.away`);
    await assert.rejects(
      heavy.read([ONE], 'unbounded'),
      (error) => error instanceof StoreUnavailable && /was moved, deleted or replaced/.test(String(error.cause)),
    );
    renameSync(`${file}.away`, file);
    assert.deepEqual(await heavy.read([PRODUCTS], 'unbounded'), [[{ count: 1 }]]);
    await heavy.close();
  });
});

describe('the thread that reads a list', () => {
  const heavily = (changes: Partial<ListPlan> = {}): ListPlan => listPlan({ effort: 'unbounded', ...changes });

  it('is one of the pool if the read is slow and the collection has more than 2,000 rows', async (context) => {
    const { store } = await opened(context);
    const isApart = async (changes: Partial<ListPlan>): Promise<boolean> => {
      const page = store.rows.list(heavily(changes));
      await page;
      return page instanceof Promise;
    };
    await commit(store, ...Array.from({ length: 2_000 }, (_, index) => createProduct(`p${index}`)));
    assert.equal(await isApart({}), false);
    await commit(store, createProduct('one more'));
    assert.deepEqual(await Promise.all([isApart({}), isApart({ effort: 'bounded' })]), [true, true]);
    assert.deepEqual(await Promise.all([isApart({ effort: 'light' }), isApart({ resource: 'suppliers' })]), [
      false,
      false,
    ]);
  });

  it('[QRY-3] is one of the pool for a minute after a small collection took longer than 5 ms', async (context) => {
    const { file } = await opened(context);
    let time = 0;
    let step = 0;
    const now = (): number => {
      time += step;
      return time;
    };
    const store = await openSample({ path: file, clock: { now } });
    context.after(() => store.close());
    await commit(store, ...Array.from({ length: 10 }, (_, index) => createProduct(`p${index}`)));
    const isApart = async (effort: Effort): Promise<boolean> => {
      const page = store.rows.list(heavily({ effort }));
      assert.equal((await page).rows.length, 10);
      return page instanceof Promise;
    };
    for (const effort of ['unbounded', 'bounded'] as const) {
      assert.equal(await isApart(effort), false);
      step = 1;
      assert.equal(await isApart(effort), true, 'each row takes a millisecond');
      step = 0;
      assert.equal(await isApart(effort), true, 'the time that it took is remembered');
      time += 60_000;
      assert.equal(await isApart(effort), false, 'it is tried again');
    }
    assert.equal(await isApart('light'), false);
  });

  it('[QRY-4] is one of the pool for related rows and many ids too, by the effort of their plans', async (context) => {
    const { file } = await opened(context);
    const store = await openSample({ path: file, maxRowsOnMainThread: 0 });
    context.after(() => store.close());
    await commit(store, createProduct('a'), createProduct('b', { related_ids: ['a'] }));
    const order = [{ path: 'id', descending: false }];
    const asked = {
      resource: 'products',
      field: 'related_ids',
      owners: topLevel('a'),
      order,
      limit: 5,
      visible: EVERYTHING,
    };
    const related = (effort: Partial<RelatedPlan>) => store.rows.related({ ...asked, ...effort });
    const lookup = (effort: Partial<LookupPlan>) =>
      store.rows.lookup({ resource: 'products', rows: topLevel('a'), visible: EVERYTHING, ...effort });
    const { mock } = context.mock.method(ReadPool.prototype, 'read');
    for (const read of [related, lookup]) {
      const inPlace = await read({ effort: 'light' });
      assert.equal(mock.callCount(), 0);
      for (const effort of [{ effort: 'bounded' }, { effort: 'unbounded' }, {}] as const) {
        assert.deepEqual(await read(effort), inPlace);
        assert.equal(mock.callCount(), 1, JSON.stringify(effort));
        mock.resetCalls();
      }
    }
  });

  it('[QRY-7] makes no difference to the rows, whatever values they have', async (context) => {
    const { file, store } = await opened(context);
    const apart = await openSample({ path: file, maxRowsOnMainThread: 0 });
    context.after(() => apart.close());
    const values = {
      ...productValues(),
      category: 'é\u0000\u{1f600}',
      rating: 0.1,
      active: true,
      released: '2026-01-01T00:00:00.000Z',
      price: '-9.90',
      weight: '0.000000000001',
      volume: '123456789012345678901234567.125',
      serial: '9223372036854775807',
      photo: 'AP8A',
      address: { city: 'Oslo', floor: -1, fee: '1.50', since: null, number: '-9223372036854775808' },
      labels: { a: null },
      tags: ['x'],
    };
    await commit(store, createProduct('a', values), createProduct('b'), createProduct('c'));
    for (const count of [{ kind: 'none' }, { kind: 'exact' }, { kind: 'capped', cap: 1 }] as const) {
      const filter = [{ path: 'id', operator: 'in', values: ['a', 'c'] }] as const;
      for (const plan of [heavily({ count }), heavily({ count, filter }), heavily({ resource: 'suppliers', count })]) {
        assert.deepEqual(await apart.rows.list(plan), await store.rows.list(plan));
      }
    }
  });

  it('[PAGE-9b] sees every write that was acknowledged before', async (context) => {
    const { file } = await opened(context);
    const apart = await openSample({ path: file, maxRowsOnMainThread: 0 });
    for (let count = 1; count <= 20; count += 1) {
      await commit(apart, createProduct(`p${count}`));
      const { rows, total } = await apart.rows.list(heavily({ count: { kind: 'exact' } }));
      assert.deepEqual([rows.length, total], [count, { count, exact: true }]);
    }
    await apart.close();
  });
});

const files = mkdtempSync(path.join(tmpdir(), 'restwright-'));
let made = 0;
after(() => rmSync(files, { recursive: true, force: true }));

const openApart: OpenStore = (model) => {
  made += 1;
  return openSample({ path: path.join(files, `${made}.db`), maxRowsOnMainThread: 0 }, model);
};

paginationSuite('SQLite on threads for heavy reads', openApart, runs(1, 8));
relatedSuite('SQLite on threads for heavy reads', openApart);
