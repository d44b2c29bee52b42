import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create, parseIds, LAMP, SHOP } from '../models/shop-model.ts';

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
});
after(() => shop.close());

describe('the path of a URL', () => {
  const served: readonly string[] = [
    '/api',
    '/api/v1',
    '/api/products',
    '/api/v1/products',
    '/api/v1/order-items',
    '/api/v1/products?',
    'http://localhost:3000/api/v1/products',
    'https://elsewhere.example/api/v1/products',
  ];
  for (const target of served) {
    it(`[URL-1] serves ${target}`, async () => {
      await shop.row({ send: `GET ${target}`, status: 200 });
    });
  }

  const nowhere: readonly string[] = [
    '/apis/v1/products',
    '/API/v1/products',
    '/api/V1/products',
    '/api/v1/Products',
    '/api/v1/product',
    '/api/v1/order_items',
    '/api/v1/order-itemz',
    '/api/v1/reviews',
    '/api/v1/products/1/comments',
    '/api/v1/products/1/suppliers',
    '/api/v1/products/1/reviews/2/comments/3/notes',
    '/api/v1/v1/products',
    '/api/v1/products%2F1',
    '/api%2Fv1/products',
    '/api/v1/../v1/products',
    '/api/v1/%2E/products',
    '/v1/products',
    '/products',
    '/livez/x',
    '/api/livez',
  ];
  for (const target of nowhere) {
    it(`[URL-1] is 404 for ${target}, with a hint at the root`, async () => {
      const { body } = await shop.row({
        send: `GET ${target}`,
        status: 404,
        has: { errorCode: 'REQUEST_ROUTE_NOT_FOUND', details: [] },
      });
      assert.match(String(body['errorMessage']), /GET \/api /);
    });
  }

  const twice: readonly (readonly [target: string, canonical: string])[] = [
    ['/api/', '/api'],
    ['/api/v1/', '/api/v1'],
    ['/api/v1/products/', '/api/v1/products'],
    ['/api/v1/products//', '/api/v1/products'],
    ['/api//v1///products', '/api/v1/products'],
    ['/api/v1/products/1/', '/api/v1/products/1'],
    ['/api/v1/products/?category=a%20b&x=%2F', '/api/v1/products?category=a%20b&x=%2F'],
    ['/api/v1/notes/a%2Fb/', '/api/v1/notes/a%2Fb'],
    ['//evil.example/api', '/evil.example/api'],
    ['http://evil.example//api', '/api'],
    ['/%61pi/v1/p%72oducts', '/api/v1/products'],
    ['/api/v1/notes/%78?text=%78', '/api/v1/notes/x?text=%78'],
    ['/%6civez', '/livez'],
    ['/livez/', '/livez'],
    ['/nothing/', '/nothing'],
  ];
  for (const [target, canonical] of twice) {
    it(`[URL-1] redirects ${target} to ${canonical} for any method`, async () => {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const { text } = await shop.row({
          send: `${method} ${target}`,
          status: 308,
          expectHeaders: { Location: canonical, 'Cache-Control': 'no-store', ETag: null },
        });
        assert.equal(text, '');
      }
    });
  }

  it('[URL-1] redirects to the public URL, where one is declared', async () => {
    await using other = await apiUnderTest(SHOP.replace('title: Shop', 'public_url: https://shop.example'));
    for (const target of ['/api/v1/products/?x=1', '/%61pi/v1/products?x=1']) {
      const expectHeaders = { Location: 'https://shop.example/api/v1/products?x=1' };
      await other.row({ send: `GET ${target}`, status: 308, expectHeaders });
    }
  });

  it('[URL-1] is the same for a resource with and without a version', async () => {
    const { id } = await create(shop, 'products', { ...LAMP, sku: 'address' });
    const send = `GET /api/products/${id}`;
    await shop.row({ send, status: 200, expectHeaders: { Link: `</api/v1/products/${id}>; rel="canonical"` } });
    await shop.row({ send: `GET /api/v1/products/${id}`, status: 200, expectHeaders: { Link: null } });
  });

  it('[URL-1] supports a base path of several segments, and /', async () => {
    for (const [base, path] of [
      ['/shop/api', '/shop/api/v1/products'],
      ['/', '/v1/products'],
    ] as const) {
      await using other = await apiUnderTest(SHOP.replace('title: Shop', `base_path: ${base}`));
      const { body } = await other.row({ send: `GET ${path}`, status: 200 });
      assert.equal(body['links']?.['self'], `${path}?limit=20`);
      await other.row({ send: 'GET /api/v1/products', status: 404 });
    }
  });
});

describe('an invalid request target', () => {
  const refused: readonly (readonly [target: string, says: RegExp])[] = [
    ['/api/v1/notes/%', /%25/],
    ['/api/v1/notes/%4', /%25/],
    ['/api/v1/notes/%GG', /%25/],
    ['/api/v1/notes/%FF', /UTF-8/],
    ['/api/v1/notes/%C0%AF', /UTF-8/],
    ['/api/v1/notes/%ED%A0%80', /UTF-8/],
    ['/api/v1/notes/%F5%80%80%80', /UTF-8/],
    ['/api/v1/notes/a%00b', /NUL/],
    ['/api/v1/notes/a<b', /%3C/],
    ['/api/v1/notes/a>b', /%3E/],
    ['/api/v1/notes/a"b', /%22/],
    ['/api/v1/notes/a{b', /%7B/],
    ['/api/v1/notes/a}b', /%7D/],
    ['/api/v1/notes/a|b', /%7C/],
    ['/api/v1/notes/a\\b', /%5C/],
    ['/api/v1/notes/a^b', /%5E/],
    ['/api/v1/notes/a`b', /%60/],
    ['/api/v1/notes/a[b]', /%5B/],
    ['/api/v1/notes/a#b', /%23/],
    ['/api/v1/notes/\u{E9}', /%C3%A9/],
    ['/api/v1/notes?text=%', /%25/],
    ['/api/v1/notes?%ZZ=1', /%25/],
    ['/api/v1/notes?text=%FF', /UTF-8/],
    ['/api/v1/notes?text=%00', /NUL/],
    ['/api/v1/notes?text=a|b', /%7C/],
    ['/api/v1/notes?text=[a]', /%5B/],
    ['/api/v1/notes?text=a#b', /%23/],
    ['/api/v1/notes?text=\u{E9}', /%C3%A9/],
    ['api/v1/notes', /path that begins with \//],
    ['localhost:3000', /path that begins with \//],
    ['ftp://localhost/api', /http/],
    ['http:///api', /host/],
    ['http://user:password@localhost/api', /host/],
    ['*', /OPTIONS/],
    ['', /path/],
  ];
  for (const [target, says] of refused) {
    it(`[URL-4] is rejected with a fix: ${JSON.stringify(target)}`, async () => {
      const { body } = await shop.row({
        send: `GET ${target}`,
        status: 400,
        has: { errorCode: 'REQUEST_URI_INVALID' },
      });
      assert.match(String(body['errorMessage']), says);
    });
  }

  it('[URL-4] differs from raw brackets in the name of a parameter', async () => {
    await shop.row({ send: 'GET /api/v1/notes?text[in]=a,b', status: 200 });
  });

  it('[URL-4] hints at %2B if the + of a timestamp became a space', async () => {
    const { body } = await shop.row({
      send: 'GET /api/v1/notes?created_at=2026-01-02T03:04:05+01:00',
      status: 400,
      has: { errorCode: 'QUERY_FILTER_INVALID' },
    });
    assert.match(JSON.stringify(body), /%2B/);
  });

  const sizes: readonly (readonly [bytes: number, status: number])[] = [
    [8192, 404],
    [8193, 414],
  ];
  for (const [bytes, status] of sizes) {
    it(`[URL-8] of ${bytes} bytes is ${status}`, async () => {
      await shop.row({ send: `GET /api/v1/notes/${'a'.repeat(bytes - '/api/v1/notes/'.length)}`, status });
    });
  }

  it('[URL-8] excludes the asterisk and authority forms of methods that allow them', async () => {
    await shop.row({ send: 'OPTIONS *', status: 204 });
    await shop.row({ send: 'CONNECT localhost:3000', status: 405, expectHeaders: { Allow: /GET/ } });
  });
});

describe('a query', () => {
  it('[URL-5] reads + and %20 as a space, and %2B as a plus', async () => {
    await using own = await apiUnderTest(SHOP);
    await create(own, 'notes', { id: 'space', text: 'a b' });
    await create(own, 'notes', { id: 'plus', text: 'a+b' });
    for (const [query, id] of [
      ['text=a+b', 'space'],
      ['text=a%20b', 'space'],
      ['t%65xt=a%2Bb', 'plus'],
    ] as const) {
      assert.deepEqual(parseIds(await own.row({ send: `GET /api/v1/notes?${query}`, status: 200 })), [id], query);
    }
  });

  it('[URL-5] splits a list on the raw comma before it decodes', async () => {
    await using own = await apiUnderTest(SHOP);
    for (const text of ['a,b', 'a', 'b']) await create(own, 'notes', { id: text, text });
    for (const [query, ids] of [
      ['text[in]=a%2Cb', ['a,b']],
      ['text[in]=a,b', ['a', 'b']],
      ['text%5Bin%5D=a,a%2Cb', ['a', 'a,b']],
      ['text=a,b', ['a,b']],
    ] as const) {
      assert.deepEqual(parseIds(await own.row({ send: `GET /api/v1/notes?${query}`, status: 200 })), ids, query);
    }
  });

  it('[URL-9] is percent-encoded in links, except the commas of a list', async () => {
    const { body, headers } = await shop.row({
      send: 'GET /api/v1/notes?text[in]=a+b,c%2cd,%26%3D%C3%A9!*&limit=1',
      status: 200,
    });
    const self = '/api/v1/notes?text%5Bin%5D=a%20b,c%2Cd,%26%3D%C3%A9%21%2A&limit=1';
    assert.equal(body['links']?.['self'], self);
    assert.ok(headers.get('link')?.startsWith(`<${self}>; rel="self"`));
    await shop.row({ send: `GET ${self}`, status: 200, has: { links: body['links'] } });
  });
});
