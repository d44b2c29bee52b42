import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import process from 'node:process';
import { text as readText } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { serveHttp } from '../../src/http/serve-http.ts';
import type { ApiResponse, RawRequest } from '../../src/exchange/handler.ts';
import { type FakeServer, fakeOptions, fakeServer } from './fake-server.ts';
import { converse, sendRaw } from './raw-client.ts';

const get = (target = '/'): string => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n';
const codeOf = (response: { readonly body: string } | undefined): unknown =>
  JSON.parse(response?.body ?? '{}').errorCode;
const ok = (): ApiResponse => ({ status: 200, headers: [], body: 'ok' });

/** A handler that waits for `open`. */
function gated(): { readonly handle: (request: RawRequest) => Promise<ApiResponse>; readonly open: () => void } {
  const gate = Promise.withResolvers<void>();
  return { handle: () => gate.promise.then(ok), open: gate.resolve };
}

/** Waits until the handler has that many requests. */
async function holds(server: FakeServer, count: number): Promise<void> {
  while (server.requests.length < count) await new Promise(setImmediate);
}

describe('timeouts', () => {
  it('[LIM-1] responds 408 to a head that does not arrive in time', async () => {
    await using server = await fakeServer({ limits: { headersTimeout: 60 } });
    const { responses, closed } = await converse(server.port, ['GET / HTTP/1.1\r\nHo'], { responses: Infinity });
    assert.deepEqual(
      [responses.map((response) => [response.status, codeOf(response)]), closed],
      [[[408, 'REQUEST_TIMEOUT']], true],
    );
    assert.equal(server.requests.length, 0);
  });

  it('[LIM-1] responds 408 to an unknown method whose line does not end in time', async () => {
    await using server = await fakeServer({ limits: { headersTimeout: 60 } });
    const { responses, closed } = await converse(server.port, ['BREW /'], { responses: Infinity });
    assert.deepEqual([responses.map((response) => codeOf(response)), closed], [['REQUEST_TIMEOUT'], true]);
  });

  it('[LIM-1] responds 408 to a body that does not arrive in time', async () => {
    await using server = await fakeServer({ limits: { headersTimeout: 60, requestTimeout: 60 } });
    const { responses, closed } = await converse(server.port, [POST, 'ab'], { responses: Infinity });
    assert.deepEqual(
      [responses.map((response) => [response.status, codeOf(response)]), closed],
      [[[408, 'REQUEST_TIMEOUT']], true],
    );
    assert.equal(server.requests.length, 1);
  });

  it('[LIM-1] closes a connection without a byte, and without a response', async () => {
    await using server = await fakeServer({ limits: { headersTimeout: 60 } });
    assert.deepEqual(await converse(server.port, []), { responses: [], closed: true, rest: '' });
  });

  it('[LIM-1] responds 503 for a slow handler, drops its later response and keeps the connection open', async () => {
    const { handle, open } = gated();
    await using server = await fakeServer({ handle, limits: { handlerTimeout: 60 } });
    const socket = net.connect(server.port, '127.0.0.1');
    const next = async (): Promise<string> => String(await once(socket, 'data'));
    socket.write(get('/late'));
    const first = await next();
    assert.match(first, /^HTTP\/1\.1 503 .*\r\nRetry-After: 1\r\n.*"SERVER_TIMEOUT"/s);
    open();
    await new Promise(setImmediate);
    socket.write(get('/next'));
    assert.match(await next(), /^HTTP\/1\.1 200 .*ok$/s);
    assert.deepEqual(server.observed, []);
    socket.destroy();
  });

  it('[LIM-1] does not count the time in which the body arrives', async () => {
    await using server = await fakeServer({ limits: { handlerTimeout: 40 } });
    const [first] = await sendRaw(server.port, [
      POST,
      ...Array.from('abcdefghi').flatMap((letter) => ['', '', letter]),
    ]);
    assert.deepEqual([first?.status, first?.body], [200, 'abcdefghi']);
  });
});

describe('overload', () => {
  it('[LIM-3] rejects requests before the handler, except health checks', async () => {
    await using server = await fakeServer({ overloaded: () => true, handle: ok });
    for (const target of ['/', '/livezz', '/api/livez', '//livez', '/livez/']) {
      const [first] = await sendRaw(server.port, [get(target)]);
      assert.deepEqual([first?.status, codeOf(first), first?.headers['retry-after']], [503, 'SERVER_OVERLOADED', '1']);
    }
    for (const target of ['/livez', '/readyz', '/readyz?verbose']) {
      assert.equal((await sendRaw(server.port, [get(target)]))[0]?.status, 200);
    }
    assert.equal(server.requests.length, 3);
  });

  it('[LIM-3] keeps the connection open, and serves it again after the overload', async () => {
    let overloaded = true;
    await using server = await fakeServer({ overloaded: () => overloaded && !(overloaded = false) });
    const responses = await sendRaw(server.port, [`${POST}abcdefghi${POST}123456789`], { responses: 2 });
    assert.deepEqual([responses.map(({ status }) => status), responses[1]?.body], [[503, 200], '123456789']);
  });
});

describe('shutdown', () => {
  it('[LIM-3] closes idle connections immediately, including those without a complete head', async () => {
    const server = await fakeServer({ limits: { shutdownTimeout: 5_000 } });
    const idle = converse(server.port, [get()], { responses: Infinity });
    const unused = converse(server.port, []);
    const half = converse(server.port, ['GET / HT'], { responses: Infinity });
    await holds(server, 1);
    await sendRaw(server.port, [get()]);
    assert.equal(await server.close(), 0);
    const ended = await Promise.all([idle, unused, half]);
    assert.deepEqual(
      ended.map(({ responses, closed }) => [responses.length, closed]),
      [
        [1, true],
        [0, true],
        [0, true],
      ],
    );
  });

  it('[LIM-3] serves requests that clients have sent on idle connections before the server closed them', async () => {
    const server = await fakeServer({ handle: ok });
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = net.connect(server.port, '127.0.0.1');
        socket.write(get('/1'));
        await once(socket, 'data');
        return socket;
      }),
    );
    const received = sockets.map(async (socket) => {
      let text = '';
      socket.on('data', (packet) => {
        text += packet.toString();
      });
      await once(socket, 'close');
      return text;
    });
    for (const socket of sockets) socket.write(get('/2'));
    assert.equal(await server.close(), 0);
    for (const text of await Promise.all(received)) assert.match(text, /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/s);
    assert.equal(server.requests.length, 40);
  });

  it('[LIM-3] serves a request that arrived while other work kept the server from reading it', async () => {
    const server = await fakeServer();
    const socket = net.connect(server.port, '127.0.0.1');
    const received = readText(socket);
    socket.write(get('/before'));
    await holds(server, 1);
    await once(socket, 'readable');
    const closed = server.close();
    socket.write(get('/meanwhile'));
    // The kernel has it. Timers that are due meanwhile run before the server can read it.
    const end = performance.now() + 500;
    while (performance.now() < end);
    assert.equal((await received).split('HTTP/1.1 200').length, 3);
    assert.equal(await closed, 0);
  });

  it('[LIM-3] closes an idle connection without a reset, whatever its client sends late', async () => {
    const server = await fakeServer({ handle: ok });
    const socket = net.connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.write(get('/1'));
    await once(socket, 'data');
    const closed = server.close();
    const errors: Error[] = [];
    socket.on('error', (error) => errors.push(error)).resume();
    await once(socket, 'end');
    socket.write(get('/late'));
    socket.end();
    await Promise.all([once(socket, 'close'), closed]);
    assert.deepEqual(errors, []);
    assert.equal(server.requests.length, 1);
  });

  it('[LIM-3] finishes requests, accepts no connections and closes each one after its last response', async () => {
    const { handle, open } = gated();
    const server = await fakeServer({ handle });
    const conversation = converse(server.port, [get('/1') + get('/2')], { responses: Infinity });
    await holds(server, 2);
    const closed = server.close();
    await assert.rejects(converse(server.port, [get()]).then(({ responses }) => assert.notEqual(responses.length, 0)));
    open();
    const { responses } = await conversation;
    assert.deepEqual(
      responses.map(({ status, headers }) => [status, headers['connection']]),
      [
        [200, 'keep-alive'],
        [200, 'close'],
      ],
    );
    assert.equal(await closed, 0);
  });

  it('[LIM-3] serves a request that arrives on an open connection while others finish', async () => {
    const { handle, open } = gated();
    const server = await fakeServer({ handle });
    const socket = net.connect(server.port, '127.0.0.1');
    let text = '';
    socket.on('data', (packet) => {
      text += packet.toString();
    });
    socket.write(get('/1'));
    await holds(server, 1);
    const closed = server.close();
    socket.write(get('/2'));
    await holds(server, 2);
    const ended = once(socket, 'close');
    open();
    assert.equal(await closed, 0);
    await ended;
    assert.equal(text.match(/HTTP\/1\.1 200/g)?.length, 2);
  });

  it('[LIM-3] serves all requests of one packet while others finish, and closes after the last of them', async () => {
    const server = await fakeServer({
      handle: async ({ target, body }) => ({ status: 200, headers: [], body: (await body?.read(9)) ?? target }),
    });
    const socket = net.connect(server.port, '127.0.0.1');
    let text = '';
    socket.on('data', (packet) => {
      text += packet.toString();
    });
    socket.write('POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n');
    await holds(server, 1);
    const closed = server.close();
    const ended = once(socket, 'close');
    socket.write(`aaPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nbb${get('/3')}`);
    assert.equal(await closed, 0);
    await ended;
    assert.deepEqual(
      [text.match(/HTTP\/1\.1 200/g)?.length, text.match(/Connection: \S+/g)],
      [3, ['Connection: keep-alive', 'Connection: keep-alive', 'Connection: close']],
    );
  });

  it('[LIM-3] destroys what does not finish in time, and counts it', async () => {
    const server = await fakeServer({
      handle: () => new Promise<ApiResponse>(() => undefined),
      limits: { shutdownTimeout: 30 },
    });
    const conversations = [1, 2].map(() => converse(server.port, [get()]));
    await holds(server, 2);
    const closing = server.close();
    assert.deepEqual([await closing, await server.close()], [2, 2]);
    for (const { responses, closed } of await Promise.all(conversations))
      assert.deepEqual([responses.length, closed], [0, true]);
  });
});

describe('listening', () => {
  it('[LIM-1] reports why a port cannot be opened, with the fix', async () => {
    await using server = await fakeServer();
    const taken = serveHttp({ ...fakeOptions(), port: server.port });
    await assert.rejects(taken, {
      message: `Port ${server.port} on 127.0.0.1 is in use by another program. Stop that program or choose another port.`,
    });
    await assert.rejects(
      serveHttp({ ...fakeOptions(), host: '192.0.2.1' }),
      /This machine has no address 192\.0\.2\.1/,
    );
    await assert.rejects(serveHttp({ ...fakeOptions(), port: 70_000 }), /70000 is not a valid port/);
  });

  it('[LIM-1] shares a port with processes that share it, and with no others', async (test) => {
    if (process.platform !== 'linux') {
      test.skip('this system may not be able to share a port');
      return;
    }
    const first = await serveHttp({ ...fakeOptions(), sharing: true });
    const { port } = first;
    const second = await serveHttp({ ...fakeOptions(), port, sharing: true });
    assert.equal(second.port, port);
    await assert.rejects(serveHttp({ ...fakeOptions(), port }), /is in use by another program/);
    await Promise.all([first.close(), second.close()]);
  });
});
