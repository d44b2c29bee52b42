import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, it } from 'node:test';
import { apiError } from '../../src/conventions/errors.ts';
import type { ApiResponse, RawRequest } from '../../src/exchange/handler.ts';
import { fakeServer } from './fake-server.ts';
import { converse, sendRaw } from './raw-client.ts';

const head = (method: string, ...fields: string[]): string =>
  `${method} / HTTP/1.1\r\nHost: a\r\n${fields.join('\r\n')}\r\n\r\n`;
const NEXT = 'GET /next HTTP/1.1\r\nHost: a\r\n\r\n';
const CHUNKED = 'Transfer-Encoding: chunked';
const CONTINUE = 'Expect: 100-continue';
const codeOf = (response: { readonly body: string } | undefined): unknown =>
  JSON.parse(response?.body ?? '{}').errorCode;
const ignore = ({ target }: RawRequest): ApiResponse => ({ status: 404, headers: [], body: target });

describe('reading a body', () => {
  it('[LIM-1] reads the whole body, however many packets it arrives in', async () => {
    await using server = await fakeServer();
    const rows = [
      [`${head('POST', 'Content-Length: 4')}a`, 'b', 'cd'],
      [`${head('POST', 'Content-Length: 4')}abcd`],
      [head('POST', CHUNKED), '1\r', '\na\r\n3;x=y\r\nbc', 'd\r\n0\r\n\r\n'],
      [`${head('POST', CHUNKED)}4\r\nabcd\r\n0\r\nX-Checksum: 1\r\n\r\n`],
    ];
    for (const packets of rows) {
      const responses = await sendRaw(server.port, [...packets, NEXT], { responses: 2 });
      assert.deepEqual(
        responses.map(({ status, body }) => [status, body]),
        [
          [200, 'abcd'],
          [200, ''],
        ],
      );
    }
    assert.deepEqual(
      server.requests.map(({ body }) => body?.length),
      [4, undefined, 4, undefined, null, undefined, null, undefined],
    );
  });

  it('[LIM-1] accepts a body of exactly the limit, whatever the size of its packets', async () => {
    await using server = await fakeServer({
      limits: { body: 300_000 },
      handle: async ({ body }) => ({ status: 200, headers: [], body: String((await body?.read(300_000))?.length) }),
    });
    for (const framed of [
      `${head('POST', 'Content-Length: 300000')}${'a'.repeat(300_000)}`,
      `${head('POST', CHUNKED)}493e0\r\n${'a'.repeat(300_000)}\r\n0\r\n\r\n`,
    ]) {
      const responses = await sendRaw(server.port, [framed, NEXT.replace('GET', 'POST')], { responses: 2 });
      assert.deepEqual(
        responses.map(({ body }) => body),
        ['300000', 'undefined'],
      );
    }
  });

  for (const [name, code] of [
    ['Content-Type', 'REQUEST_HEADER_INVALID'],
    ['content-encoding', 'REQUEST_HEADER_INVALID'],
    ['Host', 'REQUEST_HEADER_INVALID'],
    ['Authorization', 'REQUEST_HEADER_INVALID'],
    ['Trailer', 'REQUEST_HEADER_INVALID'],
    ['Idempotency-Key', 'REQUEST_HEADER_INVALID'],
    // The parser rejects these two itself, as a second framing.
    ['Content-Length', 'REQUEST_MALFORMED'],
    ['Transfer-Encoding', 'REQUEST_MALFORMED'],
  ] as const) {
    it(`[URL-8] rejects ${name} in the trailer section`, async () => {
      await using server = await fakeServer();
      const [response] = await sendRaw(server.port, [
        `${head('POST', CHUNKED)}1\r\na\r\n0\r\nX: 1\r\n${name}: 1\r\n\r\n`,
      ]);
      assert.deepEqual([response?.status, codeOf(response)], [400, code]);
    });
  }

  it('[LIM-1] rejects a Content-Length above the limit before 100 Continue', async () => {
    await using server = await fakeServer();
    const responses = await sendRaw(server.port, [head('POST', 'Content-Length: 1001', CONTINUE)], {
      responses: Infinity,
    });
    assert.deepEqual(
      responses.map((response) => [response.status, codeOf(response)]),
      [[413, 'REQUEST_BODY_TOO_LARGE']],
    );
    assert.equal(responses[0]?.headers['connection'], 'close');
  });

  it('[LIM-1] rejects a chunked body as soon as it exceeds the limit', async () => {
    await using server = await fakeServer();
    const { responses, closed } = await converse(
      server.port,
      [head('POST', CHUNKED), `3e8\r\n${'a'.repeat(1_000)}\r\n1\r\nb`],
      {
        responses: Infinity,
      },
    );
    assert.deepEqual([responses.map(({ status }) => status), closed], [[413], true]);
  });

  for (const framing of ['Content-Length: 30000000', CHUNKED]) {
    it(`[LIM-1] lets a client that sends the whole body first read the 413 (${framing})`, async () => {
      await using server = await fakeServer();
      const bytes = Buffer.alloc(30_000_000, 'a');
      const packets =
        framing === CHUNKED
          ? [head('POST', framing), '1c9c380\r\n', bytes, '\r\n0\r\n\r\n']
          : [head('POST', framing), bytes];
      assert.deepEqual(await sendsThenReads(server.port, packets), [413, true]);
    });
  }

  it('[LIM-1] reports no error when the client disconnects during the body', async () => {
    const read = Promise.withResolvers<unknown>();
    await using server = await fakeServer({
      handle: async ({ body }) => {
        await body?.read(1_000).catch(read.resolve);
        return { status: 400, headers: [], body: null };
      },
    });
    const socket = net.connect(server.port, '127.0.0.1');
    socket.write(`${head('POST', 'Content-Length: 9')}ab`);
    while (server.requests.length === 0) await new Promise(setImmediate);
    socket.resetAndDestroy();
    assert.match(String(await read.promise), /connection closed/);
    assert.deepEqual(server.observed, []);
  });

  it('[URL-8] responds 400 to an incomplete body while the client can still read', async () => {
    await using server = await fakeServer();
    const { responses, closed } = await converse(server.port, [`${head('POST', 'Content-Length: 9')}ab`], {
      halfClose: true,
      responses: Infinity,
    });
    assert.deepEqual(
      [responses.map((response) => [response.status, codeOf(response)]), closed],
      [[[400, 'REQUEST_MALFORMED']], true],
    );
  });
});

describe('Expect: 100-continue', () => {
  it('[URL-8] sends 100 Continue once the body is read', async () => {
    await using server = await fakeServer();
    const chunks = [head('POST', 'Content-Length: 2', CONTINUE), 'ok'];
    const responses = await sendRaw(server.port, chunks, { awaiting: 'HTTP/1.1 100 ' });
    assert.deepEqual(
      responses.map(({ status, body }) => [status, body]),
      [
        [100, ''],
        [200, 'ok'],
      ],
    );
  });

  it('[URL-8] sends the final status instead of 100 and closes the connection', async () => {
    await using server = await fakeServer({ handle: ignore });
    const { responses, closed } = await converse(server.port, [head('POST', 'Content-Length: 2', CONTINUE)], {
      responses: Infinity,
    });
    assert.deepEqual([responses.map(({ status }) => status), closed], [[404], true]);
  });

  it('[URL-8] sends no 100 when the body arrived with the head', async () => {
    await using server = await fakeServer();
    const responses = await sendRaw(server.port, [`${head('POST', 'Content-Length: 2', CONTINUE)}ok`]);
    assert.deepEqual(
      responses.map(({ status, body }) => [status, body]),
      [[200, 'ok']],
    );
  });

  it('[URL-8] ignores it without a body and in HTTP/1.0', async () => {
    await using server = await fakeServer();
    assert.equal((await sendRaw(server.port, [head('GET', CONTINUE)]))[0]?.status, 200);
    const old = head('POST', 'Content-Length: 1', CONTINUE).replace('1.1', '1.0');
    assert.deepEqual(
      (await sendRaw(server.port, [old, 'a'])).map(({ status }) => status),
      [200],
    );
  });
});

describe('an unread body', () => {
  const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
  const small = [`Content-Length: ${SMUGGLED.length}`, SMUGGLED] as const;
  const chunked = [CHUNKED, `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`] as const;

  for (const [framing, bytes] of [small, chunked]) {
    for (const method of ['POST', 'GET', 'HEAD', 'DELETE']) {
      it(`[URL-8] is discarded once it has arrived, and the next request is served (${method}, ${framing})`, async () => {
        await using server = await fakeServer({ handle: ignore });
        await sendRaw(server.port, [head(method, framing) + bytes + NEXT], { responses: 2, methods: [method, 'GET'] });
        assert.deepEqual(
          server.requests.map(({ target }) => target),
          ['/', '/next'],
        );
      });
    }
  }

  it('[URL-8] is discarded as it arrives when its length is within the limit', async () => {
    await using server = await fakeServer({ handle: ignore });
    const responses = await sendRaw(
      server.port,
      [head('POST', small[0]), SMUGGLED.slice(0, 9), SMUGGLED.slice(9), NEXT],
      { responses: 2 },
    );
    assert.deepEqual([responses.map(({ body }) => body), server.requests.length], [['/', '/next'], 2]);
  });

  for (const [what, framing, packets] of [
    ['its length passes the limit', 'Content-Length: 5000', [SMUGGLED.repeat(10)]],
    ['its end is not known', CHUNKED, [chunked[1].slice(0, 9), chunked[1].slice(9), NEXT]],
    ['it was held back for 100', `Content-Length: ${SMUGGLED.length}\r\n${CONTINUE}`, [SMUGGLED, NEXT]],
  ] as const) {
    it(`[URL-8] closes the connection when ${what}`, async () => {
      await using server = await fakeServer({ handle: ignore });
      const { responses, closed } = await converse(server.port, [head('POST', framing), ...packets], {
        responses: Infinity,
      });
      assert.deepEqual([responses.map(({ body }) => body), closed], [['/'], true]);
      assert.equal(responses[0]?.headers['connection'], 'close');
      assert.deepEqual(
        server.requests.map(({ target }) => target),
        ['/'],
      );
    });
  }

  it('[URL-8] is discarded when it arrived completely before the 413', async () => {
    await using server = await fakeServer();
    const request = `${head('POST', CHUNKED)}3e9\r\n${'a'.repeat(1_001)}\r\n0\r\n\r\n`;
    const responses = await sendRaw(server.port, [request + NEXT, NEXT], { responses: 3 });
    assert.deepEqual(
      responses.map(({ status }) => status),
      [413, 200, 200],
    );
  });

  it('[ERR-1] gets one response when it is too large and then malformed', async () => {
    await using server = await fakeServer();
    const request = `${head('POST', CHUNKED)}3e9\r\n${'a'.repeat(1_001)}\r\nzz\r\n`;
    const { responses, closed } = await converse(server.port, [request + NEXT], { responses: Infinity });
    assert.deepEqual([responses.map(({ status }) => status), closed, server.requests.length], [[413], true, 1]);
  });

  it('[URL-8] closes the connection when it was rejected before its end', async () => {
    await using server = await fakeServer({
      handle: async ({ body }) => {
        await body?.read(10);
        throw apiError('SERVER_ERROR', 'not reached');
      },
    });
    const packets = [head('POST', CHUNKED), `b\r\n${'a'.repeat(11)}\r\n`, `0\r\n\r\n${NEXT}`];
    const { responses, closed } = await converse(server.port, packets, { responses: Infinity });
    assert.deepEqual([responses.map(({ status }) => status), closed, server.requests.length], [[413], true, 1]);
  });

  it('[URL-8] closes the connection after a chunked body in HTTP/1.0', async () => {
    await using server = await fakeServer({ handle: ignore });
    const request = head('POST', CHUNKED, 'Connection: keep-alive').replace('1.1', '1.0');
    const { responses, closed } = await converse(server.port, [`${request}0\r\n\r\n${NEXT}`], { responses: Infinity });
    assert.deepEqual([responses.length, responses[0]?.headers['connection'], closed], [1, 'close', true]);
  });
});

/**
 * A client that reads only after it has sent everything.
 *
 * @returns the status, and whether it arrived without a reset
 */
function sendsThenReads(port: number, packets: readonly (string | Uint8Array)[]): Promise<[number, boolean]> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1' }).pause();
    socket.setTimeout(5_000, () => socket.destroy(new Error('no response')));
    socket.on('error', reject);
    let text = '';
    socket.on('data', (packet) => {
      text += packet.toString('latin1');
    });
    socket.pause();
    socket.on('close', () => resolve([Number(text.slice(9, 12)), text.includes('REQUEST_BODY_TOO_LARGE')]));
    for (const packet of packets.slice(0, -1)) socket.write(packet);
    socket.write(packets.at(-1) ?? '', () => socket.resume());
  });
}
