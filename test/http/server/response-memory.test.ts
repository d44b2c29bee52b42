import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import net from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { apiUnderTest } from '../../pipeline/support/api-under-test.ts';
import { serveHttp } from '../../../src/http/serve-http.ts';
import { createListener } from '../../../src/http/listener.ts';
import { fakeServer, limits, refuse } from '../fake-server.ts';
import { sendRaw } from '../raw-client.ts';

const MIB = 1_048_576;
/** More than sockets of one connection hold in the kernel. */
const LARGE = 16 * MIB;
const PAGE = 'x'.repeat(LARGE);
const request = (target: string, method = 'GET'): string => `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const small = { status: 200, headers: ['Content-Type', 'text/plain'], body: 'ok' } as const;
const handle = async ({ target }: { readonly target: string }) =>
  target === '/large' ? { ...small, body: PAGE } : small;

/** A client that has the first bytes of its response, and reads no others. */
async function stalledClient(port: number, text: string): Promise<net.Socket> {
  const socket = net.connect({ port, host: '127.0.0.1' });
  socket.write(text);
  socket.on('error', () => undefined);
  await once(socket, 'readable');
  return socket;
}

/** The bytes until the server has closed the connection. */
async function countBytes(socket: net.Socket): Promise<number> {
  socket.resume();
  if (!socket.destroyed) await once(socket, 'close');
  return socket.bytesRead;
}

/** Sends a request until it has this status. */
async function untilStatus(port: number, status: number): Promise<void> {
  for (let attempt = 0; attempt < 5_000; attempt += 1) {
    const [response] = await sendRaw(port, [request('/small')]);
    if (response?.status === status) return;
  }
  assert.fail(`the status never becomes ${status}`);
}

describe('unsent responses', () => {
  it('[LIM-1] above the limit reject further requests with 503, except health checks', async () => {
    await using server = await fakeServer({ handle, limits: { responseMemory: LARGE + 1 } });
    const first = await stalledClient(server.port, request('/large'));
    const [served] = await sendRaw(server.port, [request('/small')]);
    assert.equal(served?.status, 200);
    const second = await stalledClient(server.port, request('/large'));
    const { length } = server.requests;
    for (const target of ['/small', '/large']) {
      const [refused] = await sendRaw(server.port, [request(target)]);
      const { errorCode, httpStatus, details } = JSON.parse(refused?.body ?? '{}');
      assert.deepEqual(
        [refused?.status, refused?.headers['retry-after'], errorCode, httpStatus, details],
        [503, '1', 'SERVER_OVERLOADED', 503, []],
      );
    }
    assert.equal(server.requests.length, length, 'refused before the handler');
    assert.equal((await sendRaw(server.port, [request('/livez')]))[0]?.status, 200);
    first.destroy();
    second.destroy();
    await untilStatus(server.port, 200);
  });

  it('[LIM-1] count all requests that are sent on one connection', async () => {
    await using server = await fakeServer({ handle, limits: { responseMemory: LARGE } });
    const client = net.connect({ port: server.port, host: '127.0.0.1' });
    const last = request('/large').replace('Host', 'Connection: close\r\nHost');
    client.write(request('/large').repeat(19) + last);
    const received = Buffer.concat(await client.toArray()).toString('latin1');
    const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    assert.deepEqual(statuses, ['200', '200', ...Array.from({ length: 18 }, () => '503')]);
  });

  it('[LIM-1] drop a read that was accepted before too many were unsent, and never a write', async () => {
    const ready = Promise.withResolvers<void>();
    const slowly = async (raw: { readonly target: string }) => {
      if (raw.target === '/large') await ready.promise;
      return handle(raw);
    };
    await using server = await fakeServer({ handle: slowly, limits: { responseMemory: 1_024 } });
    const clients = ['GET', 'GET', 'POST'].map((method) => {
      const socket = net.connect({ port: server.port, host: '127.0.0.1' });
      socket.on('error', () => undefined).write(request('/large', method));
      return socket;
    });
    while (server.requests.length < 3) await untilStatus(server.port, 200);
    ready.resolve();
    const heads = await Promise.all(
      clients.map(async (socket) => {
        await once(socket, 'readable');
        return String(socket.read(12));
      }),
    );
    assert.equal(heads[2], 'HTTP/1.1 200');
    assert.deepEqual(heads.slice(0, 2).toSorted(), ['HTTP/1.1 200', 'HTTP/1.1 503']);
    for (const socket of clients) socket.destroy();
  });

  it('[LIM-1] are not counted where the client has gone before they were ready', async () => {
    const ready = Promise.withResolvers<void>();
    const slowly = async (raw: { readonly target: string }) => {
      if (raw.target === '/large') await ready.promise;
      return handle(raw);
    };
    await using server = await fakeServer({ handle: slowly, limits: { responseMemory: 1_024 } });
    const client = net.connect({ port: server.port, host: '127.0.0.1' });
    client.write(request('/large'));
    while (server.requests.length === 0) await sendRaw(server.port, [request('/livez')]);
    client.resetAndDestroy();
    await once(client, 'close');
    await untilStatus(server.port, 200);
    ready.resolve();
    await setImmediate();
    assert.equal((await sendRaw(server.port, [request('/small')]))[0]?.status, 200);
  });

  it('[LIM-1] end with their connections, which are closed where nothing is read for a time', async () => {
    const short = { responseMemory: LARGE - 1, requestTimeout: 150, handlerTimeout: 150 };
    await using server = await fakeServer({ handle, limits: short });
    const client = await stalledClient(server.port, request('/large'));
    await untilStatus(server.port, 503);
    await untilStatus(server.port, 200);
    assert.ok((await countBytes(client)) < LARGE);
  });

  it('[LIM-1] are no more once they were read', async () => {
    await using server = await fakeServer({ handle, limits: { responseMemory: 1_024 } });
    for (let count = 0; count < 5; count += 1) {
      const response = await fetch(`http://127.0.0.1:${server.port}/large`);
      assert.equal((await response.text()).length, LARGE);
    }
    const [head] = await sendRaw(server.port, [request('/large', 'HEAD')], { methods: ['HEAD'] });
    assert.equal(head?.headers['content-length'], String(LARGE));
    assert.equal((await sendRaw(server.port, [request('/small')]))[0]?.status, 200);
  });

  it('[LIM-1] of a mount are limited, and time out, in any host', async () => {
    const model = {
      basePath: '',
      limits: { ...limits, responseMemory: 1_024, requestTimeout: 150, handlerTimeout: 150 },
    };
    const server = createServer(createListener({ model, refuse, handle: async (raw) => handle(raw) }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const client = await stalledClient(port, request('/large'));
    const [refused] = await sendRaw(port, [request('/large')]);
    assert.deepEqual([refused?.status, refused?.headers['retry-after']], [503, '1']);
    assert.equal((await sendRaw(port, [request('/livez')]))[0]?.status, 200);
    await untilStatus(port, 200);
    assert.ok((await countBytes(client)) < LARGE);
    for (let count = 0; count < 3; count += 1) {
      const response = await fetch(`http://127.0.0.1:${port}/large`);
      assert.equal((await response.text()).length, LARGE);
    }
    server.closeAllConnections();
    server.close();
  });

  it('[LIM-1] of an API are limited by its model', async () => {
    const model = `
name: desk
version: 1.0.0
limits: { response_memory: 1MiB }
resources:
  notes:
    id: client
    schema: { type: object, properties: { text: { type: string } } }
`;
    await using desk = await apiUnderTest(model);
    const rows = Array.from({ length: 16 }, (_, index) => ({ id: `n${index}`, text: 'x'.repeat(1_000_000) }));
    for (const row of rows) await desk.api.importRows('notes', [row]);
    const server = await serveHttp({ api: desk.api, port: 0 });
    const client = await stalledClient(server.port, request('/api/v1/notes'));
    const [refused] = await sendRaw(server.port, [request('/api/v1/notes?limit=1')]);
    assert.deepEqual([refused?.status, refused?.headers['retry-after']], [503, '1']);
    client.destroy();
    await server.close();
  });
});
