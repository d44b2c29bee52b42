import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import express from 'express';
import fastify from 'fastify';
import { frameworkErrors, restwright } from '../../src/http/fastify.ts';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { createListener } from '../../src/http/listener.ts';
import { serveHttp } from '../../src/http/serve-http.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { type HostServer, serveHost } from './host-server.ts';
import { sendRaw } from './raw-client.ts';

const MODEL = `
name: desk
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

/** Header fields that a host application sets before the API responds. */
const HOST_FIELDS: Readonly<Record<string, string>> = {
  Vary: 'Origin, accept',
  'Access-Control-Allow-Origin': 'https://app.example.com',
  'Strict-Transport-Security': 'max-age=1',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  Link: '</style.css>; rel="preload"',
  ETag: '"of the host"',
  'Content-Type': 'text/html',
};

function expressApp({ api }: ApiUnderTest, hosts?: readonly string[]): Promise<HostServer> {
  const app = express();
  app.use((_request, response, next) => {
    response.set(HOST_FIELDS);
    next();
  });
  app.use(createListener(api, hosts === undefined ? {} : { hosts }));
  return serveHost(app);
}

async function fastifyApp({ api }: ApiUnderTest, hosts?: readonly string[]): Promise<HostServer> {
  const options = hosts === undefined ? {} : { hosts };
  const app = fastify({ frameworkErrors: frameworkErrors(api, options), forceCloseConnections: true });
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(HOST_FIELDS);
    done();
  });
  app.register(restwright, { api, ...options });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { port: Number(new URL(url).port), [Symbol.asyncDispose]: () => app.close() };
}

const applications = [
  ['Express', expressApp],
  ['Fastify', fastifyApp],
] as const;

function get(host: string, target = '/api/v1/notes'): string {
  return `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
}

let desk: ApiUnderTest;
before(async () => {
  desk = await apiUnderTest(MODEL);
});
after(() => desk.close());

describe('the Host of a mount', () => {
  for (const [name, application] of applications) {
    it(`[AUTH-7] is for the application to decide: ${name}`, async () => {
      await using app = await application(desk);
      for (const host of ['api.example.com', 'localhost', '10.0.0.1:80']) {
        const [response] = await sendRaw(app.port, [get(host)]);
        assert.equal(response?.status, 200, host);
      }
    });

    it(`[AUTH-7] is one of its option hosts: ${name}`, async () => {
      await using app = await application(desk, ['API.example.com', '[::1]:8080']);
      for (const [host, status] of [
        ['api.example.com', 200],
        ['api.EXAMPLE.com:8080', 200],
        ['[::1]:8080', 200],
        ['[::1]:8081', 400],
        ['localhost', 400],
        ['evil.example', 400],
        ['api.example.com.evil.example', 400],
      ] as const) {
        const [response] = await sendRaw(app.port, [get(host)]);
        assert.equal(response?.status, status, host);
      }
    });
  }

  it('[AUTH-7] is one of its option hosts: fetch', async () => {
    const handle = createFetchHandler(desk.api, { hosts: ['api.example.com'] });
    const status = async (url: string): Promise<number> => (await handle(new Request(url))).status;
    assert.equal(await status('https://api.example.com/api/v1/notes'), 200);
    assert.equal(await status('https://evil.example/api/v1/notes'), 400);
    const any = createFetchHandler(desk.api);
    assert.equal((await any(new Request('https://any.example/api/v1/notes'))).status, 200);
  });

  it('[AUTH-7] must be a host, not a URL', () => {
    assert.throws(() => createListener(desk.api, { hosts: ['https://api.example.com'] }), /is not a valid host/);
  });

  it('[AUTH-7] is a loopback name on our own server', async () => {
    const server = await serveHttp({ api: desk.api, port: 0 });
    const responses = await Promise.all(
      ['localhost', 'api.example.com'].map((host) => sendRaw(server.port, [get(host)])),
    );
    await server.close();
    assert.deepEqual(
      responses.map(([response]) => response?.status),
      [200, 400],
    );
  });
});

describe('header fields of a host application', () => {
  for (const [name, application] of applications) {
    for (const target of ['/api/v1/notes', '/api/v1/notes/none']) {
      it(`[AUTH-7] are kept, and Vary is merged: ${name} ${target}`, async () => {
        await using app = await application(desk);
        const [response] = await sendRaw(app.port, [get('localhost', target)]);
        const { headers = {} } = response ?? {};
        assert.equal(headers['vary'], 'Origin, Accept, Accept-Encoding, Prefer');
        assert.equal(headers['access-control-allow-origin'], 'https://app.example.com');
        assert.equal(headers['strict-transport-security'], 'max-age=1');
        assert.equal(headers['cache-control'], 'no-store');
        assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
        assert.match(headers['link'] ?? '', /^<\/style\.css>; rel="preload"/);
        assert.equal(headers['content-type'], 'application/json');
        assert.equal(headers['x-content-type-options'], 'nosniff');
      });
    }
  }
});

describe('a mount', () => {
  it('[AUTH-7] warns once, in words that say what is exposed', async () => {
    await using api = await apiUnderTest(MODEL);
    const warnings = (): number => api.observations.filter(({ kind }) => kind === 'mounted-without-auth').length;
    assert.equal(warnings(), 0);
    await using _express = await expressApp(api);
    await using _fastify = await fastifyApp(api);
    createFetchHandler(api.api);
    assert.equal(warnings(), 1);
  });

  it('[AUTH-7] does not warn on our own server, which is limited to loopback', async () => {
    await using api = await apiUnderTest(MODEL);
    await (await serveHttp({ api: api.api, port: 0 })).close();
    assert.deepEqual(
      api.observations.map(({ kind }) => kind),
      ['schema-changed'].filter((kind) => api.observations.some((each) => each.kind === kind)),
    );
  });

  for (const [type, body, parser] of [
    ['application/json', '{"id":"a"}', 'express.json()'],
    ['application/x-www-form-urlencoded', 'id=a', 'express.urlencoded()'],
    ['text/plain', 'a', 'express.text()'],
  ] as const) {
    it(`[ERR-7] names a body parser that ran before it: ${parser}`, async () => {
      await using api = await apiUnderTest(MODEL);
      const app = express().use(express.json(), express.urlencoded({ extended: false }), express.text());
      await using server = await serveHost(app.use(createListener(api.api)));
      const response = await fetch(`http://127.0.0.1:${server.port}/api/v1/notes`, {
        method: 'POST',
        headers: { 'Content-Type': type },
        body,
      });
      const { errorCode, errorMessage } = JSON.parse(await response.text());
      assert.deepEqual([response.status, errorCode], [500, 'SERVER_ERROR']);
      assert.ok(errorMessage.startsWith(`A body parser, such as ${parser}, read the body before the API could.`));
      const errors = api.observations.flatMap((each) => (each.kind === 'error' ? [String(each.error)] : []));
      assert.match(errors.join('\n'), /Mount the API before body parsers/);
    });
  }

  it('[ERR-7] names a body that was read before it: fetch', async () => {
    const request = new Request('http://localhost/api/v1/notes', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    await request.text();
    const response = await createFetchHandler(desk.api)(request);
    assert.equal(response.status, 500);
    assert.match(await response.text(), /read the body before the API could/);
  });
});
