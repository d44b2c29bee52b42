import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { EVERYTHING, type Row } from '../../../src/plan/plan.ts';
import { type WriteOutcome } from '../../../src/plan/write-unit.ts';
import { openPostgres, planPostgres } from '../../../src/stores/postgres/postgres-store.ts';
import { UnusableDatabase } from '../../../src/stores/sql/schema/schema-errors.ts';
import { type Store, StoreUnavailable } from '../../../src/stores/store.ts';
import { field, model as modelOf, refersTo, resource, sampleModel } from '../../../store-suite/sample-model.ts';
import { createProduct, update } from '../../../store-suite/sample-writes.ts';
import { freePort } from '../../free-port.ts';
import { startOwnPostgres } from '../../postgres-server.ts';
import type { EventEnvelope } from '../../../src/conventions/events/event.ts';

const server = await startOwnPostgres();
after(() => server.stop());

/**
 * Milliseconds in which a server that was started again must write: it is ready immediately, but the machine may be
 * busy.
 */
const WRITES_WITHIN = 10_000;

const open = (schema: string, migrate = true): Promise<Store> =>
  openPostgres({ url: server.url(schema), model: sampleModel(), migrate });

async function product(store: Store, id: string): Promise<Row | null> {
  return store.rows.item({ kind: 'item', resource: 'products', id, within: [], visible: EVERYTHING });
}

function created(store: Store, id: string): Promise<WriteOutcome> {
  return store.writes.commit({ plans: [createProduct(id)] });
}

/** Ends the server, does something, and starts it again. */
async function whileAway(work: () => Promise<void>): Promise<void> {
  await server.crash();
  await work();
  await server.restart();
}

/** Checks that sequences ascend. They have gaps: a server that crashed leaves some out. */
function assertAscending(events: readonly EventEnvelope[]): void {
  const sequences = events.map(({ metadata }) => Number(metadata.sequence));
  assert.ok(sequences.every((sequence, at) => sequence > (sequences[at - 1] ?? 0)));
}

describe('a server of PostgreSQL that crashes', () => {
  it('[OPS-4b] makes reads and writes unavailable, and is used again as soon as it is back', async () => {
    const store = await open('crash');
    try {
      await created(store, 'a');
      assert.ok((await product(store, 'a')) !== null);
      await whileAway(async () => {
        await assert.rejects(product(store, 'a'), StoreUnavailable);
        await assert.rejects(created(store, 'b'), StoreUnavailable);
        await assert.rejects(async () => store.ping(), StoreUnavailable);
      });
      assert.ok((await product(store, 'a')) !== null);
      assert.equal((await created(store, 'c')).kind, 'committed');
      await store.ping();
    } finally {
      await store.close();
    }
  });

  it('[OPS-4c] loses no acknowledged write', async () => {
    const store = await open('crash_under_load');
    const acknowledged: string[] = [];
    const stop = new AbortController();
    const write = async (writer: number): Promise<void> => {
      for (let at = 0; !stop.signal.aborted; at += 1) {
        const id = `${writer}-${at}`;
        try {
          if ((await created(store, id)).kind === 'committed') acknowledged.push(id);
        } catch (error) {
          assert.ok(error instanceof StoreUnavailable, String(error));
          await setTimeout(5);
        }
      }
    };
    const writers = Array.from({ length: 8 }, (_, writer) => write(writer));
    try {
      await setTimeout(200);
      await whileAway(() => setTimeout(50));
      const before = acknowledged.length;
      for (let waited = 0; acknowledged.length === before && waited < WRITES_WITHIN; waited += 50) await setTimeout(50);
      assert.ok(acknowledged.length > before, 'it writes again');
    } finally {
      stop.abort();
      await Promise.all(writers);
    }
    for (const id of acknowledged) assert.ok((await product(store, id)) !== null, id);
    const events = await store.events.after(0, 100_000);
    assert.ok(events.length >= acknowledged.length);
    assertAscending(events);
    assert.equal(new Set(events.map(({ payload }) => payload.resource.id)).size, events.length);
    await store.close();
  });
});

describe('a server of PostgreSQL that is not there', () => {
  it('[OPS-4d] is named at the start, with what to do', async () => {
    const port = await freePort();
    await assert.rejects(
      openPostgres({ url: `postgres://u@127.0.0.1:${port}/x`, model: sampleModel(), migrate: true }),
      {
        name: 'UnusableDatabase',
        message:
          /cannot be opened: connect ECONNREFUSED \S+\. Start PostgreSQL there, or correct the host and the port in the URL\./,
      },
    );
  });
});

/** Uses sessions of a new role, and waits until none of them is open. */
async function withRole(
  { name, attributes, grants = [] }: { name: string; attributes: string; grants?: readonly string[] },
  use: (url: URL) => Promise<void>,
): Promise<void> {
  const url = new URL(server.url(name));
  const administrator = new pg.Client({ connectionString: url.href });
  await administrator.connect();
  const openSessions = async (): Promise<unknown> => {
    const text = 'select count(*)::int as open from pg_stat_activity where usename = $1';
    return (await administrator.query(text, [name])).rows[0].open;
  };
  try {
    for (const statement of [`create role ${name} login ${attributes}`, ...grants])
      await administrator.query(statement);
    url.username = name;
    await use(url);
    // The server forgets a session shortly after its client has left.
    for (const deadline = Date.now() + 5_000; (await openSessions()) !== 0; )
      assert.ok(Date.now() < deadline, 'a session is still open');
  } finally {
    await administrator.end();
  }
}

describe('sessions that a start opens to look at a pooler', () => {
  it('[OPS-4b] are closed where one of them is refused', async () => {
    await withRole({ name: 'limited', attributes: 'connection limit 1' }, async (url) => {
      url.searchParams.set('pooler', 'session');
      const opened = openPostgres({ url: url.href, model: sampleModel() });
      await assert.rejects(opened, { name: 'UnusableDatabase', message: /too many connections for role "limited"/ });
    });
  });
});

describe('sessions of a store whose replicas cannot be opened', () => {
  it('[OPS-4b] are closed, such as for a user who may not read which cluster it is', async () => {
    const grants = [
      'grant create on database postgres to plain',
      'revoke execute on function pg_control_system() from public',
    ];
    await withRole({ name: 'plain', attributes: '', grants }, async (url) => {
      const opened = openPostgres({ url: url.href, model: sampleModel(), replicas: [server.url('plain')] });
      await assert.rejects(opened, {
        name: 'UnusableDatabase',
        message: /grant execute on function pg_control_system\(\)/,
      });
    });
  });
});

describe('what PostgreSQL has no room for', () => {
  it('[OPS-4b] is refused at the start: a name of a field that it would cut', async () => {
    const long = 'f'.repeat(64);
    const model = modelOf([resource({ name: 'notes', fields: [field(long, { kind: 'boolean' })] })]);
    await assert.rejects(openPostgres({ url: server.url('names'), model }), (error) => {
      return error instanceof UnusableDatabase && error.message.includes(long);
    });
  });

  it('[OPS-4b] gets another name: a table and an index whose name is long', async () => {
    const [name, target] = ['n'.repeat(50), 't'.repeat(50)];
    const targets = field(
      'target_ids',
      { kind: 'array', item: { type: { kind: 'text', format: null }, nullable: false } },
      {
        reference: refersTo(target),
      },
    );
    const other = field('other_name', { kind: 'text', format: null });
    const model = modelOf([
      resource({ name: target, fields: [other], indexes: [['other_name', 'created_at']] }),
      resource({ name, fields: [other, targets], indexes: [['other_name', 'created_at']] }),
    ]);
    const url = server.url('long_names');
    await (await openPostgres({ url, model })).close();
    assert.deepEqual(await planPostgres({ url, model }), []);
  });
});

describe('several instances on one schema of PostgreSQL', () => {
  it('[OPS-4d] migrate it once, where they start together', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => open('together')));
    assert.equal((await created(stores[0] ?? assert.fail(), 'a')).kind, 'committed');
    for (const store of stores) assert.ok((await product(store, 'a')) !== null);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('[OPS-4d] are refused a schema that does not match their model, unless they migrate it', async () => {
    await assert.rejects(open('absent', false), UnusableDatabase);
  });

  it('[OPS-5] [CACHE-2] see in their stamps what another one has committed, and nothing else', async () => {
    const [one, other] = [await open('stamps'), await open('stamps')];
    const readStamps = async (store: Store): Promise<readonly unknown[]> => [
      await store.stamps.rowStamp('products', 'a'),
      await store.stamps.resourceStamps(['products', 'suppliers']),
    ];
    const first = await created(one, 'a');
    const before = await readStamps(other);
    await setTimeout(1);
    assert.deepEqual(await readStamps(other), before);
    assert.ok(first.kind === 'committed');
    const changed = { plans: [update('products', 'a', first.revisions[0] ?? 0, { name: 'changed' })] };
    assert.equal((await one.writes.commit(changed)).kind, 'committed');
    await setTimeout(1);
    const later = await readStamps(other);
    assert.notDeepEqual(later[0], before[0]);
    assert.notDeepEqual(later[1], before[1]);
    assert.equal((await product(other, 'a'))?.['name'], 'changed');
    await Promise.all([one.close(), other.close()]);
  });

  it('[EVT-3b] number all of their events, in one order', async () => {
    const stores = [await open('events'), await open('events'), await open('events')];
    await Promise.all(
      stores.flatMap((store, instance) => Array.from({ length: 40 }, (_, at) => created(store, `${instance}-${at}`))),
    );
    const events = await (stores[0] ?? assert.fail()).events.after(0, 1_000);
    assert.equal(events.length, 120);
    assertAscending(events);
    await Promise.all(stores.map((store) => store.close()));
  });
});
