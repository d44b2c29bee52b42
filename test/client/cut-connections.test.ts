import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { failure } from './failure.ts';
import type { model } from './shop.ts';

/** A server that answers with raw bytes and ends the connection. */
async function rawServer(context: TestContext, ...responses: readonly string[]): Promise<string> {
  const left = [...responses];
  const server = http.createServer((request) => {
    request.resume();
    request.socket.end(left.shift() ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => server.close());
  const address = server.address();
  return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
}

const WHOLE = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n{"id":"1"}';

describe('a cut connection', () => {
  const platform = { wait: async () => undefined };

  it('is repeated, before the response and within it', async (context) => {
    const url = await rawServer(context, '', WHOLE.slice(0, -4), WHOLE);
    assert.equal((await createClient<typeof model>({ url, platform }).notes.get('1')).id, '1');
  });

  it('is an error with its cause', async (context) => {
    const url = await rawServer(context, WHOLE.slice(0, -4));
    const error = await failure(createClient<typeof model>({ url, platform, retries: 0 }).notes.get('1'));
    assert.deepEqual([error.kind, error.status], ['CLIENT_CONNECTION_FAILED', 0]);
    assert.ok(error.cause instanceof Error);
  });
});
