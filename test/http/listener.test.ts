import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { createListener, type Listener } from '../../src/http/listener.ts';
import type { MountedApi } from '../../src/http/mounted-api.ts';
import type { ApiResponse, RawRequest } from '../../src/exchange/handler.ts';
import { limits, refuse } from './fake-server.ts';
import { sendRaw } from './raw-client.ts';

const END = '\r\nHost: a\r\n\r\n';

interface Mounted extends AsyncDisposable {
  readonly port: number;
}

/** A server of `node:http` with an API that echoes. @param around a middleware before it */
async function mounted(
  around: (listener: Listener, request: IncomingMessage, response: ServerResponse) => void,
  handle: (request: RawRequest) => ApiResponse | Promise<ApiResponse> = echo,
): Promise<Mounted> {
  const api: MountedApi = { handle, refuse, model: { basePath: '', limits } };
  const listener = createListener(api);
  const server = createServer((request, response) => around(listener, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function echo({ target, body }: RawRequest): Promise<ApiResponse> {
  return { status: 200, headers: [], body: (await body?.read(1_000)) ?? target };
}

describe('createListener', () => {
  it('[LIM-1] reads a body that arrived in several packets before the listener was called', async () => {
    await using server = await mounted((listener, request, response) => {
      const ask = (): void => {
        if (request.method === 'GET' || request.readableLength === 6) listener(request, response);
        else setImmediate(ask);
      };
      ask();
    });
    const packets = [
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc`,
      'de',
      'f',
      `GET /next HTTP/1.1${END}`,
    ];
    const responses = await sendRaw(server.port, packets, { responses: 2 });
    assert.deepEqual(
      responses.map(({ body }) => body),
      ['abcdef', '/next'],
    );
  });

  for (const [how, packets] of [
    ['with its head', ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc']],
    ['after it', ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n', 'a', 'bc']],
  ] as const) {
    it(`emits the end of a request whose body arrived ${how}`, async () => {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      await using server = await mounted((listener, request, response) => {
        request.once('close', resolve);
        listener(request, response);
      });
      await Promise.all([sendRaw(server.port, packets), ended]);
    });
  }

  it('sends the other responses of a batch where one cannot be sent', async () => {
    const held: (() => void)[] = [];
    await using server = await mounted(
      (listener, request, response) => {
        if (request.url === '/broken') {
          response.writeHead = () => {
            throw new Error('broken by a framework');
          };
        }
        listener(request, response);
      },
      ({ target }) =>
        new Promise((resolve) => {
          held.push(() => resolve({ status: 200, headers: [], body: target }));
          if (held.length === 3) for (const release of held) release();
        }),
    );
    const broken = sendRaw(server.port, [`GET /broken HTTP/1.1${END}`], { responses: Infinity });
    const others = ['/one', '/two'].map((target) => sendRaw(server.port, [`GET ${target} HTTP/1.1${END}`]));
    const responses = await Promise.all(others);
    assert.deepEqual(
      responses.map(([response]) => response?.body),
      ['/one', '/two'],
    );
    assert.deepEqual(await broken, []);
  });
});
