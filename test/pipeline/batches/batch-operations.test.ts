import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Observation } from '../../../src/observe/observation.ts';
import { bufferedBody } from '../../../src/exchange/handler.ts';
import { type ApiUnderTest, apiUnderTest, type ExchangeRow, rawRequest } from '../support/api-under-test.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

let shop: ApiUnderTest;
let opened: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
  opened = await apiUnderTest(SHOP, { open: true });
});
after(async () => {
  await shop.close();
  await opened.close();
});

describe('Host', () => {
  const hosts: readonly (readonly [host: string, status: number])[] = [
    ['localhost', 200],
    ['localhost:3000', 200],
    ['LOCALHOST:80', 200],
    ['shop.localhost', 200],
    ['127.0.0.1', 200],
    ['127.0.0.2:8080', 200],
    ['[::1]:3000', 200],
    ['evil.example', 400],
    ['localhost.evil.example', 400],
    ['evil-localhost', 400],
    ['127.0.0.1.evil.example', 400],
    ['128.0.0.1', 400],
    ['0.0.0.0', 400],
    ['[::]', 400],
    ['192.168.0.1:3000', 400],
    ['[::ffff:10.0.0.1]', 400],
    ['2130706433', 400],
    ['0x7f.0.0.1', 400],
    ['127.1', 400],
  ];
  for (const [host, status] of hosts) {
    it(`[AUTH-7] ${host} is ${status} on a loopback-only server`, async () => {
      for (const send of ['GET /api/v1/notes', 'GET /livez', 'GET http://localhost/api/v1/notes']) {
        const { body } = await shop.row({ send, headers: { Host: host }, status });
        if (status === 400) assert.equal(body['errorCode'], 'REQUEST_HEADER_INVALID');
      }
    });

    it(`[AUTH-7] ${host} is accepted with allowAnyHost`, async () => {
      await opened.row({ send: 'GET /api/v1/notes', headers: { Host: host }, status: 200 });
    });
  }

  for (const host of ['', 'a b', 'a@b', 'a/b', 'localhost:x', 'localhost:99999', '[::1', 'http://localhost']) {
    it(`[URL-8] ${JSON.stringify(host)} is invalid, also with allowAnyHost`, async () => {
      const has = { errorCode: 'REQUEST_HEADER_INVALID' };
      await opened.row({ send: 'GET /api/v1/notes', headers: { Host: host }, status: 400, has });
    });
  }

  it('[URL-8] may be missing in HTTP/1.0 only, and must not repeat', async () => {
    for (const [headers, httpVersion, status] of [
      [[], '1.1', 400],
      [[], '1.0', 200],
      [['Host', 'localhost', 'host', 'localhost'], '1.1', 400],
      [['Host', 'localhost', 'Host', 'evil.example'], '1.0', 400],
    ] as const) {
      const request = { ...rawRequest({ send: 'GET /api/v1/notes' }), headers, httpVersion };
      assert.equal((await shop.api.handle(request)).status, status);
    }
  });
});

describe('health', () => {
  it('[OPS-2a] reports liveness and readiness as JSON, to any client', async () => {
    for (const path of ['/livez', '/readyz']) {
      const expectHeaders = { 'Cache-Control': 'no-store', 'Content-Type': 'application/json' };
      await shop.row({ send: `GET ${path}`, status: 200, expectHeaders, expectBody: { status: 'ok' } });
      await shop.row({ send: `GET ${path}?probe=1`, headers: { Accept: 'text/plain' }, status: 200, expectHeaders });
      await shop.row({ send: `HEAD ${path}`, status: 200, expectHeaders });
      await shop.row({ send: `POST ${path}`, status: 405, expectHeaders: { Allow: 'GET, HEAD, OPTIONS' } });
      await shop.row({ send: `OPTIONS ${path}`, status: 204, expectHeaders: { Allow: 'GET, HEAD, OPTIONS' } });
    }
  });

  it('[OPS-2a] is alive but not ready when the server should get no traffic', async () => {
    let reason: string | null = 'overload';
    await using busy = await apiUnderTest(SHOP, { unready: () => reason });
    const has = { errorCode: 'SERVER_UNAVAILABLE' };
    await busy.row({ send: 'GET /readyz', status: 503, has, expectHeaders: { 'Retry-After': /^[0-9]+$/ } });
    await busy.row({ send: 'GET /livez', status: 200 });
    await busy.row({ send: 'GET /api/v1/notes', status: 200 });
    reason = null;
    await busy.row({ send: 'GET /readyz', status: 200 });
  });

  it('[OPS-2a] is not ready when the database cannot be read, without the reason', async () => {
    const cause = new Error('SELECT 1 failed at /var/lib/shop.db');
    const ping = (): never => {
      throw cause;
    };
    await using broken = await apiUnderTest(SHOP, {
      breaking: (store) => ({ ...store, rows: store.rows, secret: () => store.secret(), ping }),
    });
    const { text } = await broken.row({ send: 'GET /readyz', status: 503, has: { errorCode: 'SERVER_UNAVAILABLE' } });
    assert.doesNotMatch(text, /SELECT|var/);
    await broken.row({ send: 'GET /livez', status: 200 });
  });
});

type Exchange = Extract<Observation, { kind: 'request' }>;

/** The only observation of a request. */
async function observed(row: Pick<ExchangeRow, 'send' | 'headers' | 'body'>): Promise<Exchange> {
  const earlier = shop.observations.length;
  await shop.send(row);
  const exchanges = shop.observations.slice(earlier).filter((each): each is Exchange => each.kind === 'request');
  assert.equal(exchanges.length, 1);
  const [exchange] = exchanges;
  return exchange ?? assert.fail('no exchange was observed');
}

describe('the observation of a request', () => {
  it('[OPS-2d] has the request, its route and its result, once', async () => {
    const { id } = await create(shop, 'products', LAMP);
    const headers = {
      'X-Correlation-ID': 'mine',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    assert.deepEqual(await observed({ send: `GET /api/v1/products/${id}?x=1`, headers }), {
      kind: 'request',
      method: 'GET',
      target: `/api/v1/products/${id}`,
      route: '/api/products/{id}',
      status: 400,
      errorCode: 'REQUEST_PARAMETER_UNKNOWN',
      duration: 0,
      correlationId: 'mine',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      parentId: '00f067aa0ba902b7',
      sampled: true,
      version: '1.4.2',
      requestSize: 0,
      responseSize: null,
      traceState: null,
      scheme: 'http',
      stages: null,
    });
  });

  const routes: readonly (readonly [send: string, route: string | null])[] = [
    ['GET /api', '/api'],
    ['GET /api/v1', '/api'],
    ['GET /api/v1/notes', '/api/notes'],
    ['POST /api/v1/notes', '/api/notes'],
    ['GET /api/v1/order-items/x', '/api/order-items/{id}'],
    ['GET /api/v1/products/x/reviews', '/api/products/{product_id}/reviews'],
    ['GET /api/v1/products/x/reviews/y/comments/z', '/api/products/{product_id}/reviews/{review_id}/comments/{id}'],
    ['PURGE /api/v1/notes', null],
    ['TRACE /api/v1/notes/a', '/api/notes/{id}'],
    ['GET /livez', '/livez'],
    ['GET /readyz', '/readyz'],
    ['OPTIONS *', '*'],
    ['GET /nothing', null],
    ['GET /api/v9/notes', null],
    ['GET /api/v1/notes/', null],
  ];
  for (const [send, route] of routes) {
    it(`[OPS-2d] has a route pattern without data: ${send} is ${route}`, async () => {
      assert.equal((await observed({ send })).route, route);
    });
  }

  const hidden: readonly Pick<ExchangeRow, 'send' | 'headers' | 'body'>[] = [
    { send: 'GET /api/v1/notes?access_token=hidden' },
    { send: 'GET /api/v1/notes/?access_token=hidden' },
    { send: 'GET /api/v1/notes?access_token=hidden|' },
    { send: 'GET /api/v1/notes#access_token=hidden' },
    { send: 'GET http://user:hidden@localhost/api/v1/notes' },
    { send: 'CONNECT user:hidden@localhost:80' },
    { send: 'GET /api/v1/notes', headers: { Authorization: 'Bearer hidden', Cookie: 'session=hidden' } },
    { send: 'POST /api/v1/notes', body: { id: 'a', text: 'hidden' } },
    { send: 'POST /api/v1/notes', body: '{"hidden' },
    { send: 'POST /api/v1/notes', body: { hidden: 'hidden' } },
  ];
  for (const row of hidden) {
    it(`[OPS-2d] has no query, credentials or body: ${row.send}`, async () => {
      assert.doesNotMatch(JSON.stringify(await observed(row)), /hidden/);
    });
  }

  it('[OPS-2d] measures the duration in milliseconds with the injected clock', async () => {
    const bytes = new TextEncoder().encode('{"id":"slow"}');
    const raw = rawRequest({ send: 'POST /api/v1/notes', body: bytes });
    const read = (): Promise<Uint8Array> => {
      shop.clock.advance(1_250);
      return Promise.resolve(bytes);
    };
    await shop.api.handle({ ...raw, body: { ...bufferedBody(bytes), read } });
    const last = shop.observations.at(-1);
    assert.equal(last?.kind === 'request' ? last.duration : null, 1_250);
  });
});
