import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create, SHOP } from '../models/shop-model.ts';

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
});
after(() => shop.close());

let made = 0;
/** Creates a new product. */
async function product(more: object = {}): Promise<Awaited<ReturnType<typeof create>>> {
  made += 1;
  return create(shop, 'products', { sku: `head-${made}`, name: `Lamp ${made}`, price: '5', ...more });
}

describe('HEAD', () => {
  it('[MET-5] has the status and the header fields of GET', async () => {
    const { id, headers: of } = await product();
    const tag = of.get('etag') ?? '';
    const requests: readonly (readonly [target: string, status: number, headers?: Record<string, string>])[] = [
      [`/api/v1/products/${id}`, 200],
      [`/api/products/${id}?api_version=1`, 200],
      ['/api/v1/products?sort=name&limit=1', 200],
      ['/api/v1/products?page=1&limit=1', 200],
      [`/api/v1/products/${id}/reviews`, 200],
      ['/api/v1', 200],
      ['/livez', 200],
      ['/readyz', 200],
      [`/api/v1/products/${id}`, 304, { 'If-None-Match': tag }],
      [`/api/v1/products/${id}`, 412, { 'If-Match': '"0"' }],
      ['/api/v1/products/missing', 404],
      ['/api/v1/products?limit=0', 400],
      ['/api/v1/products', 406, { Accept: 'image/png' }],
      ['/api/v1/products/', 308],
    ];
    const correlated = { 'X-Correlation-ID': 'same' };
    for (const [target, status, more] of requests) {
      const headers = { ...correlated, ...more };
      const got = await shop.row({ send: `GET ${target}`, headers, status });
      const head = await shop.row({ send: `HEAD ${target}`, headers, status });
      assert.deepEqual(Object.fromEntries(head.headers), Object.fromEntries(got.headers), target);
    }
  });

  it('[PAGE-2] has the links of a collection', async () => {
    await product();
    await product();
    await shop.row({
      send: 'HEAD /api/v1/products?page=1&limit=1',
      status: 200,
      expectHeaders: { Link: /rel="self".*rel="first".*rel="next".*rel="last"/ },
    });
  });
});

const JSON_TYPES = 'application/json, application/vnd.shop.v1+json';
const COLLECTION = 'GET, HEAD, QUERY, POST, OPTIONS';
const ITEM = 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS';
const READ = 'GET, HEAD, OPTIONS';

describe('OPTIONS', () => {
  const targets: readonly (readonly [target: string, allow: string, post: RegExp | null, patch: RegExp | null])[] = [
    ['/api/v1/products', COLLECTION, /^application\/json\b/, null],
    ['/api/products', COLLECTION, /^application\/json\b/, null],
    ['/api/v1/products/1/reviews', COLLECTION, /^application\/json\b/, null],
    ['/api/v1/products/1', ITEM, null, /application\/merge-patch\+json, application\/json-patch\+json/],
    ['/api/v1/notes/1', ITEM, null, /application\/merge-patch\+json/],
    ['/api/v1', READ, null, null],
    ['/api', READ, null, null],
    ['/livez', READ, null, null],
  ];
  for (const [target, allow, post, patch] of targets) {
    it(`[MET-5] of ${target} returns 204 with the supported methods and types`, async () => {
      const { text } = await shop.row({
        send: `OPTIONS ${target}`,
        status: 204,
        expectHeaders: { Allow: allow, 'Accept-Post': post, 'Accept-Patch': patch, 'Content-Type': null },
      });
      assert.equal(text, '');
    });
  }

  it('[MET-5] of * lists the methods of all targets', async () => {
    const { headers } = await shop.row({ send: 'OPTIONS *', status: 204 });
    assert.deepEqual(headers.get('allow')?.split(', ').toSorted(), [...ITEM.split(', '), 'POST', 'QUERY'].toSorted());
  });

  it('[MET-5] lists only accepted media types', async () => {
    const { id } = await product();
    for (const type of JSON_TYPES.split(', ')) {
      const headers = { 'Content-Type': type };
      await shop.row({ send: `PATCH /api/v1/products/${id}`, headers, body: {}, status: 200 });
    }
  });
});

describe('an unsupported method', () => {
  const rows: readonly (readonly [methods: readonly string[], target: string, allow: string])[] = [
    [['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'], '/api/v1/products', COLLECTION],
    [['POST', 'TRACE', 'QUERY', 'MOVE'], '/api/v1/products/1', ITEM],
    [['POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'], '/api/v1', READ],
    [['POST', 'DELETE'], '/livez', READ],
    [['PUT', 'PATCH', 'DELETE'], '/api/v1/products/missing/reviews', COLLECTION],
  ];
  for (const [methods, target, allow] of rows) {
    it(`[MET-6] is 405 with the supported methods: ${methods.join(', ')} of ${target}`, async () => {
      for (const method of methods) {
        const { body } = await shop.row({
          send: `${method} ${target}`,
          status: 405,
          expectHeaders: { Allow: allow },
          has: { errorCode: 'REQUEST_METHOD_NOT_ALLOWED' },
        });
        assert.ok(body['errorMessage'].includes(allow), '[ERR-4] the message holds the fix');
      }
    });
  }

  for (const method of ['FETCH', 'get', 'Get', 'PURGE', 'X', "M-Y_%'*"]) {
    it(`[MET-6] is 501 if it is unknown: ${method}`, async () => {
      const has = { errorCode: 'REQUEST_METHOD_NOT_IMPLEMENTED' };
      for (const target of ['/api/v1/products', '/nowhere'])
        await shop.row({ send: `${method} ${target}`, status: 501, has });
    });
  }
});
