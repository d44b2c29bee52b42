import assert from 'node:assert/strict';
import process from 'node:process';
import { after, before, describe, it } from 'node:test';
import type pg from 'pg';
import { openExistingTables } from '../../../src/stores/postgres/existing/existing-store.ts';
import { UnusableDatabase } from '../../../src/stores/sql/schema/schema-errors.ts';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { skipWithout, skipWithoutFile } from '../../installed-programs.ts';
import { type ApiUnderTest, apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { type ControlledPostgres, startOwnPostgres, startPair } from '../../postgres-server.ts';
import { CINEMA, CINEMA_MODEL, postgresSource } from '../../stores/existing/postgres-source.ts';
import { startPgBouncer, type TestPooler } from '../../stores/postgres/connection/pgbouncer.ts';
import { runOn, until, withSession } from '../../stores/postgres/replicas/replicated-instances.ts';
import { listIds } from './pages.ts';
import { policySuite } from './policy-suite.ts';
import { POSTGRES_ENTRIES, walkSuite } from './walk-suite.ts';

/** Creates the tables of the cinema, which a role of everybody may read. */
function createCinema(server: ControlledPostgres): Promise<void> {
  return withSession(server, async (session: pg.Client) => {
    await session.query(CINEMA.replaceAll('READER', 'public'));
  });
}

/** Reads the cinema in several ways. */
async function assertRead(api: ApiUnderTest): Promise<void> {
  assert.deepEqual(await listIds(api, 'films?sort=title'), ['2', '1', '3']);
  assert.deepEqual(await listIds(api, 'films?customer.name=BOB&updated_at[exists]=false'), ['2']);
  assert.deepEqual(await listIds(api, 'lists?moments[contains]=2004-01-02T03:04:05Z'), ['1']);
  const { body, headers } = await api.send({ send: 'GET /api/v1/films/1?expand=customer' });
  assert.deepEqual([body.customer.name, body.updated_at], ['Ann', '2004-01-02T03:04:05.000Z']);
  const ifNoneMatch = { 'If-None-Match': headers.get('etag') ?? '' };
  await api.row({ send: 'GET /api/v1/films/1?expand=customer', headers: ifNoneMatch, status: 304 });
  const { body: kinds } = await api.send({ send: 'GET /api/v1/kinds/9007199254740993' });
  assert.deepEqual([kinds.span, kinds.bytes, kinds.moment], ['P1Y2DT3H', '3q2+7w==', '2004-01-02T03:04:05.123456Z']);
}

describe('a hot standby with tables that exist', () => {
  let servers: Awaited<ReturnType<typeof startPair>>;
  let api: ApiUnderTest;
  /** Waits until the standby has everything that its primary has written. */
  const caughtUp = async (): Promise<void> => {
    const written = String(await runOn(servers.primary, 'select pg_current_wal_lsn()::text'));
    await until(async () => (await runOn(servers.replica, `select pg_last_wal_replay_lsn() >= '${written}'`)) === true);
  };
  before(async () => {
    servers = await startPair([]);
    await createCinema(servers.primary);
    await caughtUp();
    api = await apiUnderTest(CINEMA_MODEL, { readOnly: true, database: servers.replica.url('public') });
  });
  after(async () => {
    await api.close();
    await servers.replica.stop();
    await servers.primary.stop();
  });

  it('[OPS-5] is read, and is ready', async () => {
    assert.equal(await runOn(servers.replica, 'select pg_is_in_recovery()'), true);
    await assertRead(api);
    await api.row({ send: 'GET /readyz', status: 200, has: {} });
  });

  it('[OPS-5] shows what its primary has written once it has applied it', async () => {
    const { headers } = await api.send({ send: 'GET /api/v1/customers/2' });
    await runOn(servers.primary, `update customer set name = 'Bea' where id = 2`);
    await caughtUp();
    const ifNoneMatch = { 'If-None-Match': headers.get('etag') ?? '' };
    await api.row({ send: 'GET /api/v1/customers/2', headers: ifNoneMatch, status: 200, has: { name: 'Bea' } });
  });

  it('[OPS-5] shows each of several transactions that overlap, also after its page was read often', async () => {
    const write = (id: number): string => `update customer set name = 'Name ${id}' where id = ${id}`;
    await withSession(servers.primary, async (first) => {
      await withSession(servers.primary, async (second) => {
        await first.query(`begin; ${write(1)}`);
        await second.query(`begin; ${write(2)}`);
        await runOn(servers.primary, `insert into customer values (3, 'Eve')`);
        await caughtUp();
        for (let count = 0; count < 5; count += 1) await api.send({ send: 'GET /api/v1/customers' });
        await second.query('commit');
        await caughtUp();
        const { text } = await api.send({ send: 'GET /api/v1/customers' });
        assert.match(text, /Name 2/);
        await first.query('rollback');
      });
    });
  });

  it('[OPS-5] is still read after it was promoted', async () => {
    await runOn(servers.primary, `update customer set name = 'bob' where id = 2`);
    await caughtUp();
    assert.equal(await runOn(servers.replica, 'select pg_promote()'), true);
    await assertRead(api);
  });
});

describe('a server with tables that exist, one of whose processes was killed', () => {
  let server: ControlledPostgres;
  let api: ApiUnderTest;
  before(async () => {
    server = await startOwnPostgres();
    await createCinema(server);
    await runOn(server, 'create unlogged table note as select 1 as id');
    await runOn(server, 'alter table note add primary key (id)');
    const model = `${CINEMA_MODEL}\n  notes: { table: note, schema: { type: object } }`;
    api = await apiUnderTest(model, { readOnly: true, database: server.url('public') });
  });
  after(async () => {
    await api.close();
    await server.stop();
  });

  it('[OPS-5] shows nothing from memory of transactions whose numbers are assigned again', async () => {
    const snapshot = `select concat_ws(' ', pg_current_snapshot(), pg_postmaster_start_time())`;
    for (let count = 0; count < 5; count += 1) assert.deepEqual(await listIds(api, 'notes'), ['1']);
    const found = await runOn(server, snapshot);
    const pid = await runOn(
      server,
      `select pid from pg_stat_activity where application_name like 'restwright%' limit 1`,
    );
    process.kill(Number(pid), 'SIGKILL');
    const counts = `select count(*)::int from note`;
    await until(async () => (await runOn(server, counts).catch(() => null)) === 0);
    // The crash has emptied the table without a transaction.
    assert.equal(await runOn(server, snapshot), found);
    assert.deepEqual(await listIds(api, 'notes'), []);
  });
});

describe('PgBouncer in front of tables that exist', { skip: skipWithout('pgbouncer') }, () => {
  let server: ControlledPostgres;
  let pooler: TestPooler;
  before(async () => {
    server = await startOwnPostgres();
    await createCinema(server);
    pooler = await startPgBouncer(server.url('public'));
  });
  after(async () => {
    await pooler.stop();
    await server.stop();
  });

  it('[OPS-4b] is read where it pools sessions and the URL names it', async () => {
    await using api = await apiUnderTest(CINEMA_MODEL, {
      readOnly: true,
      database: pooler.url('session', { pooler: 'session' }),
    });
    await assertRead(api);
  });

  it('[OPS-4b] is refused where it pools transactions, with what to do', async () => {
    const { model } = loadModel({ text: CINEMA_MODEL });
    const url = pooler.url('transaction', { pooler: 'session' });
    await assert.rejects(openExistingTables({ url, model }), (error) => {
      assert.ok(error instanceof UnusableDatabase);
      assert.match(error.message, /Set pool_mode=session, or connect to the server itself/);
      return true;
    });
  });
});

/** The programs of the oldest version that is supported. */
const OLDEST = '/usr/lib/postgresql/15/bin';

describe('PostgreSQL 15', { skip: skipWithoutFile(`${OLDEST}/postgres`, 'PostgreSQL 15 is') }, () => {
  const start = (): Promise<ControlledPostgres> => startOwnPostgres(null, { programs: OLDEST });

  it('has every type of tables that exist', async () => {
    const source = await postgresSource(CINEMA, start);
    assert.match(String((await source.list('show server_version'))[0]), /^15\./);
    const api = await apiUnderTest(CINEMA_MODEL, { readOnly: true, database: source.readerUrl });
    await assertRead(api);
    await api.close();
    await source.close();
  });

  walkSuite('PostgreSQL 15', () => postgresSource(POSTGRES_ENTRIES, start));

  policySuite('PostgreSQL 15', (sql) => postgresSource(sql, start));
});
