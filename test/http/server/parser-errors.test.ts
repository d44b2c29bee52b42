import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fakeServer } from '../fake-server.ts';
import { converse, sendRaw } from '../raw-client.ts';

const END = '\r\nHost: a\r\n\r\n';
const post = (...fields: string[]): string => `POST / HTTP/1.1\r\nHost: a\r\n${fields.join('\r\n')}\r\n\r\n`;
const MEMBERS = ['httpStatus', 'errorCode', 'errorMessage', 'correlationId', 'timestamp', 'details'];

/** What is wrong, the bytes in their packets, status and code. */
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
  ['HTTP/1.2', [`GET / HTTP/1.2${END}`], 400, 'REQUEST_MALFORMED'],
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
    'a length beside a coding',
    [`${post('Content-Length: 1', 'Transfer-Encoding: chunked')}0\r\n\r\n`],
    400,
    'REQUEST_MALFORMED',
  ],
  [
    'a coding beside a length',
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

describe('what is no request', () => {
  for (const [what, packets, status, code] of rows) {
    it(`[ERR-1] answers ${what} with ${status} ${code} and closes`, async () => {
      await using server = await fakeServer();
      const { answers, closed, rest } = await converse(server.port, packets, { answers: Infinity });
      const [answer, ...more] = answers;
      assert.ok(answer, `no answer; ${JSON.stringify(rest)}`);
      assert.deepEqual([answer.status, more.length, rest, closed], [status, 0, '', true]);
      const body = JSON.parse(answer.body);
      assert.deepEqual([Object.keys(body), body.errorCode], [MEMBERS, code]);
      assert.equal(answer.headers['connection'], 'close');
      assert.match(answer.headers['date'] ?? '', /GMT$/);
    });
  }

  it('[LIM-1] waits for the end of a line that is too long no longer than for a head', async () => {
    await using server = await fakeServer({ limits: { headersTimeout: 200 } });
    const { answers, closed } = await converse(server.port, [`GET /${'a'.repeat(400_000)}`], { answers: Infinity });
    assert.deepEqual([answers.map(({ status }) => status), closed], [[408], true]);
  });

  it('[MET-6] leaves a registered method that the parser does not know to the handler', async () => {
    await using server = await fakeServer({ handle: () => ({ status: 405, headers: ['Allow', 'GET'], body: null }) });
    const [answer] = await sendRaw(server.port, [`UPDATE /x?y HTTP/1.1\r\nHost: a\r\nX-Tag: 1\r\n\r\n`]);
    assert.deepEqual([answer?.status, answer?.headers['allow']], [405, 'GET']);
    const { method, target, headers, body } = server.requests[0] ?? {};
    assert.deepEqual([method, target, headers, body], ['UPDATE', '/x?y', ['Host', 'a', 'X-Tag', '1'], null]);
  });

  it('[ERR-5] refuses under the correlation id that a faulty request carries', async () => {
    await using server = await fakeServer();
    const id = 'X-Correlation-ID: abc-1\r\n';
    for (const bytes of [`BREW / HTTP/1.1\r\n${id}\r\n`, `GET / HTTP/1.1\r\n${id}Host : a\r\n\r\n`]) {
      const [answer] = await sendRaw(server.port, [bytes]);
      assert.equal(JSON.parse(answer?.body ?? '').correlationId, 'abc-1');
    }
  });

  it('[MET-5] withholds the body of the refusal from HEAD', async () => {
    await using server = await fakeServer();
    const { answers, rest } = await converse(server.port, ['HEAD / HTTP/1.1\r\nHost : a\r\n\r\n'], {
      answers: Infinity,
      methods: ['HEAD'],
    });
    assert.deepEqual([answers.length, answers[0]?.status, rest], [1, 400, '']);
    assert.ok(Number(answers[0]?.headers['content-length']) > 0);
  });

  it('[ERR-1] sends the answers to earlier requests first', async () => {
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
        answers: Infinity,
      },
    );
    while (server.requests.length < 2) await new Promise(setImmediate);
    gate.resolve();
    const { answers, closed } = await conversation;
    assert.deepEqual([answers.map(({ status }) => status), closed], [[200, 200, 501], true]);
    assert.deepEqual(
      answers.slice(0, 2).map(({ body }) => body),
      ['/1', '/2'],
    );
  });

  it('[ERR-1] writes nothing behind an answer whose request never came whole', async () => {
    await using server = await fakeServer({
      limits: { requestTimeout: 60, headersTimeout: 60 },
      handle: () => ({ status: 404, headers: [], body: 'no' }),
    });
    const { answers, closed } = await converse(server.port, [post('Content-Length: 9'), 'ab'], { answers: Infinity });
    assert.deepEqual([answers.map(({ status }) => status), closed], [[404], true]);
  });

  it('[ERR-4] tells a client of TLS what port it found', async () => {
    await using server = await fakeServer();
    const [answer] = await sendRaw(server.port, ['\x16\x03\x01']);
    assert.match(JSON.parse(answer?.body ?? '').errorMessage, /TLS/);
  });
});
