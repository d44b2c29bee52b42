import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { describe, it } from 'node:test';
import { apiError } from '../../src/conventions/errors.ts';
import type { ApiResponse, BodyStream, RawRequest } from '../../src/exchange/handler.ts';
import { fakeServer } from './fake-server.ts';

const streamed = (body: BodyStream): ApiResponse => ({ status: 200, headers: ['Content-Type', 'text/plain'], body });

async function* pieces(...texts: readonly string[]): BodyStream & AsyncGenerator<string> {
  for (const text of texts) yield await Promise.resolve(text);
}

/** All bytes that the server sends until the connection closes. */
async function bytesAfter(port: number, sent: string): Promise<string> {
  const socket = net.connect(port, '127.0.0.1');
  socket.write(sent);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Echoes each chunk of a body as it arrives. */
function echo({ body }: RawRequest): ApiResponse {
  return streamed(
    (async function* echoed() {
      for await (const chunk of body?.chunks() ?? []) yield Buffer.from(chunk).toString();
    })(),
  );
}

describe('a streamed response', () => {
  it('[MET-13] is sent in chunks, and the connection stays open', async () => {
    await using server = await fakeServer({ handle: () => streamed(pieces('a', 'bc')) });
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
    const response = await bytesAfter(
      server.port,
      request + request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    );
    assert.equal(response.match(/Transfer-Encoding: chunked/gi)?.length, 2);
    assert.equal(response.match(/(?:1\r\na\r\n2\r\nbc|3\r\nabc)\r\n0\r\n\r\n/g)?.length, 2);
  });

  it('[ERR-1] ends without the last chunk where it fails', async () => {
    const broken = async function* broken(): BodyStream & AsyncGenerator<string> {
      yield await Promise.resolve('begun');
      throw apiError('REQUEST_BODY_MALFORMED', 'It broke off.');
    };
    await using server = await fakeServer({ handle: () => streamed(broken()) });
    const response = await bytesAfter(server.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.match(response, /5\r\nbegun\r\n$/);
  });

  it('[MET-13] stops once the client has disconnected', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const endless = async function* endless(): BodyStream & AsyncGenerator<string> {
      try {
        for (;;) yield await Promise.resolve('x'.repeat(65_536));
      } finally {
        resolve();
      }
    };
    await using server = await fakeServer({ handle: () => streamed(endless()) });
    const socket = net.connect(server.port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    await promise;
  });
});

describe('a streamed body', () => {
  it('[MET-13] gets a response while it is still being sent', async () => {
    await using server = await fakeServer({ handle: echo });
    const request = http.request({ port: server.port, method: 'POST' });
    request.write('first');
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const [first] = (await once(response, 'data')) as [Buffer];
    assert.equal(first.toString(), 'first');
    request.end('second');
    const rest: Buffer[] = [];
    for await (const chunk of response) rest.push(chunk as Buffer);
    assert.equal(Buffer.concat(rest).toString(), 'second');
  });

  it('[URL-8] gets 100 Continue before the head of the response', async () => {
    await using server = await fakeServer({ handle: echo });
    const socket = net.connect(server.port, '127.0.0.1');
    socket.write(
      'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    assert.equal(first.toString(), 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('1\r\na\r\n0\r\n\r\n');
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 200 OK\r\n.*\r\n1\r\na\r\n0\r\n\r\n$/s);
  });

  it('[ERR-1] gets an error response where it fails before the first chunk of the response', async () => {
    const failing = async function* failing(): BodyStream & AsyncGenerator<string> {
      await Promise.resolve();
      yield* [];
      throw apiError('REQUEST_BODY_MALFORMED', 'It broke off.');
    };
    await using server = await fakeServer({ handle: () => streamed(failing()) });
    assert.match(
      await bytesAfter(server.port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
      /^HTTP\/1\.1 400 /,
    );
  });

  it('[MET-13] is read no faster than its response is (backpressure)', async () => {
    let read = 0;
    const counting = ({ body }: RawRequest): ApiResponse =>
      streamed(
        (async function* counted() {
          for await (const chunk of body?.chunks() ?? []) {
            read += chunk.length;
            yield 'x'.repeat(chunk.length);
          }
        })(),
      );
    await using server = await fakeServer({ handle: counting });
    const socket = net.connect(server.port, '127.0.0.1');
    socket.pause();
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'y'.repeat(65_536)}\r\n`;
    for (let sent = 0; sent < 1_000; sent++) socket.write(chunk);
    let before = -1;
    while (read !== before) {
      before = read;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // The buffers of both sockets hold this much, far from the 64 MB that were sent.
    assert.ok(read < 32_000_000, `${read} bytes were read, though the client does not read the response`);
    socket.destroy();
  });

  it('[LIM-1] has a timeout for pauses, and none in all', async () => {
    await using server = await fakeServer({ handle: echo, limits: { requestTimeout: 300 } });
    const socket = net.connect(server.port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    let received = '';
    socket.on('data', (data: Buffer) => (received += data.toString()));
    for (let sent = 0; sent < 6; sent++) {
      socket.write('1\r\na\r\n');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.equal(received.match(/1\r\na\r\n/g)?.length, 6);
    await once(socket, 'close');
    assert.doesNotMatch(received, /0\r\n\r\n$/);
  });

  it('[LIM-1] has a timeout in all where it is buffered', async () => {
    await using server = await fakeServer({
      handle: async ({ body }) => streamed(pieces(String((await body?.read(100))?.length))),
      limits: { requestTimeout: 300 },
    });
    const socket = net.connect(server.port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    const drip = setInterval(() => socket.write('1\r\na\r\n'), 50);
    const [data] = (await once(socket, 'data')) as [Buffer];
    clearInterval(drip);
    assert.match(data.toString(), /^HTTP\/1\.1 408 /);
    socket.destroy();
  });
});
