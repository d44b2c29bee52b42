import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import type { Observation } from '../../../../src/observe/observation.ts';
import { parseDatabaseUrl } from '../../../../src/stores/postgres/driver/database-url.ts';
import { connectPostgres, type PostgresConnection } from '../../../../src/stores/postgres/driver/pg.ts';
import { openPostgres, planPostgres } from '../../../../src/stores/postgres/postgres-store.ts';
import { SchemaViolation, UnusableDatabase } from '../../../../src/stores/sql/schema/schema-errors.ts';
import type { Store } from '../../../../src/stores/store.ts';
import { field, model, refersTo, resource, type ResourceOptions } from '../../../../store-suite/sample-model.ts';
import { commit, create, listIds, readRow } from '../../../../store-suite/sample-writes.ts';
import { TEXT } from '../../changed-models.ts';
import { newSchema } from '../open-postgres.ts';

const BEFORE: ResourceOptions = { name: 'items', fields: [field('title', TEXT), field('other_id', TEXT)] };
const INDEXED: ResourceOptions = { ...BEFORE, indexes: [['title']] };
const UNIQUE: ResourceOptions = { ...BEFORE, uniques: [['title']] };
const REQUIRED: ResourceOptions = {
  ...BEFORE,
  fields: [field('title', TEXT, { required: true, default: 'none' }), field('other_id', TEXT)],
};
const REFERRING: ResourceOptions = {
  ...BEFORE,
  fields: [field('title', TEXT), field('other_id', TEXT, { reference: refersTo('items') })],
};

const declare = (declared: ResourceOptions) => model([resource(declared)]);
const open = (url: string, declared: ResourceOptions, options: { readonly lockAttempts?: number } = {}) =>
  openPostgres({ url, model: declare(declared), ...options });

/** A schema with rows of {@link BEFORE}, and a store of it. */
async function schemaBefore(context: TestContext, ...titles: readonly (string | null)[]): Promise<[string, Store]> {
  const url = newSchema();
  const store = await open(url, BEFORE);
  context.after(() => store.close());
  await commit(store, ...titles.map((title, index) => create('items', `i${index}`, { title, other_id: null })));
  return [url, store];
}

/** A session of another program. */
async function session(context: TestContext, url: string): Promise<PostgresConnection> {
  const settings = { name: 'other', statementTimeout: 0, lockTimeout: 0, readOnly: false };
  const opened = await connectPostgres(parseDatabaseUrl(url, undefined), settings);
  context.after(() => opened.close());
  return opened;
}

/**
 * Waits until a statement like this waits for a lock in a session of a migration.
 *
 * @returns the process id of the session
 */
async function waiting(context: TestContext, url: string, text: string): Promise<number> {
  // A session of its own: what a transaction has read of the activity stays the same.
  const other = await session(context, url);
  const find = `select pid from pg_stat_activity
    where state = 'active' and wait_event_type = 'Lock' and query like $1 and pid <> pg_backend_pid()`;
  for (;;) {
    const [row] = (await other.query(find, [text])).rows;
    if (row !== undefined) return Number(row['pid']);
    await other.query('select pg_sleep(0.05)');
  }
}

async function assertMigrated(url: string, declared: ResourceOptions): Promise<void> {
  assert.deepEqual(await planPostgres({ url, model: declare(declared) }), []);
}

describe('a migration of PostgreSQL with rows', () => {
  it('[OPS-4d] creates an index while others write, and while a transaction that began before it is open', async (context) => {
    const [url, store] = await schemaBefore(context, 'a');
    const other = await session(context, url);
    await other.script("begin; insert into items values ('x', 'x', null, 0, 0, 0)");
    const migrated = open(url, INDEXED);
    await waiting(context, url, 'create index concurrently%');
    await commit(store, create('items', 'b', { title: 'b', other_id: null }));
    await other.script('rollback');
    await (await migrated).close();
    await assertMigrated(url, INDEXED);
  });

  it('[OPS-4d] resumes where it was interrupted: the incomplete index is dropped and created again', async (context) => {
    const [url] = await schemaBefore(context, 'a', 'b');
    const other = await session(context, url);
    await other.script("begin; insert into items values ('x', 'x', null, 0, 0, 0)");
    const interrupted = open(url, UNIQUE);
    const pid = await waiting(context, url, 'create unique index concurrently%');
    await Promise.all([assert.rejects(interrupted), other.query('select pg_terminate_backend($1)', [pid])]);
    await other.script('rollback');
    const [first] = await planPostgres({ url, model: declare(UNIQUE) });
    assert.equal(first?.purpose, 'remove what an interrupted migration has left');
    const store = await open(url, UNIQUE);
    context.after(() => store.close());
    const refused = await store.writes.commit({ plans: [create('items', 'c', { title: 'a', other_id: null })] });
    assert.equal(refused.kind, 'unique');
    await assertMigrated(url, UNIQUE);
  });

  it('[OPS-4d] is made once by two that start together, where its steps are apart, too', async (context) => {
    const [url] = await schemaBefore(context, 'a');
    const seen: Observation[] = [];
    const start = () => openPostgres({ url, model: declare(INDEXED), observe: (each) => void seen.push(each) });
    for (const store of await Promise.all([start(), start(), start()])) await store.close();
    assert.equal(seen.filter(({ kind }) => kind === 'schema-changed').length, 1);
    await assertMigrated(url, INDEXED);
  });

  it('[OPS-4d] tries again where a table is locked, and lets the others through meanwhile', async (context) => {
    const [url, store] = await schemaBefore(context, 'a');
    const other = await session(context, url);
    await other.script('begin; lock table items in access share mode');
    const migrated = open(url, REQUIRED);
    await waiting(context, url, 'alter table "items" add constraint%');
    assert.deepEqual(await listIds(store, { resource: 'items' }), ['i0'], 'a read waits for two seconds at most');
    await other.script('commit');
    await (await migrated).close();
    await assertMigrated(url, REQUIRED);
  });

  it('[OPS-4d] says what waits for a lock, and how to end that, where it has tried often enough', async (context) => {
    const [url] = await schemaBefore(context, 'a');
    const other = await session(context, url);
    await other.script('begin; lock table items in access share mode');
    await assert.rejects(open(url, REQUIRED, { lockAttempts: 1 }), (error) => {
      assert.ok(error instanceof UnusableDatabase);
      assert.match(error.message, /could not change the tables: another session holds a lock\. pg_stat_activity shows/);
      return true;
    });
  });

  it('[OPS-4d] fills a column that becomes required in several transactions, and leaves no check behind', async (context) => {
    const [url, store] = await schemaBefore(context);
    const wide = 'x'.repeat(1_500);
    const rows = Array.from({ length: 800 }, (_, index) =>
      create('items', `r${index}`, { title: null, other_id: wide }),
    );
    await commit(store, ...rows);
    await (await open(url, REQUIRED)).close();
    const other = await session(context, url);
    const written = await other.query("select count(distinct xmin::text) as number from items where title = 'none'");
    assert.ok(Number(written.rows[0]?.['number']) > 1);
    const checks = await other.query(
      "select conname from pg_constraint where conrelid = 'items'::regclass and contype = 'c'",
    );
    assert.deepEqual(checks.rows, []);
    await assertMigrated(url, REQUIRED);
  });

  it('[OPS-4d] names the lock of each step; rows are compared with a new reference after it is added', async (context) => {
    const [url, store] = await schemaBefore(context, 'a');
    const plan = await planPostgres({ url, model: declare(REFERRING) });
    assert.deepEqual(
      plan.map(({ purpose, lock }) => [purpose, lock?.mode, lock?.blocks, lock?.momentary]),
      [
        ['refer from items.other_id to items', 'SHARE ROW EXCLUSIVE', 'writes', true],
        ['check that rows refer from items.other_id to items', 'SHARE UPDATE EXCLUSIVE', 'nothing', false],
        ['create the index items (other_id, created_at, id)', 'SHARE UPDATE EXCLUSIVE', 'nothing', false],
      ],
    );
    await (await open(url, REFERRING)).close();
    assert.equal((await readRow(store, 'items', 'i0'))['title'], 'a');
    await assertMigrated(url, REFERRING);
  });

  it('[OPS-4d] removes an index that rows violate which were written meanwhile', async (context) => {
    const [url, store] = await schemaBefore(context, 'a');
    const other = await session(context, url);
    await other.script("begin; insert into items values ('x', 'x', null, 0, 0, 0)");
    const refused = assert.rejects(open(url, UNIQUE), (error) => {
      assert.ok(error instanceof SchemaViolation);
      assert.match(error.message, /create the index items unique \(title\): rows violate a new rule/);
      assert.match(error.message, /Migrate again once the rows are changed: it resumes there\.$/);
      return true;
    });
    await waiting(context, url, 'create unique index concurrently%');
    await other.script("insert into items values ('y', 'x', null, 0, 0, 0); commit");
    await refused;
    await commit(store, create('items', 'z', { title: 'x', other_id: null }));
  });

  it('[OPS-4d] [LIM-1] refuses an index over values that are too long for it, and resumes once they are shorter', async (context) => {
    const [url, store] = await schemaBefore(context, randomBytes(4_000).toString('hex'));
    await assert.rejects(open(url, INDEXED), (error) => {
      assert.ok(error instanceof SchemaViolation);
      const cause =
        /create the index items \(title, id\): rows have values that are too long for an index; change the rows first/;
      assert.match(error.message, cause);
      return true;
    });
    const other = await session(context, url);
    await other.script("update items set title = 'a'");
    await (await open(url, INDEXED)).close();
    await assertMigrated(url, INDEXED);
    assert.deepEqual(await listIds(store, { resource: 'items' }), ['i0']);
  });
});
