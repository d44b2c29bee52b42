import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, it } from 'node:test';
import { buildApp as buildExpress } from '../../examples/embed/express.ts';
import { buildApp as buildFastify } from '../../examples/embed/fastify.ts';
import { buildHandler } from '../../examples/embed/fetch.ts';

const NOTE = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"text":"mounted"}' } as const;

function readCode(body: unknown): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, 'errorCode') : null;
}

/** Creates and reads a note, and requests a missing one. */
async function use(send: (path: string, init?: RequestInit) => Promise<Response>): Promise<void> {
  const made = await send('/api/v1/notes', NOTE);
  assert.equal(made.status, 201);
  const read = await send(made.headers.get('location') ?? '');
  assert.deepEqual(await read.json(), await made.json());
  const head = await send(made.headers.get('location') ?? '', { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text(), head.headers.get('etag')], [200, '', read.headers.get('etag')]);
  assert.equal((await send('/livez')).status, 200);
  const missing = await send('/api/v1/nothing');
  assert.deepEqual([missing.status, readCode(await missing.json())], [404, 'REQUEST_ROUTE_NOT_FOUND']);
  const lines = await send('/api/v1/notes', {
    ...NOTE,
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: `${NOTE.body}\n${NOTE.body}\n`,
  });
  assert.equal((await lines.text()).split('\n').length, 3);
}

describe('an embedded API', () => {
  it('is a plugin for Fastify, next to its routes', async () => {
    const app = await buildFastify(':memory:');
    const url = await app.listen({ port: 0 });
    await use((target, init) => fetch(url + target, init));
    assert.deepEqual(await (await fetch(`${url}/hello`)).json(), { hello: 'world' });
    assert.equal((await fetch(`${url}/nothing`)).status, 404);
    const invalid = await fetch(`${url}/api/v1/notes/%zz`);
    assert.deepEqual([invalid.status, readCode(await invalid.json())], [400, 'REQUEST_URI_INVALID']);
    const injected = await app.inject({ method: 'POST', url: '/api/v1/notes', payload: { text: 'injected' } });
    assert.equal(injected.statusCode, 201);
    await app.close();
  });

  it('is a middleware for Express, before its body parsers', async () => {
    const { app, close } = await buildExpress(':memory:');
    const server = app.listen(0);
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await use((target, init) => fetch(url + target, init));
    const echoed = await fetch(`${url}/echo`, { ...NOTE });
    assert.deepEqual(await echoed.json(), { text: 'mounted' });
    server.closeAllConnections();
    server.close();
    await close();
  });

  it('is a handler from Request to Response', async () => {
    const { handle, close } = await buildHandler(':memory:');
    await use((target, init) => handle(new Request(`http://localhost${target}`, init)));
    assert.equal(await (await handle(new Request('http://localhost/hello'))).text(), 'world');
    await close();
  });

  it('has the same code in the guide', () => {
    const root = path.join(import.meta.dirname, '..', '..');
    const guide = readFileSync(path.join(root, 'docs/guides/embedding.md'), 'utf8');
    for (const name of ['fastify', 'express', 'fetch']) {
      const example = readFileSync(path.join(root, `examples/embed/${name}.ts`), 'utf8');
      const [, body = ''] = /(?:\/\*\*.*?\*\/\n)(export async function .*?\n\}\n)/s.exec(example) ?? [];
      assert.ok(body !== '' && guide.includes(body), name);
    }
  });
});
