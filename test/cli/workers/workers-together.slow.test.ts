import { storedEvents } from '../../../scripts/stored-events.ts';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { killAll, waitUntilListening, type ServerProcess, startServer } from '../server-process.ts';
import { type WorkerConnection, connectToWorkers, waitUntil, listeningWorkers } from './worker-connections.ts';

const WORKERS = 3;
const ROUNDS = 60;
const folder = mkdtempSync(path.join(os.tmpdir(), 'workers-'));
const delivered = path.join(folder, 'delivered.txt');
after(() => rmSync(folder, { recursive: true }));

/** A model of notes, whose hook writes a line for each created one: process, sequence, id. */
writeFileSync(
  path.join(folder, 'desk.ts'),
  `import { appendFileSync } from 'node:fs';
import { defineModel, resource } from ${JSON.stringify(pathToFileURL(path.join(import.meta.dirname, '../../../src/index.ts')).href)};
export default defineModel({
  name: 'desk',
  resources: {
    notes: resource({
      schema: { type: 'object', properties: { text: { type: 'string' } } },
      after: {
        created: async ({ metadata, payload }) =>
          appendFileSync(${JSON.stringify(delivered)}, [process.pid, Number(metadata.sequence), payload.resource.id].join(' ') + '\\n'),
      },
    }),
  },
});
`,
);

const started: ServerProcess[] = [];
afterEach(() => killAll(started.splice(0)));

let databases = 0;
async function start(
  database = `${(databases += 1)}.db`,
): Promise<{ server: ServerProcess; url: string; file: string }> {
  writeFileSync(delivered, '');
  const args = ['desk.ts', '--port', '0', '--workers', String(WORKERS), '--database', `sqlite:${database}`];
  const server = startServer(folder, args);
  started.push(server);
  return { server, url: await waitUntilListening(server), file: path.join(folder, database) };
}

async function stop({ child, exited }: ServerProcess): Promise<void> {
  child.kill('SIGTERM');
  assert.equal(await exited, 0);
}

const idOf = (body: string): string => String(JSON.parse(body).id);

/** The delivered notes in order, with the process that delivered them. */
function deliveries(): readonly { readonly pid: number; readonly sequence: number; readonly id: string }[] {
  return readFileSync(delivered, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [pid, sequence, id = ''] = line.split(' ');
      return { pid: Number(pid), sequence: Number(sequence), id };
    });
}

/** The ids of the stored notes, and those of the events, with their sequences. */
function stored(file: string): {
  readonly notes: readonly string[];
  readonly inEvents: readonly string[];
  readonly sequences: readonly number[];
} {
  const database = new Database(file, { readonly: true });
  const notes = database.prepare<[], string>('select id from notes order by id').pluck().all();
  database.close();
  const events = storedEvents(file).filter(({ event }) => event.type === 'note.created');
  return {
    notes,
    inEvents: events.map(({ event }) => event.payload.resource.id).toSorted(),
    sequences: events.map(({ sequence }) => sequence),
  };
}

/**
 * Creates notes until the signal.
 *
 * @param others receives the statuses other than 201
 * @returns the ids of the acknowledged notes
 */
async function write(url: string, stopped: AbortSignal, others: number[]): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  while (!stopped.aborted) {
    try {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`${url}/v1/notes`, { method: 'POST', headers, body: '{"text":"x"}' });
      const body = await response.text();
      if (response.status === 201) acknowledged.push(idOf(body));
      else others.push(response.status);
    } catch (error) {
      // The worker of this connection has exited. The pause avoids a busy loop where the whole server has.
      if (!(error instanceof TypeError)) throw error;
      await setTimeout(10);
    }
  }
  return acknowledged;
}

async function writers(
  url: string,
  count: number,
  stopped: AbortSignal,
  others: number[] = [],
): Promise<readonly string[]> {
  return (await Promise.all(Array.from({ length: count }, () => write(url, stopped, others)))).flat();
}

/** All ordered pairs of connections. */
function pairs(all: readonly WorkerConnection[]): readonly (readonly [WorkerConnection, WorkerConnection])[] {
  return all.flatMap((one) => all.filter((other) => other !== one).map((other) => [one, other] as const));
}

describe('workers on one database', () => {
  it('[CACHE-1] [CACHE-2] [REP-8] return an acknowledged write of one from every other, also while all of them write', async () => {
    const { server, url } = await start();
    const busy = new AbortController();
    const others: number[] = [];
    const writing = writers(url, 6, busy.signal, others);
    const all = await connectToWorkers(server, url, WORKERS);
    for (const [one, other] of pairs(all)) {
      const made = await one.send('POST', '/v1/notes', { body: { text: 'new' } });
      const note = `/v1/notes/${idOf(made.body)}`;
      for (let round = 0; round < ROUNDS; round++) {
        const known = await other.send('GET', note);
        const page = await other.send('GET', '/v1/notes?sort=-updated_at&limit=1');
        const changed = await one.send('PATCH', note, { body: { text: `${round}` } });
        const [again, list] = await Promise.all([
          other.send('GET', note, { headers: { 'If-None-Match': known.headers.etag ?? '' } }),
          other.send('GET', '/v1/notes?sort=-updated_at&limit=1', {
            headers: { 'If-None-Match': page.headers.etag ?? '' },
          }),
        ]);
        assert.deepEqual([again.status, again.headers.etag], [200, changed.headers.etag], `round ${round}`);
        assert.equal(JSON.parse(again.body).text, `${round}`);
        assert.equal(list.status, 200, 'a page that another worker changed is not 304');
      }
    }
    busy.abort();
    const acknowledged = await writing;
    assert.deepEqual([acknowledged.length > 100, others], [true, []]);
    for (const { close } of all) close();
    await stop(server);
  });

  it('[MET-12] execute a request with one key once, even if several of them receive it at the same time', async () => {
    const { server, url, file } = await start();
    const all = await connectToWorkers(server, url, WORKERS);
    for (let round = 0; round < ROUNDS; round++) {
      const headers = { 'Idempotency-Key': `"${round}"` };
      const responses = await Promise.all(
        all.map(({ send }) => send('POST', '/v1/notes', { headers, body: { text: `${round}` } })),
      );
      const done = responses.filter(({ status }) => status === 201);
      const first = done.filter(({ headers: fields }) => fields['idempotent-replayed'] === undefined);
      assert.ok(responses.every(({ status }) => status === 201 || status === 409));
      assert.equal(first.length, 1);
      assert.equal(new Set(done.map(({ body }) => body)).size, 1);
    }
    assert.equal(stored(file).notes.length, ROUNDS);
    for (const { close } of all) close();
    await stop(server);
  });

  it('[EVT-3a] deliver every event in order from a single worker', async () => {
    const { server, url, file } = await start();
    const [dispatching] = await listeningWorkers(server, WORKERS);
    const done = AbortSignal.timeout(1_500);
    const acknowledged = await writers(url, 8, done);
    await waitUntil(() => deliveries().length === acknowledged.length, 'all events are delivered');
    const got = deliveries();
    assert.deepEqual(new Set(got.map(({ pid }) => pid)), new Set([dispatching]));
    assert.deepEqual(
      got.map(({ sequence }) => sequence),
      stored(file).sequences,
    );
    await stop(server);
  });

  it('[EVT-3a] deliver every event, although the delivering worker is killed', async () => {
    const { server, url } = await start();
    const [dispatching = 0] = await listeningWorkers(server, WORKERS);
    const done = new AbortController();
    const writing = writers(url, 8, done.signal);
    await waitUntil(() => deliveries().length > 50, 'some events are delivered');
    process.kill(dispatching, 'SIGKILL');
    const [successor] = (await listeningWorkers(server, WORKERS + 1)).slice(WORKERS);
    await setTimeout(1_000);
    done.abort();
    const acknowledged = await writing;
    const missing = (): number => {
      const ids = new Set(deliveries().map(({ id }) => id));
      return acknowledged.filter((id) => !ids.has(id)).length;
    };
    // The leases of the killed worker expire after 45 seconds.
    for (let second = 0; second < 90 && missing() > 0; second++) await setTimeout(1_000);
    assert.equal(missing(), 0);
    const got = deliveries();
    assert.deepEqual([...new Set(got.map(({ pid }) => pid))], [dispatching, successor], 'one after the other');
    await stop(server);
  });

  it('[OPS-4c] [EVT-1] store every acknowledged row and its event once, when one or all of them are killed', async () => {
    const { server, url, file } = await start();
    const done = new AbortController();
    const others: number[] = [];
    const writing = writers(url, 32, done.signal, others);
    const workers = await listeningWorkers(server, WORKERS);
    for (const pid of workers.slice(1)) {
      await setTimeout(700);
      process.kill(pid, 'SIGKILL');
    }
    await setTimeout(700);
    const last = (await listeningWorkers(server, WORKERS + 2)).filter((pid) => !workers.slice(1).includes(pid));
    for (const pid of [server.child.pid ?? 0, ...last]) process.kill(pid, 'SIGKILL');
    done.abort();
    const acknowledged = await writing;
    assert.deepEqual([acknowledged.length > 500, others], [true, []]);

    const again = await start(path.basename(file));
    const { notes, inEvents, sequences } = stored(file);
    const storedIds = new Set(notes);
    assert.deepEqual(
      acknowledged.filter((id) => !storedIds.has(id)),
      [],
    );
    assert.deepEqual([new Set(acknowledged).size, storedIds.size], [acknowledged.length, notes.length]);
    assert.deepEqual(inEvents, notes, 'one event for each row, and no other');
    assert.deepEqual(
      sequences,
      sequences.map((_, index) => index + 1),
    );
    const counted = JSON.parse(await (await fetch(`${again.url}/v1/notes?page=1&limit=1`)).text());
    assert.equal(counted.page.total_count, notes.length);
    await stop(again.server);
  });
});
