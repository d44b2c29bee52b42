import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it, type TestContext } from 'node:test';
import type { Row, WritePlan } from '../../../../src/plan/plan.ts';
import { openEmptyTarget } from '../../../../src/stores/databases/databases.ts';
import { databaseFormat } from '../../../../src/stores/sql/schema/migration.ts';
import { UnusableDatabase } from '../../../../src/stores/sql/schema/schema-errors.ts';
import type { EventQuery, Store } from '../../../../src/stores/store.ts';
import { commit, create, listPlan, remove, update } from '../../../../store-suite/sample-writes.ts';
import { compilePolicies, withResources } from '../../../model/policies.ts';
import { POSTGRES_OF_FORMAT_12 } from '../../earlier-formats.ts';
import { newSchema, openSample } from '../open-postgres.ts';
import { CountingBuild } from './counting-build.ts';

const { model } = compilePolicies(
  withResources(`  notes:
    id: client
    access: { read: authenticated, write: authenticated, rows: { read: { tenant: $caller.claims.tenant } } }
    schema: { type: object, properties: { tenant: { type: string }, text: { type: string } } }
`),
);

const RECORD = { name: 'k', request: 'r', outcome: '{}', expiresAt: 2_000 };
const DELIVERY = {
  reader: 'hooks',
  endpoint: 'hook',
  sequence: 1_021,
  state: 'waiting',
  attempts: 2,
  due: 70,
  resource: null,
} as const;
/** The error of a statement whose table is gone. */
const GONE = { code: '42P01' };
/** The statement by which a build of format 12 begins each write. */
const LOCK = "select change from restwright_counts where resource = '' for update";

function note(id: string, tenant: string | null, minute = 0): WritePlan {
  const at = `2026-01-02T03:${String(minute).padStart(2, '0')}:00.000Z`;
  const plan = create('notes', id, { tenant, text: null }, { at });
  if (plan.event === null) return plan;
  return { ...plan, event: { ...plan.event, payload: { ...plan.event.payload, timestamp: at } } };
}

/** Opens a schema that a build of format 12 has, and that build. Its log is near the end of a block. */
async function openCounted(context: TestContext): Promise<{ readonly url: string; readonly build: CountingBuild }> {
  const url = newSchema();
  await (await openSample({ url }, model)).close();
  const build = await CountingBuild.open(url, model);
  context.after(() => build.close());
  await build.query(POSTGRES_OF_FORMAT_12);
  await build.query("update restwright_counts set count = 1020, change = 5000 where resource = ''");
  return { url, build };
}

async function openUpgraded(context: TestContext, url: string, statements: string[] = []): Promise<Store> {
  const observe: Parameters<typeof openSample>[0] = {
    url,
    observe: (seen) => {
      if (seen.kind === 'schema-changed') statements.push(...seen.statements);
    },
  };
  const store = await openSample(observe, model);
  context.after(() => store.close());
  return store;
}

async function listRows(store: Store): Promise<readonly Row[]> {
  return (await store.rows.list(listPlan({ resource: 'notes' }))).rows;
}

async function listEvents(store: Store, query: Partial<EventQuery> = {}): Promise<readonly string[]> {
  const events = await store.events.list({ after: 0, limit: 99, ...query });
  return events.map(({ sequence, type, event }) => `${sequence} ${type} ${event.payload.resource.id}`);
}

/** The stamps of the resource, of two partitions, and of one that no row was ever in. */
async function listStamps({ stamps }: Store): Promise<readonly number[]> {
  const [all = 0] = await stamps.resourceStamps(['notes']);
  const partitions: number[] = [];
  for (const value of ['a', 'b', 'c'])
    partitions.push(await stamps.partitionStamp('notes', { field: 'tenant', value }));
  return [all, ...partitions];
}

/** Writes what a database has in use: rows of two partitions, a full block and an open one, and what waits. */
async function fill(build: CountingBuild): Promise<void> {
  for (let count = 1; count <= 6; count += 1)
    await build.write({ plans: [note(`n${count}`, count % 2 === 0 ? 'a' : 'b', count)] });
  await build.write({ plans: [update('notes', 'n2', 5_002, { text: 'x' })], records: [RECORD] });
  await build.write({ plans: [remove('notes', 'n1', 5_001)], bookmark: { name: 'import', value: '7' } });
  await build.write({ plans: [], delivery: { deliveries: [DELIVERY] } });
}

const EVENTS = [
  '1021 created n1',
  '1022 created n2',
  '1023 created n3',
  '1024 created n4',
  '1025 created n5',
  '1026 created n6',
  '1027 updated n2',
  '1028 deleted n1',
];

describe('a database of the format whose numbers were counted', () => {
  it('[OPS-4d] is upgraded in place, once, and has all rows, events, records and deliveries', async (context) => {
    const { url, build } = await openCounted(context);
    await fill(build);
    const [stored, logged] = [await build.query('select * from notes order by id'), await build.query(LOGGED)];
    const statements: string[] = [];
    const store = await openUpgraded(context, url, statements);
    assert.ok(statements.some((each) => each.includes('restwright_slots')));
    assert.deepEqual(await build.query('select * from notes order by id'), stored);
    assert.deepEqual(await build.query(LOGGED), logged);
    const rows = await listRows(store);
    assert.deepEqual(
      rows.map(({ id, revision }) => [id, revision]),
      [
        ['n2', 5_007],
        ['n3', 5_003],
        ['n4', 5_004],
        ['n5', 5_005],
        ['n6', 5_006],
      ],
    );
    assert.deepEqual(await listEvents(store), EVENTS);
    assert.equal((await store.idempotencyRecords.find('k', 1_000))?.request, 'r');
    assert.equal(await store.bookmarks.get('import'), '7');
    assert.deepEqual(await store.deliveries.list({ endpoint: 'hook', limit: 9 }), [DELIVERY]);
    statements.length = 0;
    await openUpgraded(context, url, statements);
    assert.deepEqual(statements, []);
  });

  it('[OPS-4b] is left as it is where a copy to it is refused: it is not empty', async (context) => {
    const { url, build } = await openCounted(context);
    const messages = /5000 changes of rows and 1020 events were written to it/;
    await assert.rejects(openEmptyTarget({ database: url }, model), messages);
    assert.deepEqual(await build.query("select value from restwright_meta where name = 'format'"), [{ value: '12' }]);
  });

  it('[OPS-4d] [EVT-8d] finds its events by type, time and id, those of the full block and of the open one', async (context) => {
    const { url, build } = await openCounted(context);
    await fill(build);
    const store = await openUpgraded(context, url);
    const [revision = 0] = await commit(store, note('n7', 'a', 7));
    assert.ok(revision > 5_008);
    const [newest] = (await listEvents(store)).slice(EVENTS.length);
    const [created, others] = [EVENTS.slice(0, 6), EVENTS.slice(6)];
    assert.match(newest ?? '', /^\d+ created n7$/);
    assert.deepEqual(await listEvents(store, { types: ['created'] }), [...created, newest]);
    assert.deepEqual(await listEvents(store, { types: ['updated', 'deleted'] }), others);
    const time = (minute: number): number => Date.UTC(2026, 0, 2, 3, minute);
    assert.deepEqual(await listEvents(store, { from: time(4), to: time(6) }), [
      '1024 created n4',
      '1025 created n5',
      // The time of each change without one of its own.
      ...others,
    ]);
    assert.deepEqual(await listEvents(store, { from: time(7) }), [newest]);
    for (const id of ['created:n1', 'created:n6', 'deleted:n1', 'created:n7'])
      assert.equal((await store.events.find(id))?.event.id, id);
    assert.equal((await store.events.after(1_028, 99)).length, 1);
  });

  it('[OPS-4d] [REP-8] [EVT-3b] goes on above the numbers that it had', async (context) => {
    const { url, build } = await openCounted(context);
    await fill(build);
    const store = await openUpgraded(context, url);
    assert.equal(await store.events.lastSequence(), 1_028);
    const revisions = await commit(store, note('n7', 'a'), note('n8', 'b'));
    assert.ok(revisions.every((revision) => revision > 5_008));
    const sequences = (await store.events.list({ after: 1_028, limit: 9 })).map(({ sequence }) => sequence);
    assert.deepEqual([sequences.length, await store.events.lastSequence()], [2, sequences.at(-1)]);
    const [shapes] = await build.query('select count(*) = count(distinct id) as distinct from restwright_event_shapes');
    assert.deepEqual(shapes, { distinct: true });
  });

  it('[OPS-4d] [CACHE-2] [PAGE-9b] keeps its stamps until a row of theirs changes, and its counts', async (context) => {
    const { url, build } = await openCounted(context);
    await fill(build);
    const stored = await build.query("select change from restwright_counts where resource = 'notes'");
    const partitions = await build.query('select change from restwright_partitions order by value');
    const store = await openUpgraded(context, url);
    const before = await listStamps(store);
    assert.deepEqual(before, [...[...stored, ...partitions].map(({ change }) => Number(change)), 0]);
    await commit(store, note('n7', 'a'));
    const after = await listStamps(store);
    assert.deepEqual(
      after.map((stamp, index) => stamp === before[index]),
      [false, false, true, true],
    );
    await commit(store, remove('notes', 'n3', 5_003));
    const last = await listStamps(store);
    assert.deepEqual(
      last.map((stamp, index) => stamp === after[index]),
      [false, true, false, true],
    );
    assert.ok(last.every((stamp) => Number.isInteger(stamp) && stamp < 2 ** 52));
    const { total } = await store.rows.list(listPlan({ resource: 'notes', count: { kind: 'exact' } }));
    assert.equal(total?.count, 5);
  });

  it('[OPS-4d] refuses an older build at its start, and fails its next write, if it still runs', async (context) => {
    const { url, build } = await openCounted(context);
    await fill(build);
    const store = await openUpgraded(context, url);
    const [{ value } = {}] = await build.query("select value from restwright_meta where name = 'format'");
    assert.throws(
      () => databaseFormat(['restwright_meta'], () => String(value), 12),
      (error) =>
        error instanceof UnusableDatabase && /has format 13, and this version.* reads format 12/.test(error.message),
    );
    await assert.rejects(build.query(LOCK), GONE);
    await assert.rejects(build.write({ plans: [note('n9', 'a')] }), GONE);
    await commit(store, note('n9', 'a'));
    assert.equal((await listRows(store)).length, 6);
  });

  it('[OPS-4d] is upgraded while older builds write: open transactions end, and those that wait fail', async (context) => {
    const { url, build } = await openCounted(context);
    const others = [await CountingBuild.open(url, model), await CountingBuild.open(url, model)];
    context.after(() => Promise.all(others.map((each) => each.close())));
    await build.begin();
    const first = others[0]?.write({ plans: [note('n1', 'a')] });
    await untilWaiting(build, 1);
    const upgraded = openUpgraded(context, url);
    await untilWaiting(build, 2);
    // It does not wait for the migration in a circle, which the database would end by another error.
    const last = assert.rejects(others[1]?.write({ plans: [note('n2', 'a')] }) ?? assert.fail(), GONE);
    await untilWaiting(build, 3);
    await build.query('commit');
    const store = await upgraded;
    await first;
    await last;
    assert.deepEqual(
      (await listRows(store)).map(({ id }) => id),
      ['n1'],
    );
    await assert.rejects(build.write({ plans: [note('n2', 'a')] }), GONE);
  });
});

/** Waits until so many sessions of other transactions wait for a lock. */
async function untilWaiting(build: CountingBuild, count: number): Promise<void> {
  for (;;) {
    const text = 'select count(*)::integer as count from pg_locks where not granted';
    const [row] = await build.query(text);
    if (row?.['count'] === count) return;
    await pause(10);
  }
}

/** The log as it is stored. */
const LOGGED = 'select * from restwright_events order by sequence';
