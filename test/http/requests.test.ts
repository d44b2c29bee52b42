import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, it } from 'node:test';
import type { BufferedResponse } from '../../src/exchange/handler.ts';
import { fakeServer } from './fake-server.ts';
import { converse, sendRaw } from './raw-client.ts';

const END = '\r\nHost: a\r\n\r\n';
const respond = (
  status: number,
  body: BufferedResponse['body'] = 'é',
  headers: readonly string[] = [],
): BufferedResponse => ({
  status,
  headers,
  body,
});

describe('requests', () => {
  /** The bytes sent, and the request that the handler must get. */
  const rows: readonly (readonly [
    string,
    string,
    { readonly target: string; readonly headers?: readonly string[] },
  ])[] = [
    ['a request without Host', 'GET / HTTP/1.1\r\n\r\n', { target: '/', headers: [] }],
    [
      'two Host lines',
      'GET / HTTP/1.1\r\nHost: a\r\nHOST: b\r\n\r\n',
      { target: '/', headers: ['Host', 'a', 'HOST', 'b'] },
    ],
    [
      'two Content-Type lines',
      'GET / HTTP/1.1\r\nContent-Type: a/b\r\nContent-Type: c/d\r\n\r\n',
      { target: '/', headers: ['Content-Type', 'a/b', 'Content-Type', 'c/d'] },
    ],
    ['an expectation', 'GET / HTTP/1.1\r\nExpect: foo\r\n\r\n', { target: '/', headers: ['Expect', 'foo'] }],
    ['a target of an asterisk', `GET * HTTP/1.1${END}`, { target: '*' }],
    ['a fragment', `GET /a#b?c HTTP/1.1${END}`, { target: '/a#b?c' }],
    ['raw unsafe characters', `GET /<>"{}|\\^\`[] HTTP/1.1${END}`, { target: '/<>"{}|\\^`[]' }],
    ['an absolute target', `GET http://h/x HTTP/1.1${END}`, { target: 'http://h/x' }],
    ['a target with two slashes', `GET //h/x HTTP/1.1${END}`, { target: '//h/x' }],
    ['a bad escape', `GET /%zz HTTP/1.1${END}`, { target: '/%zz' }],
    ['a target of 17 KB', `GET /${'a'.repeat(17_000)} HTTP/1.1${END}`, { target: `/${'a'.repeat(17_000)}` }],
    [
      '300 header lines',
      `GET / HTTP/1.1\r\n${'X: a\r\n'.repeat(300)}\r\n`,
      { target: '/', headers: Array.from({ length: 300 }, () => ['X', 'a']).flat() },
    ],
    [
      'an upgrade',
      'GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      { target: '/', headers: ['Connection', 'Upgrade', 'Upgrade', 'websocket'] },
    ],
    ['an empty line before the request', `\r\nGET / HTTP/1.1${END}`, { target: '/' }],
  ];
  for (const [what, bytes, expected] of rows) {
    it(`[URL-8] passes ${what} on as it was sent`, async () => {
      await using server = await fakeServer({ handle: () => respond(200) });
      const [first] = await sendRaw(server.port, [bytes]);
      assert.equal(first?.status, 200);
      const [request] = server.requests;
      assert.deepEqual([request?.target, request?.headers], [expected.target, expected.headers ?? ['Host', 'a']]);
      assert.deepEqual([request?.body, request?.peer, server.requests.length], [null, '127.0.0.1', 1]);
    });
  }

  it('[URL-8] responds to CONNECT, after earlier requests, and opens no tunnel', async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await fakeServer({
      handle: async ({ method }) => {
        if (method === 'GET') await gate.promise;
        return respond(method === 'GET' ? 200 : 405, method);
      },
    });
    const conversation = converse(
      server.port,
      [`GET / HTTP/1.1${END}CONNECT a:1 HTTP/1.1${END}`, `GET /2 HTTP/1.1${END}`],
      {
        responses: Infinity,
      },
    );
    while (server.requests.length < 2) await new Promise(setImmediate);
    gate.resolve();
    const { responses, closed } = await conversation;
    assert.deepEqual([responses.map(({ status }) => status), closed], [[200, 405], true]);
    assert.equal(server.requests.length, 2);
  });

  it('[URL-8] survives a client that resets its CONNECT', async () => {
    await using server = await fakeServer({
      handle: () => new Promise<BufferedResponse>(() => undefined),
      limits: { shutdownTimeout: 1 },
    });
    const socket = net.connect(server.port, '127.0.0.1');
    socket.write(`CONNECT a:1 HTTP/1.1${END}`);
    while (server.requests.length < 1) await new Promise(setImmediate);
    socket.resetAndDestroy();
    await sendRaw(server.port, ['x\r\n']);
  });

  it('[URL-8] serves a request with an Upgrade header', async () => {
    await using server = await fakeServer({ handle: ({ target }) => respond(200, target) });
    const upgrade = 'GET /1 HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
    const second = `GET /2 HTTP/1.1${END}`;
    // Node drops what is in the same packet.
    const responses = await sendRaw(server.port, [upgrade, second], { responses: 2, awaiting: '/1' });
    assert.deepEqual(
      responses.map(({ body }) => body),
      ['/1', '/2'],
    );
  });
});

describe('responses', () => {
  it('[MET-5] gives HEAD the headers of GET and no body', async () => {
    await using server = await fakeServer({ handle: () => respond(200, 'é', ['X-Tag', '1']) });
    const [get] = await sendRaw(server.port, [`GET / HTTP/1.1${END}`]);
    const { responses, rest } = await converse(server.port, [`HEAD / HTTP/1.1${END}`], { methods: ['HEAD'] });
    assert.deepEqual([responses[0]?.headers, rest], [{ ...get?.headers, date: responses[0]?.headers['date'] }, '']);
    assert.deepEqual([get?.headers['content-length'], get?.body], ['2', 'é']);
  });

  for (const status of [204, 304]) {
    it(`[MET-5] sends ${status} without a body and without a length`, async () => {
      await using server = await fakeServer({ handle: () => respond(status, 'body', ['ETag', '"1"']) });
      const { responses, rest } = await converse(server.port, [`GET / HTTP/1.1${END}`]);
      assert.deepEqual([responses[0]?.status, rest, responses[0]?.headers['etag']], [status, '', '"1"']);
      assert.equal(responses[0]?.headers['content-length'], undefined);
      assert.equal(responses[0]?.headers['transfer-encoding'], undefined);
    });
  }

  it('[ERR-1] sends Content-Length: 0 without a body', async () => {
    await using server = await fakeServer({ handle: () => respond(201, null) });
    const [first] = await sendRaw(server.port, [`POST / HTTP/1.1${END}`]);
    assert.deepEqual([first?.status, first?.headers['content-length']], [201, '0']);
  });

  it('[OPS-3c] has Date and no Server', async () => {
    await using server = await fakeServer();
    const [first] = await sendRaw(server.port, [`GET / HTTP/1.1${END}`]);
    assert.deepEqual([first?.headers['server'], first?.headers['x-powered-by']], [undefined, undefined]);
    assert.match(first?.headers['date'] ?? '', /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
  });

  it('[URL-8] keeps a connection of HTTP/1.1 open, with its timeout in Keep-Alive', async () => {
    await using server = await fakeServer();
    const responses = await sendRaw(server.port, [`GET / HTTP/1.1${END}`, `GET / HTTP/1.1${END}`], { responses: 2 });
    for (const { headers } of responses) {
      assert.deepEqual([headers['connection'], headers['keep-alive']], ['keep-alive', 'timeout=65']);
    }
  });

  it('[URL-8] closes a connection of HTTP/1.0, unless it requests keep-alive', async () => {
    await using server = await fakeServer();
    const once = await converse(server.port, ['GET / HTTP/1.0\r\n\r\n'], { responses: Infinity });
    assert.deepEqual(
      [once.responses[0]?.status, once.responses[0]?.headers['connection'], once.closed],
      [200, 'close', true],
    );
    const kept = await converse(server.port, ['GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n']);
    assert.deepEqual([kept.responses[0]?.headers['connection'], kept.closed], ['keep-alive', false]);
  });

  it('[URL-8] responds to a client that has half-closed the connection', async () => {
    await using server = await fakeServer({
      handle: async () => {
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
        return respond(200);
      },
    });
    const { responses, closed } = await converse(server.port, [`GET / HTTP/1.1${END}`], {
      responses: Infinity,
      halfClose: true,
    });
    assert.deepEqual([responses[0]?.status, closed], [200, true]);
  });

  it('[ERR-1] sends an error response for a handler that rejects', async () => {
    await using server = await fakeServer({ handle: () => Promise.reject(new Error('private')) });
    const [first] = await sendRaw(server.port, [`GET / HTTP/1.1\r\nX-Correlation-ID: id1\r\n\r\n`]);
    const body = JSON.parse(first?.body ?? '');
    assert.deepEqual([first?.status, body.errorCode, body.correlationId], [500, 'SERVER_ERROR', 'id1']);
    assert.doesNotMatch(first?.body ?? '', /private/);
  });

  it('[ERR-1] sends an error response in place of one that cannot be written', async () => {
    await using server = await fakeServer({ handle: () => respond(200, 'x', ['X-Tag', 'a\r\nX-Forged: 1']) });
    const [first] = await sendRaw(server.port, [`GET / HTTP/1.1${END}`]);
    assert.deepEqual([first?.status, first?.headers['x-forged']], [500, undefined]);
  });

  it('[ERR-7] destroys the connection and reports it when the error response fails, too', async () => {
    const error = new Error('broken');
    await using server = await fakeServer({
      handle: () => Promise.reject(new Error('first')),
      refuse: () => {
        throw error;
      },
    });
    for (const bytes of [`GET / HTTP/1.1${END}`, 'BREW / HTTP/1.1\r\n\r\n']) {
      const { responses, closed, rest } = await converse(server.port, [bytes]);
      assert.deepEqual([responses.length, rest, closed], [0, '', true]);
    }
    assert.deepEqual(server.observed, [
      { kind: 'error', correlationId: null, error },
      { kind: 'error', correlationId: null, error },
    ]);
  });

  it('[ERR-7] continues when the observer throws', async () => {
    const fail = (): never => {
      throw new Error('broken');
    };
    await using server = await fakeServer({ handle: fail, refuse: fail, observe: fail });
    for (let time = 0; time < 2; time += 1) {
      const { responses, closed } = await converse(server.port, [`GET / HTTP/1.1${END}`]);
      assert.deepEqual([responses.length, closed], [0, true]);
    }
  });
});
