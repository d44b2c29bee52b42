import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { SERVER_USER, startOwnPostgres } from '../../../postgres-server.ts';
import { smallDisk } from '../../../small-disk.ts';
import { openInstance } from '../instance.ts';
import { type Send, toInstance } from './send.ts';
import { isWholeSuite } from '../../../extent.ts';
import { EXCLUDE_WRITES } from '../../../../src/stores/postgres/commit/write-locks.ts';

const server = await startOwnPostgres(null, { settings: ['max_connections=20'] });
after(() => server.stop());

/** Milliseconds that a lock is held; a minute in the whole suite. */
const HELD = isWholeSuite ? 60_000 : 15_000;

async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url('public').replace(/[?&]schema=public/, '') });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Opens sessions until the server refuses one. */
async function fill(others: pg.Client[]): Promise<void> {
  try {
    for (;;) others.push(await connected());
  } catch (error) {
    assert.match(String(error), /too many clients/);
  }
}

/** The reasons in the log for a database that is unavailable. */
function reasons({ observations }: Awaited<ReturnType<typeof openInstance>>): ReadonlySet<string> {
  return new Set(observations.flatMap((each) => (each.kind === 'store-unavailable' ? [each.error.message] : [])));
}

describe('a server of PostgreSQL that has no room for another session', () => {
  it('[OPS-4b] makes 100 requests 503 with Retry-After, says why in the log, and is used once it has room', async () => {
    const instance = await openInstance(server.url('sessions'));
    const send = toInstance(instance);
    const others = [await connected()];
    try {
      const own = "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'restwright%'";
      await others[0]?.query(own);
      await fill(others);
      const rows = Array.from({ length: 100 }, (_, index) =>
        index % 2 === 0 ? { send: 'GET /api/v1/notes' } : { send: 'POST /api/v1/notes', body: { id: `n-${index}` } },
      );
      for (const { status, code } of await Promise.all(rows.map((row) => send(row))))
        assert.deepEqual([status, code], [503, 'SERVER_UNAVAILABLE']);
      assert.match([...reasons(instance)].join(), /max_connections/);
    } finally {
      await Promise.all(others.map((each) => each.end()));
    }
    assert.equal((await send({ send: 'GET /api/v1/notes' })).status, 200);
    assert.equal((await send({ send: 'POST /api/v1/notes', body: { id: 'a' } })).status, 201);
    await instance.close();
  });
});

describe('a lock that another session holds', () => {
  it('[OPS-4b] makes writes 503 after five seconds, and reads are served: the lock that excludes writes', async () => {
    const instance = await openInstance(server.url('locked'));
    const send = toInstance(instance);
    const other = await connected();
    assert.equal((await send({ send: 'POST /api/v1/notes', body: { id: 'a' } })).status, 201);
    await other.query(`set search_path to locked; begin; ${EXCLUDE_WRITES}`);
    const begun = performance.now();
    const writes = ['b', 'c', 'd'].map((id) => send({ send: 'POST /api/v1/notes', body: { id } }));
    assert.equal((await send({ send: 'GET /api/v1/notes/a' })).status, 200);
    for (const { status, code } of await Promise.all(writes))
      assert.deepEqual([status, code], [503, 'SERVER_UNAVAILABLE']);
    assert.ok(performance.now() - begun < 11_000);
    await other.query('rollback');
    assert.equal((await send({ send: 'POST /api/v1/notes', body: { id: 'b' } })).status, 201);
    assert.match([...reasons(instance)].join(), /lock/);
    await other.end();
    await instance.close();
  });

  it('[OPS-4b] makes each write 503 in bounded time for as long as it is held, and reads are served: a table that others may read', async () => {
    const instances = [await openInstance(server.url('held')), await openInstance(server.url('held'))];
    const sends = instances.map(toInstance);
    const other = await connected();
    assert.equal((await sends[0]?.({ send: 'POST /api/v1/notes', body: { id: 'a' } }))?.status, 201);
    await other.query('begin; lock table held.notes in exclusive mode');
    const end = performance.now() + HELD;
    const repeat = async (send: Send, row: Parameters<Send>[0], status: number, most: number): Promise<number> => {
      let answered = 0;
      for (; performance.now() < end; answered += 1) {
        const begun = performance.now();
        assert.equal((await send(row)).status, status);
        assert.ok(performance.now() - begun < most, `${performance.now() - begun} ms`);
        await setTimeout(50);
      }
      return answered;
    };
    // A write that arrives while another one waits for the lock waits after it.
    const write = { send: 'POST /api/v1/notes', body: { id: 'b' } };
    const counts = await Promise.all(
      sends.flatMap((send) => [
        repeat(send, write, 503, 12_000),
        repeat(send, { send: 'GET /api/v1/notes/a' }, 200, 2_000),
        repeat(send, { send: 'GET /api/v1/notes?limit=5' }, 200, 2_000),
      ]),
    );
    assert.ok(
      counts.every((count) => count > 0),
      counts.join(),
    );
    await other.query('rollback');
    assert.equal((await sends[1]?.(write))?.status, 201);
    await other.end();
    await Promise.all(instances.map((each) => each.close()));
  });

  it('[OPS-4b] makes reads of its table 503 after three seconds, and others are served: a table', async () => {
    const instance = await openInstance(
      server.url('altered'),
      'name: notes\nresources: { notes: { id: client, schema: { type: object } }, others: { schema: { type: object } } }',
    );
    const send = toInstance(instance);
    const other = await connected();
    await other.query('begin; lock table altered.notes');
    const [locked, free] = await Promise.all([
      send({ send: 'GET /api/v1/notes/a' }),
      send({ send: 'GET /api/v1/others' }),
    ]);
    assert.deepEqual([locked.status, locked.code, free.status], [503, 'SERVER_UNAVAILABLE', 200]);
    await other.query('rollback');
    assert.equal((await send({ send: 'GET /api/v1/notes/a' })).status, 404);
    await other.end();
    await instance.close();
  });
});

describe('a disk of PostgreSQL that is full', () => {
  it('[OPS-7b] makes writes 503 and /readyz too, reads are served, and it recovers by itself', async (context) => {
    const disk = smallDisk(context, 8, SERVER_USER);
    if (disk === null) return;
    const ballast = path.join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(4 * 1_048_576));
    const other = await connected();
    await other.query(`create tablespace small location '${disk}'`);
    await other.query('alter database postgres set default_tablespace = small');
    const instance = await openInstance(server.url('full'));
    const send = toInstance(instance);
    const acknowledged: string[] = [];
    // Random: the database compresses long texts.
    const text = (): string => Array.from({ length: 4_000 }, () => Math.random().toString(36).slice(2)).join('');
    for (let at = 0; ; at += 1) {
      const { status, code } = await send({ send: 'POST /api/v1/notes', body: { id: `n-${at}`, text: text() } });
      if (status === 503) {
        assert.equal(code, 'SERVER_UNAVAILABLE');
        break;
      }
      assert.ok(status === 201 && at < 1_000);
      acknowledged.push(`n-${at}`);
    }
    assert.match([...reasons(instance)].join(), /disk of the database is full/);
    for (const id of acknowledged)
      assert.equal((await send({ send: `GET /api/v1/notes/${id}?fields=id` })).status, 200);
    assert.equal((await send({ send: 'GET /readyz' })).status, 503);
    rmSync(ballast);
    while ((await send({ send: 'GET /readyz' })).status !== 200) await setTimeout(100);
    const writes = instance.observations.flatMap((each) => (each.kind === 'database-writes' ? [each.failure] : []));
    assert.deepEqual(
      writes.map((failure) => failure === null),
      [false, true],
    );
    assert.equal((await send({ send: 'POST /api/v1/notes', body: { id: 'after', text: text() } })).status, 201);
    await instance.close();
    await other.query('drop schema "full" cascade');
    await other.query('alter database postgres reset default_tablespace');
    await other.query('drop tablespace small');
    await other.end();
  });
});
