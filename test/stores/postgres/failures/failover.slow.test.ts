import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { type ControlledPostgres, startPair } from '../../../postgres-server.ts';
import type { TcpRelay } from '../../../tcp-relay.ts';
import { openInstance, relayTo } from '../instance.ts';
import { judge, Load } from './load.ts';
import { roundRobin, toInstance } from './send.ts';

/** Milliseconds from the promotion until reads and writes are served. */
const RECOVERY = 5_000;

interface Scene {
  readonly primary: ControlledPostgres;
  readonly replica: ControlledPostgres;
  readonly relay: TcpRelay;
  readonly url: (schema: string) => string;
  /** Runs a statement on one of the servers. */
  readonly run: (server: ControlledPostgres, text: string) => Promise<readonly unknown[]>;
  /** Ends the primary, promotes the replica, and leads the relay to it. */
  readonly failOver: () => Promise<void>;
}

async function scene(context: TestContext, settings: readonly string[]): Promise<Scene> {
  const { primary, replica } = await startPair(settings);
  const { relay, url } = await relayTo(primary);
  context.after(async () => {
    await relay.close();
    await replica.stop();
    await primary.stop();
  });
  const run: Scene['run'] = async (server, text) => {
    const client = new pg.Client({ connectionString: server.url('public').replace(/[?&]schema=public/, '') });
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows;
  };
  const failOver = async (): Promise<void> => {
    await primary.crash();
    relay.target = { path: replica.socket };
    relay.cutAll();
    await run(replica, 'select pg_promote()');
  };
  return { primary, replica, relay, url, run, failOver };
}

describe('a replica of PostgreSQL that is promoted', () => {
  it('[OPS-4c] has every acknowledged write where it is synchronous, and is used within 5 s', async (context) => {
    const { primary, url, run, failOver } = await scene(context, ['synchronous_standby_names=*']);
    await until(
      async () => (await run(primary, "select from pg_stat_replication where sync_state = 'sync'")).length > 0,
    );
    const instances = [await openInstance(url('shop')), await openInstance(url('shop'))];
    const send = roundRobin(instances.map(toInstance));
    const load = new Load(send, { writers: 6, readers: 6 });
    try {
      await load.served();
      await failOver();
      const recovery = await load.served();
      assert.ok(recovery < RECOVERY, `${recovery} ms`);
    } finally {
      await load.stop();
    }
    assert.ok((await judgeAll(load, send, instances)) > 0);
  });

  it('[OPS-5] [CACHE-1] makes nothing that was cached stale where it lacks writes, and assigns no revision, ETag or sequence again', async (context) => {
    const { primary, replica, url, run, failOver } = await scene(context, []);
    const [one, other] = [await openInstance(url('shop')), await openInstance(url('shop'))];
    const put = (text: string) => ({ send: 'PUT /api/v1/notes/a', body: { text } });
    await one.send(put('replicated'));
    const [{ lsn }] = (await run(primary, 'select pg_current_wal_lsn() as lsn')) as [{ lsn: string }];
    await until(async () => (await run(replica, `select where pg_last_wal_replay_lsn() >= '${lsn}'`)).length > 0);
    await run(replica, "alter system set primary_conninfo = ''");
    await run(replica, 'select pg_reload_conf()');
    await until(async () => (await run(replica, 'select from pg_stat_wal_receiver')).length === 0);
    await one.send(put('lost'));
    const lost = await one.send({ send: 'GET /api/v1/notes/a' });
    assert.equal(lost.body.text, 'lost');
    const lastLost = await one.store.events.lastSequence();
    await failOver();
    // A replica is refused until it is promoted.
    await until(async () => (await other.send(put('made after'))).status === 200);
    for (const { send, store } of [one, other]) {
      const { body } = await send({ send: 'GET /api/v1/notes/a' });
      assert.equal(body.text, 'made after');
      assert.ok(body.revision > lost.body.revision);
      const headers = { 'If-None-Match': lost.headers.get('etag') ?? '' };
      assert.equal((await send({ send: 'GET /api/v1/notes/a', headers })).status, 200);
      const page = await send({ send: 'GET /api/v1/notes' });
      assert.equal(page.body.data[0].text, 'made after');
      const [event] = await store.events.after(lastLost, 10);
      assert.equal(event?.type, 'note.updated');
    }
    await Promise.all([one.close(), other.close()]);
  });
});

/** Waits until something is so, for ten seconds at most. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await holds()); waited += 20) {
    assert.ok(waited < 10_000);
    await setTimeout(20);
  }
}

async function judgeAll(
  load: Load,
  send: ReturnType<typeof toInstance>,
  instances: readonly Awaited<ReturnType<typeof openInstance>>[],
): Promise<number> {
  const events = await judge(load, send, (instances[0] ?? assert.fail()).store);
  await Promise.all(instances.map((each) => each.close()));
  return events;
}
