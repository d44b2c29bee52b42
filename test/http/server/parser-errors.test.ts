import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ApiResponse, RawRequest } from '../../../src/exchange/handler.ts';
import { fakeServer } from '../fake-server.ts';
import { converse, sendRaw } from '../raw-client.ts';

const END = '\r\nHost: a\r\n\r\n';
const post = (...fields: string[]): string => `POST / HTTP/1.1\r\nHost: a\r\n${fields.join('\r\n')}\r\n\r\n`;
const MEMBERS = ['httpStatus', 'errorCode', 'errorMessage', 'correlationId', 'timestamp', 'details'];

/** The error, the packets, status and code. */
const rows: readonly (readonly [string, readonly string[], number, string])[] = [
  ['an unknown method', [`BREW /x HTTP/1.1${END}`], 501, 'REQUEST_METHOD_NOT_IMPLEMENTED'],
  ['a method in small letters', [`get / HTTP/1.1${END}`], 501, 'REQUEST_METHOD_NOT_IMPLEMENTED'],
  [
    'an unknown method in pieces',
    ['BR', 'EW /x HT', 'TP/1.1\r', '\nHost: a\r\n', '\r\n'],
    501,
    'REQUEST_METHOD_NOT_IMPLEMENTED',
  ],
  ['a method of RTSP', [`DESCRIBE / HTTP/1.1${END}`], 501, 'REQUEST_METHOD_NOT_IMPLEMENTED'],
  ['a line of no protocol', ['hello\r\n'], 400, 'REQUEST_MALFORMED'],
  ['a line without a target', ['BREW HTTP/1.1\r\n'], 400, 'REQUEST_MALFORMED'],
  ['an unknown method and target without a version', ['BREW /x\r\n'], 400, 'REQUEST_MALFORMED'],
  ['an unknown method with two spaces', ['BREW  /x HTTP/1.1\r\n'], 400, 'REQUEST_MALFORMED'],
  ['an unknown method over HTTP/9', [`BREW / HTTP/9.9${END}`], 400, 'REQUEST_MALFORMED'],
  ['a method with a bracket', [`GE{T / HTTP/1.1${END}`], 400, 'REQUEST_MALFORMED'],
  ['a handshake of TLS', ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'], 400, 'REQUEST_MALFORMED'],
  ['a preface of HTTP/2', ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'], 400, 'REQUEST_MALFORMED'],
  ['HTTP/2.0 in the request line', [`GET / HTTP/2.0${END}`], 400, 'REQUEST_MALFORMED'],
  ['HTTP/0.9', ['GET /\r\n\r\n'], 400, 'REQUEST_MALFORMED'],
  ['a space in the target', [`GET /a b HTTP/1.1${END}`], 400, 'REQUEST_MALFORMED'],
  ['lines that end with LF alone', ['GET / HTTP/1.1\nHost: a\n\n'], 400, 'REQUEST_MALFORMED'],
  ['raw UTF-8 in the target', [`GET /\xc3\xa9 HTTP/1.1${END}`], 400, 'REQUEST_URI_INVALID'],
  ['NUL in the target', [`GET /\0 HTTP/1.1${END}`], 400, 'REQUEST_URI_INVALID'],
  ['a target without a slash', [`GET x HTTP/1.1${END}`], 400, 'REQUEST_URI_INVALID'],
  ['a folded line', ['GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n'], 400, 'REQUEST_MALFORMED'],
  ['a space before the colon', ['GET / HTTP/1.1\r\nHost : a\r\n\r\n'], 400, 'REQUEST_MALFORMED'],
  ['a bare CR', ['GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n'], 400, 'REQUEST_MALFORMED'],
  ['a control character in a value', ['GET / HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n'], 400, 'REQUEST_MALFORMED'],
  ['a line without a name', ['GET / HTTP/1.1\r\nHost: a\r\n: a\r\n\r\n'], 400, 'REQUEST_MALFORMED'],
  [
    'Content-Length before Transfer-Encoding',
    [`${post('Content-Length: 1', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
    400,
    'REQUEST_MALFORMED',
  ],
  [
    'Transfer-Encoding before Content-Length',
    [`${post('Transfer-Encoding: chunked', 'Content-Length: 1')}0\r\n\r\n`],
    400,
    'REQUEST_MALFORMED',
  ],
  ['two lengths that differ', [`${post('Content-Length: 1', 'Content-Length: 2')}a`], 400, 'REQUEST_MALFORMED'],
  ['two lengths that agree', [`${post('Content-Length: 1', 'Content-Length: 1')}a`], 400, 'REQUEST_MALFORMED'],
  ['a list of lengths', [`${post('Content-Length: 1, 1')}a`], 400, 'REQUEST_MALFORMED'],
  ['a signed length', [`${post('Content-Length: +1')}a`], 400, 'REQUEST_MALFORMED'],
  ['a coding that is not chunked', [`${post('Transfer-Encoding: gzip')}a`], 400, 'REQUEST_MALFORMED'],
  ['a chunk without a size', [`${post('Transfer-Encoding: chunked')}zz\r\n`], 400, 'REQUEST_MALFORMED'],
  [
    'a chunk longer than its size',
    [`${post('Transfer-Encoding: chunked')}1\r\nabc\r\n0\r\n\r\n`],
    400,
    'REQUEST_MALFORMED',
  ],
  ['a target beyond what is read', [`GET /${'a'.repeat(400_000)} HTTP/1.1${END}`], 414, 'REQUEST_URI_TOO_LONG'],
  [
    'a target beyond what is read, and header lines',
    [`GET /${'a'.repeat(280_000)} HTTP/1.1\r\n${`X: ${'a'.repeat(1_000)}\r\n`.repeat(30)}${END}`],
    414,
    'REQUEST_URI_TOO_LONG',
  ],
  ['a target without an end', [`GET /${'a'.repeat(2_000_000)}`], 414, 'REQUEST_URI_TOO_LONG'],
  ['an unknown method with an endless target', [`BREW /${'a'.repeat(20_000)}`], 414, 'REQUEST_URI_TOO_LONG'],
  [
    'header lines beyond what is read',
    [`GET / HTTP/1.1\r\n${'X: a\r\n'.repeat(2_000)}\r\n`],
    431,
    'REQUEST_HEADERS_TOO_LARGE',
  ],
  [
    'a header line beyond what is read',
    [`GET / HTTP/1.1\r\nX: ${'a'.repeat(400_000)}${END}`],
    431,
    'REQUEST_HEADERS_TOO_LARGE',
  ],
  ['a header line without an end', [`GET / HTTP/1.1\r\nX: ${'a b'.repeat(700_000)}`], 431, 'REQUEST_HEADERS_TOO_LARGE'],
  [
    'a trailer section beyond what is read',
    [`${post('Transfer-Encoding: chunked')}0\r\nX: ${'a'.repeat(400_000)}${END}`],
    431,
    'REQUEST_HEADERS_TOO_LARGE',
  ],
  [
    'header bytes beyond what is read',
    [`GET / HTTP/1.1\r\n${`X: ${'a'.repeat(10_000)}\r\n`.repeat(40)}\r\n`],
    431,
    'REQUEST_HEADERS_TOO_LARGE',
  ],
];

describe('invalid requests', () => {
  for (const [what, packets, status, code] of rows) {
    it(`[ERR-1] responds to ${what} with ${status} ${code} and closes`, async () => {
      await using server = await fakeServer();
      const { responses, closed, rest } = await converse(server.port, packets, { responses: Infinity });
      const [response, ...more] = responses;
      assert.ok(response, `no response; ${JSON.stringify(rest)}`);
      assert.deepEqual([response.status, more.length, rest, closed], [status, 0, '', true]);
      const body = JSON.parse(response.body);
      assert.deepEqual([Object.keys(body), body.errorCode], [MEMBERS, code]);
      assert.equal(response.headers['connection'], 'close');
      assert.match(response.headers['date'] ?? '', /GMT$/);
    });
  }

  it('[LIM-1] waits for the end of a line that is too long only as long as for a head', async () => {
    await using server = await fakeServer({ limits: { headersTimeout: 200 } });
    const { responses, closed } = await converse(server.port, [`GET /${'a'.repeat(400_000)}`], { responses: Infinity });
    assert.deepEqual([responses.map(({ status }) => status), closed], [[408], true]);
  });

  it('[MET-6] passes a registered method that the parser does not know to the handler', async () => {
    await using server = await fakeServer({ handle: () => ({ status: 405, headers: ['Allow', 'GET'], body: null }) });
    const [response] = await sendRaw(server.port, [`UPDATE /x?y HTTP/1.1\r\nHost: a\r\nX-Tag: 1\r\n\r\n`]);
    assert.deepEqual([response?.status, response?.headers['allow']], [405, 'GET']);
    const { method, target, headers, body } = server.requests[0] ?? {};
    assert.deepEqual([method, target, headers, body], ['UPDATE', '/x?y', ['Host', 'a', 'X-Tag', '1'], null]);
  });

  it('[ERR-5] uses the correlation id of an invalid request', async () => {
    await using server = await fakeServer();
    const id = 'X-Correlation-ID: abc-1\r\n';
    for (const bytes of [`BREW / HTTP/1.1\r\n${id}\r\n`, `GET / HTTP/1.1\r\n${id}Host : a\r\n\r\n`]) {
      const [response] = await sendRaw(server.port, [bytes]);
      assert.equal(JSON.parse(response?.body ?? '').correlationId, 'abc-1');
    }
  });

  it('[MET-5] sends no body in the error response to HEAD', async () => {
    await using server = await fakeServer();
    const { responses, rest } = await converse(server.port, ['HEAD / HTTP/1.1\r\nHost : a\r\n\r\n'], {
      responses: Infinity,
      methods: ['HEAD'],
    });
    assert.deepEqual([responses.length, responses[0]?.status, rest], [1, 400, '']);
    assert.ok(Number(responses[0]?.headers['content-length']) > 0);
  });

  it('[ERR-1] sends the responses to earlier requests first', async () => {
    const gate = Promise.withResolvers<void>();
    await using server = await fakeServer({
      handle: async ({ target }) => {
        await gate.promise;
        return { status: 200, headers: [], body: target };
      },
    });
    const conversation = converse(
      server.port,
      [`GET /1 HTTP/1.1${END}GET /2 HTTP/1.1${END}BREW /3 HTTP/1.1${END}`, 'x'],
      {
        responses: Infinity,
      },
    );
    while (server.requests.length < 2) await new Promise(setImmediate);
    gate.resolve();
    const { responses, closed } = await conversation;
    assert.deepEqual([responses.map(({ status }) => status), closed], [[200, 200, 501], true]);
    assert.deepEqual(
      responses.slice(0, 2).map(({ body }) => body),
      ['/1', '/2'],
    );
  });

  it('[ERR-1] sends nothing after a response whose request never arrived completely', async () => {
    await using server = await fakeServer({
      limits: { requestTimeout: 60, headersTimeout: 60 },
      handle: () => ({ status: 404, headers: [], body: 'no' }),
    });
    const { responses, closed } = await converse(server.port, [post('Content-Length: 9'), 'ab'], {
      responses: Infinity,
    });
    assert.deepEqual([responses.map(({ status }) => status), closed], [[404], true]);
  });

  it('[ERR-4] explains to a TLS client that the port serves plain HTTP', async () => {
    await using server = await fakeServer();
    const [response] = await sendRaw(server.port, ['\x16\x03\x01']);
    assert.match(JSON.parse(response?.body ?? '').errorMessage, /TLS/);
  });
});

describe('a space in a request target', () => {
  for (const line of ['GET /a b', 'GET /a  b c', 'BREW /a b', 'GET http://localhost/a b']) {
    it(`[URL-4] is named by the error: ${line}`, async () => {
      await using server = await fakeServer();
      const [response] = await sendRaw(server.port, [`${line} HTTP/1.1${END}`]);
      assert.equal(response?.status, 400);
      assert.match(response.body, /contains a space.*%20/);
      assert.equal(server.requests.length, 0);
    });
  }
});

describe('HTTP/1.2 to HTTP/1.9', () => {
  const echo = async ({ method, target, httpVersion, body }: RawRequest): Promise<ApiResponse> => {
    const text = body === null ? '' : Buffer.from(await body.read(1_000)).toString();
    return { status: 200, headers: [], body: [method, target, httpVersion, text].join(' ') };
  };
  const requests: readonly (readonly [packets: readonly string[], status: number, expected: RegExp])[] = [
    [[`GET /x?y HTTP/1.2${END}`], 200, /^GET \/x\?y 1\.1 $/],
    [[`GET /x HTTP/1.9${END}`], 200, /^GET \/x 1\.1 $/],
    [['GET /x HTTP/1.2', '\r\nHost: a\r\n', '\r\n'], 200, /^GET \/x 1\.1 $/],
    [['POST /x HTTP/1.2\r\nHost: a\r\nContent-Length: 4\r\n\r\nab', 'cd'], 200, /^POST \/x 1\.1 abcd$/],
    [['POST /x HTTP/1.2\r\nHost: a\r\nContent-Length: 1001\r\n\r\nab'], 413, /REQUEST_BODY_TOO_LARGE/],
    [['POST /x HTTP/1.2\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'], 400, /Send HTTP\/1\.1/],
    [['GET / HTTP/1.2\r\nHost : a\r\n\r\n'], 400, /REQUEST_MALFORMED/],
  ];
  for (const [packets, status, expected] of requests) {
    it(`[URL-8] are treated as HTTP/1.1: ${status} ${JSON.stringify(packets.join(''))}`, async () => {
      await using server = await fakeServer({ handle: echo });
      const { responses, closed } = await converse(server.port, packets, { responses: Infinity });
      assert.deepEqual([responses.length, responses[0]?.status, closed], [1, status, true]);
      assert.match(responses[0]?.body ?? '', expected);
      assert.equal(responses[0]?.headers['connection'], 'close');
    });
  }
});
