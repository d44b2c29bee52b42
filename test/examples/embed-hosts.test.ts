import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import * as prefixed from '../../examples/embed/prefix.ts';
import * as guarded from '../../examples/embed/protected.ts';
import { type Api, loadModel, startApi, type StartedApi } from '../../src/index.ts';
import { serveHost } from '../http/host-server.ts';
import { sendRaw } from '../http/raw-client.ts';

const NOTE = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"text":"mounted"}' } as const;
const TOKEN = 'a token';

/** An empty API, without the warning of a mount. */
function opened(basePath: string): Promise<StartedApi> {
  const resources = { notes: { schema: { type: 'object', properties: { text: { type: 'string' } } } } };
  const { model } = loadModel({ text: JSON.stringify({ name: 'notes', base_path: basePath, resources }) });
  return startApi({ model, database: ':memory:', observe: () => undefined });
}

type Send = (target: string, init?: RequestInit) => Promise<Response>;

/** Creates a note below the prefix, follows the links of the responses, and opens the page of the API. */
async function use(send: Send): Promise<void> {
  const created = await send('/shop/api/v1/notes', NOTE);
  assert.equal(created.status, 201);
  const { links } = (await created.json()) as {
    readonly links: { readonly self: string; readonly collection: string };
  };
  assert.match(links.self, /^\/shop\/api\/v1\/notes\/.+$/);
  assert.equal((await send(links.self)).status, 200);
  assert.equal((await send(links.collection)).status, 200);
  const page = await send('/shop/api', { headers: { Accept: 'text/html' } });
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<a href="\/shop\/docs">/);
  const documentation = await send('/shop/docs');
  assert.match(await documentation.text(), /^<!doctype html>.* data-path="\/shop\/api\/v1\/notes"/is);
  assert.equal((await send('/shop/openapi.json')).status, 200);
}

/** Starts each application of the example. */
const PREFIXED: Readonly<Record<string, (api: Api, stack: AsyncDisposableStack) => Promise<Send>>> = {
  async Express(api, stack) {
    return sendTo(stack.use(await serveHost(prefixed.expressApp(api))));
  },
  async Fastify(api, stack) {
    const app = prefixed.fastifyApp(api);
    stack.defer(() => app.close());
    return sendTo({ port: Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port) });
  },
  async Hono(api) {
    const app = prefixed.honoApp(api);
    return async (target, init) => app.request(`http://localhost${target}`, init);
  },
  async 'node:http'(api, stack) {
    const server = prefixed.nodeServer(api);
    return sendTo(stack.use(await serveHost((request, response) => server.emit('request', request, response))));
  },
};

function sendTo({ port }: { readonly port: number }): Send {
  return (target, init) => fetch(`http://127.0.0.1:${port}${target}`, init);
}

describe('an API below a prefix', () => {
  for (const [name, start] of Object.entries(PREFIXED)) {
    it(`[URL-1] is served with links that have the prefix: ${name}`, async () => {
      await using stack = new AsyncDisposableStack();
      const { api } = stack.use(await opened('/shop/api'));
      await use(await start(api, stack));
    });
  }
});

/** Ways to write the target of the collection, of which clients may try each. */
const TARGETS = [
  '/api/v1/notes',
  '//api/v1/notes',
  '/%61pi/v1/notes',
  '/API/v1/notes',
  'http://127.0.0.1/api/v1/notes',
  '/api/v1/../v1/notes',
  '/x/..%2fapi/v1/notes',
];

describe('an API behind a hook that checks a token', () => {
  for (const name of ['expressApp', 'fastifyApp'] as const) {
    it(`gives nothing to clients without the token, however they write the path: ${name}`, async () => {
      await using stack = new AsyncDisposableStack();
      const { api } = stack.use(await opened('/api'));
      let port = 0;
      if (name === 'fastifyApp') {
        const app = guarded.fastifyApp(api, TOKEN);
        stack.defer(() => app.close());
        port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
      } else {
        port = stack.use(await serveHost(guarded.expressApp(api, TOKEN))).port;
      }
      const get = async (target: string, field = '') => {
        const [answer] = await sendRaw(port, [`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${field}\r\n`]);
        return answer?.status ?? 0;
      };
      for (const target of TARGETS) assert.notEqual(await get(target), 200, target);
      assert.deepEqual([await get('/hello'), await get('/api/v1/notes')], [200, 401]);
      assert.equal(await get('/api/v1/notes', 'Authorization: Bearer no token\r\n'), 401);
      assert.equal(await get('/api/v1/notes', `Authorization: Bearer ${TOKEN}\r\n`), 200);
    });
  }
});

describe('the guide to embedding', () => {
  const root = path.join(import.meta.dirname, '..', '..');
  const guide = readFileSync(path.join(root, 'docs/guides/embedding.md'), 'utf8');

  for (const [file, beginning] of [
    ['prefix', 'export function '],
    ['protected', 'function hasToken'],
  ] as const)
    it(`has the same code as the example: ${file}`, () => {
      const example = readFileSync(path.join(root, `examples/embed/${file}.ts`), 'utf8');
      assert.ok(guide.includes(example.slice(example.indexOf(beginning))));
    });
});
