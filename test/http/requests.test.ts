import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, it } from 'node:test';
import type { BufferedResponse } from '../../src/pipeline/exchange.ts';
import { fakeServer } from './fake-server.ts';
import { converse, sendRaw } from './raw-client.ts';

const END = '\r\nHost: a\r\n\r\n';
const answer = (
  status: number,
  body: BufferedResponse['body'] = 'é',
  headers: readonly string[] = [],
): BufferedResponse => ({
  status,
  headers,
  body,
});

describe('what reaches the handler', () => {
  /** What is sent, and what the handler must be given of it. */
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
    it(`[URL-8] hands over ${what} as it was sent`, async () => {
      await using server = await fakeServer({ handle: () => answer(200) });
      const [first] = await sendRaw(server.port, [bytes]);
      assert.equal(first?.status, 200);
      const [request] = server.requests;
      assert.deepEqual([request?.target, request?.headers], [expected.target, expected.headers ?? ['Host', 'a']]);
      assert.deepEqual([request?.body, request?.peer, server.requests.length], [null, '127.0.0.1', 1]);
    });
  }

  it('[URL-8] answers CONNECT, after what was asked before it, and tunnels nothing', async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await fakeServer({
      handle: async ({ method }) => {
        if (method === 'GET') await gate.promise;
        return answer(method === 'GET' ? 200 : 405, method);
      },
    });
    const conversation = converse(
      server.port,
      [`GET / HTTP/1.1${END}CONNECT a:1 HTTP/1.1${END}`, `GET /2 HTTP/1.1${END}`],
      {
        answers: Infinity,
      },
    );
    while (server.requests.length < 2) await new Promise(setImmediate);
    gate.resolve();
    const { answers, closed } = await conversation;
    assert.deepEqual([answers.map(({ status }) => status), closed], [[200, 405], true]);
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

  it('[URL-8] serves the request behind an upgrade', async () => {
    await using server = await fakeServer({ handle: ({ target }) => answer(200, target) });
    const upgrade = 'GET /1 HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
    const answers = await sendRaw(server.port, [upgrade, `GET /2 HTTP/1.1${END}`], { answers: 2 });
    assert.deepEqual(
      answers.map(({ body }) => body),
      ['/1', '/2'],
    );
  });
});

describe('what leaves', () => {
  it('[MET-5] gives HEAD the headers of GET and no body', async () => {
    await using server = await fakeServer({ handle: () => answer(200, 'é', ['X-Tag', '1']) });
    const [get] = await sendRaw(server.port, [`GET / HTTP/1.1${END}`]);
    const { answers, rest } = await converse(server.port, [`HEAD / HTTP/1.1${END}`], { methods: ['HEAD'] });
    assert.deepEqual([answers[0]?.headers, rest], [{ ...get?.headers, date: answers[0]?.headers['date'] }, '']);
    assert.deepEqual([get?.headers['content-length'], get?.body], ['2', 'é']);
  });

  for (const status of [204, 304]) {
    it(`[MET-5] sends ${status} without a body and without a length`, async () => {
      await using server = await fakeServer({ handle: () => answer(status, 'body', ['ETag', '"1"']) });
      const { answers, rest } = await converse(server.port, [`GET / HTTP/1.1${END}`]);
      assert.deepEqual([answers[0]?.status, rest, answers[0]?.headers['etag']], [status, '', '"1"']);
      assert.equal(answers[0]?.headers['content-length'], undefined);
      assert.equal(answers[0]?.headers['transfer-encoding'], undefined);
    });
  }

  it('[ERR-1] gives an answer without a body the length 0', async () => {
    await using server = await fakeServer({ handle: () => answer(201, null) });
    const [first] = await sendRaw(server.port, [`POST / HTTP/1.1${END}`]);
    assert.deepEqual([first?.status, first?.headers['content-length']], [201, '0']);
  });

  it('[OPS-3] names no software and dates every answer', async () => {
    await using server = await fakeServer();
    const [first] = await sendRaw(server.port, [`GET / HTTP/1.1${END}`]);
    assert.deepEqual([first?.headers['server'], first?.headers['x-powered-by']], [undefined, undefined]);
    assert.match(first?.headers['date'] ?? '', /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
  });

  it('[URL-8] keeps a connection of HTTP/1.1, and says for how long', async () => {
    await using server = await fakeServer();
    const answers = await sendRaw(server.port, [`GET / HTTP/1.1${END}`, `GET / HTTP/1.1${END}`], { answers: 2 });
    for (const { headers } of answers) {
      assert.deepEqual([headers['connection'], headers['keep-alive']], ['keep-alive', 'timeout=65']);
    }
  });

  it('[URL-8] closes a connection of HTTP/1.0, unless it asks to be kept', async () => {
    await using server = await fakeServer();
    const once = await converse(server.port, ['GET / HTTP/1.0\r\n\r\n'], { answers: Infinity });
    assert.deepEqual(
      [once.answers[0]?.status, once.answers[0]?.headers['connection'], once.closed],
      [200, 'close', true],
    );
    const kept = await converse(server.port, ['GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n']);
    assert.deepEqual([kept.answers[0]?.headers['connection'], kept.closed], ['keep-alive', false]);
  });

  it('[URL-8] answers a client that has closed its sending side', async () => {
    await using server = await fakeServer({
      handle: async () => {
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
        return answer(200);
      },
    });
    const { answers, closed } = await converse(server.port, [`GET / HTTP/1.1${END}`], {
      answers: Infinity,
      halfClose: true,
    });
    assert.deepEqual([answers[0]?.status, closed], [200, true]);
  });

  it('[ERR-1] refuses in place of a handler that rejects', async () => {
    await using server = await fakeServer({ handle: () => Promise.reject(new Error('private')) });
    const [first] = await sendRaw(server.port, [`GET / HTTP/1.1\r\nX-Correlation-ID: id1\r\n\r\n`]);
    const body = JSON.parse(first?.body ?? '');
    assert.deepEqual([first?.status, body.errorCode, body.correlationId], [500, 'SERVER_ERROR', 'id1']);
    assert.doesNotMatch(first?.body ?? '', /private/);
  });

  it('[ERR-1] refuses in place of an answer that cannot be written', async () => {
    await using server = await fakeServer({ handle: () => answer(200, 'x', ['X-Tag', 'a\r\nX-Forged: 1']) });
    const [first] = await sendRaw(server.port, [`GET / HTTP/1.1${END}`]);
    assert.deepEqual([first?.status, first?.headers['x-forged']], [500, undefined]);
  });

  it('[ERR-7] cuts the connection and tells the log when even the refusal fails', async () => {
    const error = new Error('broken');
    await using server = await fakeServer({
      handle: () => Promise.reject(new Error('first')),
      refuse: () => {
        throw error;
      },
    });
    for (const bytes of [`GET / HTTP/1.1${END}`, 'BREW / HTTP/1.1\r\n\r\n']) {
      const { answers, closed, rest } = await converse(server.port, [bytes]);
      assert.deepEqual([answers.length, rest, closed], [0, '', true]);
    }
    assert.deepEqual(server.observed, [
      { kind: 'error', correlationId: null, error },
      { kind: 'error', correlationId: null, error },
    ]);
  });

  it('[ERR-7] goes on when even the log fails', async () => {
    const fail = (): never => {
      throw new Error('broken');
    };
    await using server = await fakeServer({ handle: fail, refuse: fail, observe: fail });
    for (let time = 0; time < 2; time += 1) {
      const { answers, closed } = await converse(server.port, [`GET / HTTP/1.1${END}`]);
      assert.deepEqual([answers.length, closed], [0, true]);
    }
  });
});
