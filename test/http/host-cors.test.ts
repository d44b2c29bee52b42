import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import { after, before, describe, it } from 'node:test';
import fastifyCors from '@fastify/cors';
import expressCors from 'cors';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { cors as honoCors } from 'hono/cors';
import { frameworkErrors, restwright } from '../../src/http/fastify.ts';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { createListener } from '../../src/http/listener.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';

const APP = 'https://app.example.com';
const HOST_APP = 'https://host.example.com';
const NOTES =
  'resources: { notes: { id: client, schema: { type: object, properties: { text: { type: string } } } } }\n';
const PLAIN = `name: desk\nbase_path: /desk/api\n${NOTES}`;
const DECLARED = `name: desk\nbase_path: /desk/api\ncors: { origins: ['${APP}', '${HOST_APP}'], credentials: true }\n${NOTES}`;
const PATH = '/desk/api/v1/notes';

type Send = (path: string, headers: Readonly<Record<string, string>>, method?: string) => Promise<Response>;

/** An application with the CORS plugin of its framework, which allows one origin, and an API below a prefix. */
interface Application {
  readonly name: string;
  readonly open: (
    desk: ApiUnderTest,
    plugin: boolean,
  ) => Promise<{ readonly send: Send; readonly close: () => Promise<void> }>;
}

async function served(listener: RequestListener): ReturnType<Application['open']> {
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    send: (path, headers, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method, headers }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const applications: readonly Application[] = [
  {
    name: 'Express',
    open({ api }, plugin) {
      const app = express();
      if (plugin) app.use(expressCors({ origin: HOST_APP }));
      app.use('/desk', createListener(api));
      return served(app);
    },
  },
  {
    name: 'Fastify',
    async open({ api }, plugin) {
      const app = fastify({ frameworkErrors: frameworkErrors(api), forceCloseConnections: true });
      if (plugin) await app.register(fastifyCors, { origin: [HOST_APP] });
      await app.register(restwright, { api, prefix: '/desk' });
      const url = await app.listen({ host: '127.0.0.1', port: 0 });
      const send: Send = (path, headers, method = 'GET') => fetch(`${url}${path}`, { method, headers });
      return { send, close: () => app.close() };
    },
  },
  {
    name: 'Hono',
    open({ api }, plugin) {
      const app = new Hono();
      if (plugin) app.use('/desk/*', honoCors({ origin: [HOST_APP] }));
      const handle = createFetchHandler(api, plugin ? { cors: false } : {});
      app.all('/desk/api/*', (context) => handle(context.req.raw));
      const send: Send = async (path, headers, method = 'GET') =>
        app.request(`http://localhost${path}`, { method, headers });
      return Promise.resolve({ send, close: () => Promise.resolve() });
    },
  },
  {
    name: 'node:http',
    open({ api }, plugin) {
      const listener = createListener(api);
      return served((request, response) => {
        if (plugin) response.setHeader('Vary', 'Origin');
        if (plugin && request.headers.origin === HOST_APP) response.setHeader('Access-Control-Allow-Origin', HOST_APP);
        listener(request, response);
      });
    },
  },
];

const preflight = (origin: string) => ({ Origin: origin, 'Access-Control-Request-Method': 'PATCH' });
const names = (text: string | null): readonly string[] => (text ?? '').split(/,\s*/).toSorted();
const VARY = ['Accept', 'Accept-Encoding', 'Origin', 'Prefer'];

let plain: ApiUnderTest;
let declared: ApiUnderTest;
before(async () => {
  plain = await apiUnderTest(PLAIN);
  declared = await apiUnderTest(DECLARED);
});
after(async () => {
  await plain.close();
  await declared.close();
});

describe('CORS of a host application', () => {
  for (const { name, open } of applications) {
    for (const path of [PATH, `${PATH}/none`, '/desk/api']) {
      it(`[OPS-3a, AUTH-7] keeps its fields, and Vary is merged: ${name} ${path}`, async () => {
        const { send, close } = await open(plain, true);
        const { headers } = await send(path, { Origin: HOST_APP });
        await close();
        assert.equal(headers.get('access-control-allow-origin'), HOST_APP);
        const vary = names(headers.get('vary'));
        assert.deepEqual(vary, path === '/desk/api' ? ['API-Version', ...VARY].toSorted() : VARY);
      });
    }

    it(`[OPS-3a] decides where the model declares cors too, and no field is doubled: ${name}`, async () => {
      const { send, close } = await open(declared, true);
      const { headers, status } = await send(PATH, { Origin: HOST_APP });
      await close();
      assert.equal(status, 200);
      assert.equal(headers.get('access-control-allow-origin'), HOST_APP);
      assert.equal(headers.get('access-control-allow-credentials'), null);
      assert.equal(headers.get('access-control-expose-headers'), null);
      assert.deepEqual(names(headers.get('vary')), VARY);
    });
  }
});

describe('cors of the model, on a mount below a prefix', () => {
  for (const { name, open } of applications) {
    it(`[OPS-3a, NEG-3b] is served: ${name}`, async () => {
      const { send, close } = await open(declared, false);
      const data = await send(PATH, { Origin: APP });
      const missing = await send(`${PATH}/none`, { Origin: APP });
      const allowed = await send(PATH, preflight(APP), 'OPTIONS');
      const other = await send(PATH, preflight('https://evil.example'), 'OPTIONS');
      await close();
      assert.deepEqual([data.status, missing.status, allowed.status, other.status], [200, 404, 204, 204]);
      for (const { headers } of [data, missing, allowed]) {
        assert.equal(headers.get('access-control-allow-origin'), APP);
        assert.equal(headers.get('access-control-allow-credentials'), 'true');
        assert.match(headers.get('access-control-expose-headers') ?? '', /\bETag\b/);
        assert.deepEqual(names(headers.get('vary')), VARY);
      }
      assert.equal(allowed.headers.get('access-control-allow-methods'), 'GET, HEAD, QUERY, POST, OPTIONS');
      assert.equal(other.headers.get('access-control-allow-origin'), null);
    });
  }

  it('[URL-1] names the base path that a prefix of Fastify needs', async () => {
    const app = fastify().register(restwright, { api: plain.api, prefix: '/shop' });
    await assert.rejects(async () => app.ready(), /set base_path of the model to \/shop\/desk\/api/);
  });
});
