import assert from 'node:assert/strict';
import net from 'node:net';
import process from 'node:process';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { RawRequest } from '../../src/exchange/handler.ts';
import { type FakeServer, fakeServer } from './fake-server.ts';
import { sendRaw } from './raw-client.ts';

const BODY = 1_000;
/** Two bodies and a half. */
const MEMORY = 2_500;

const head = (...fields: string[]): string => `POST / HTTP/1.1\r\nHost: a\r\n${fields.join('\r\n')}\r\n\r\n`;
const LENGTH = `Content-Length: ${BODY}`;

interface SlowBody {
  readonly socket: net.Socket;
  /** Everything that the server has sent. */
  readonly received: () => string;
}

/** A server that reads each body, and holds few bytes of slow ones. */
function server(): Promise<FakeServer> {
  return fakeServer({ limits: { body: BODY, bodyMemory: MEMORY } });
}

async function waitFor(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + 10_000; !condition(); await setImmediate()) {
    assert.ok(performance.now() < end, 'timed out');
  }
}

/** Sends the head, and then a number of bytes of the body. */
async function slowBody({ port, requests }: FakeServer, bytes: number, ...fields: string[]): Promise<SlowBody> {
  const socket = net.connect({ port, host: '127.0.0.1' });
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.on('error', () => undefined);
  const before = requests.length;
  socket.write(head(...(fields.length === 0 ? [LENGTH] : fields)));
  await waitFor(() => requests.length > before);
  // The server reads the body in a later tick than its head.
  await setImmediate();
  socket.write('x'.repeat(bytes));
  return { socket, received: () => text };
}

/** The status of a request whose body comes after its head. */
async function statusOfNew(slow: FakeServer): Promise<number> {
  const { socket, received } = await slowBody(slow, BODY);
  await waitFor(() => received().includes('\r\n\r\n'));
  socket.destroy();
  return Number(received().slice(9, 12));
}

async function fill(slow: FakeServer): Promise<readonly SlowBody[]> {
  const bodies: SlowBody[] = [];
  for (const bytes of [900, 900, 650]) bodies.push(await slowBody(slow, bytes));
  const last = await slowBody(slow, 51);
  await waitFor(() => last.received().includes('503'));
  bodies.push(await slowBody(slow, 50));
  last.socket.destroy();
  return bodies;
}

describe('slow bodies', () => {
  it('[LIM-1] are refused with 503 above the memory of all together, with Retry-After', async () => {
    await using slow = await server();
    await fill(slow);
    const { received } = await slowBody(slow, BODY);
    await waitFor(() => received().includes('SERVER_OVERLOADED'));
    assert.match(received(), /^HTTP\/1\.1 503 [^]*\r\nRetry-After: 1\r\n/);
  });

  it('[LIM-1] cost no memory before their bytes arrive', async () => {
    await using slow = await server();
    for (let body = 0; body < 10; body += 1) await slowBody(slow, 0);
    assert.equal(await statusOfNew(slow), 200);
  });

  it('[LIM-1] keep out neither requests without a body nor bodies that arrive with their heads', async () => {
    await using slow = await server();
    await fill(slow);
    const [get] = await sendRaw(slow.port, ['GET / HTTP/1.1\r\nHost: a\r\n\r\n']);
    const [post] = await sendRaw(slow.port, [`${head(LENGTH)}${'x'.repeat(BODY)}`]);
    assert.deepEqual([get?.status, post?.status], [200, 200]);
  });

  for (const [how, end] of [
    ['complete', ({ socket }: SlowBody) => socket.write('x'.repeat(BODY))],
    ['aborted', ({ socket }: SlowBody) => socket.resetAndDestroy()],
    ['ended early', ({ socket }: SlowBody) => socket.end()],
  ] as const) {
    it(`[LIM-1] give their memory back when they are ${how}`, async () => {
      await using slow = await server();
      for (let round = 0; round < 5; round += 1) {
        const bodies = await fill(slow);
        for (const body of bodies) end(body);
        await waitFor(() => bodies.every(({ socket, received }) => socket.destroyed || received() !== ''));
        assert.equal(await eventually(slow), 200);
        for (const { socket } of bodies) socket.destroy();
      }
    });
  }

  it('[LIM-1] count the bytes of an incomplete line, and no others, where they are processed in pieces', async () => {
    const kept = { bytes: 0 };
    const stream = ({ body }: RawRequest) => ({
      status: 200,
      headers: [],
      body: (async function* pieces() {
        for await (const chunk of body?.chunks() ?? []) {
          yield `${chunk.length}\n`;
          body?.keep?.(kept.bytes);
        }
      })(),
    });
    await using slow = await fakeServer({ limits: { body: BODY, bodyMemory: MEMORY }, handle: stream });
    const chunked = 'Transfer-Encoding: chunked';
    const first = await slowBody(slow, 0, chunked);
    first.socket.write('bb8\r\n' + 'x'.repeat(3_000));
    await waitFor(() => /\n\d+\n/.test(first.received().split('\r\n\r\n')[1] ?? ''));
    kept.bytes = MEMORY + 1;
    const second = await slowBody(slow, 0, chunked);
    second.socket.write('1\r\nx\r\n');
    await waitFor(() => second.socket.destroyed || second.socket.readableEnded);
    assert.match(first.received(), /200/);
  });

  it('[LIM-1] leave no timer where their connections are closed after the response', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
    const before = timers();
    const slow = await server();
    await fill(slow);
    const refused = await Promise.all(Array.from({ length: 20 }, () => slowBody(slow, 100)));
    await waitFor(() => refused.every(({ received }) => received().includes('503')));
    await slow.close();
    // Each would run for 30 s; those of other tests end meanwhile.
    await waitFor(() => timers() <= before);
  });
});

/** The status once the memory is free: a connection that was reset is noticed in a later iteration. */
async function eventually(slow: FakeServer): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    if ((await statusOfNew(slow)) === 200) return 200;
  }
  return 503;
}
