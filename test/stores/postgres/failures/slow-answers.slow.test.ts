import assert from 'node:assert/strict';
import process from 'node:process';
import { after, describe, it } from 'node:test';
import { startOwnPostgres } from '../../../postgres-server.ts';
import { type Instance, openInstance, relayTo } from '../instance.ts';
import { type Send, toInstance } from './send.ts';

const server = await startOwnPostgres();
const { relay, url } = await relayTo(server);
after(async () => {
  await relay.close();
  await server.stop();
});

/** Milliseconds that each answer takes. */
const DELAY = 3_000;
const REQUESTS = 7_000;
/** Requests of one event-loop iteration: as many as can be read in one. */
const TOGETHER = 250;
/** Bytes: so many requests need about 100 MiB. */
const MEMORY = 400 * 1_048_576;

async function warm(instance: Instance): Promise<void> {
  const post = { send: 'POST /api/v1/notes', body: { id: 'a', text: 'x' } };
  assert.equal((await instance.send(post)).status, 201);
  // On both sessions of reads.
  for (let read = 0; read < 10; read += 1) {
    await new Promise(setImmediate);
    assert.equal((await instance.send({ send: 'GET /api/v1/notes/a' })).status, 200);
  }
}

async function timedGet(
  send: Send,
  path: string,
): Promise<{ readonly status: number; readonly code: string | null; readonly time: number }> {
  const begun = performance.now();
  const { status, code } = await send({ send: `GET ${path}` });
  return { status, code, time: performance.now() - begun };
}

describe('a database that answers after three seconds', () => {
  it('[LIM-3] gets no more reads than it can answer: others are 503 at once, and memory is bounded', async () => {
    const instance = await openInstance(url('late'));
    const send = toInstance(instance);
    try {
      await warm(instance);
      const before = process.memoryUsage().heapUsed;
      relay.delay = DELAY;
      const timed: Promise<{ readonly status: number; readonly code: string | null; readonly time: number }>[] = [];
      for (let index = 0; index < REQUESTS; index += 1) {
        if (index % TOGETHER === 0) await new Promise(setImmediate);
        timed.push(timedGet(send, `/api/v1/notes/absent-${index}`));
      }
      await new Promise((resolve) => setTimeout(resolve, DELAY / 2));
      assert.ok(process.memoryUsage().heapUsed - before < MEMORY);
      assert.equal((await send({ send: 'GET /livez' })).status, 200);
      const answers = await Promise.all(timed);
      const refused = answers.filter(({ code }) => code === 'SERVER_OVERLOADED');
      assert.ok(refused.length >= REQUESTS / 7, String(refused.length));
      // Not all of them: where other programs use the processor, sending alone takes longer.
      assert.ok(
        refused.some(({ time }) => time < DELAY),
        'none was refused at once',
      );
      assert.ok(answers.some(({ status }) => status === 404));
      relay.delay = 0;
      assert.equal((await send({ send: 'GET /api/v1/notes/a' })).status, 200);
    } finally {
      relay.delay = 0;
      await instance.close();
    }
  });

  it('[OPS-4b] commits writes all the same', async () => {
    const instance = await openInstance(url('late_writes'));
    const send = toInstance(instance);
    try {
      await warm(instance);
      relay.delay = DELAY;
      const posts = ['b', 'c', 'd'].map((id) => send({ send: 'POST /api/v1/notes', body: { id } }));
      assert.deepEqual(
        (await Promise.all(posts)).map(({ status }) => status),
        [201, 201, 201],
      );
    } finally {
      relay.delay = 0;
      await instance.close();
    }
  });
});

describe('a network that drops what is sent', () => {
  it('[OPS-4b] is found out: reads and writes are 503 in bounded time, and served again afterwards', async () => {
    const instance = await openInstance(url('silent'));
    const send = toInstance(instance);
    try {
      await warm(instance);
      relay.isSilent = true;
      const begun = performance.now();
      const rows = [{ send: 'GET /api/v1/notes/a' }, { send: 'POST /api/v1/notes', body: { id: 'b' } }];
      const answers = await Promise.all(rows.map((row) => send(row)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [503, 503],
      );
      assert.ok(performance.now() - begun < 20_000);
      relay.isSilent = false;
      assert.equal((await send({ send: 'GET /api/v1/notes/a' })).status, 200);
      assert.equal((await send({ send: 'POST /api/v1/notes', body: { id: 'c' } })).status, 201);
    } finally {
      relay.isSilent = false;
      relay.cutAll();
      await instance.close();
    }
  });
});
