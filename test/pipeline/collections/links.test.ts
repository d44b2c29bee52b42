import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest } from '../support/api-under-test.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

describe('links', () => {
  it('[REP-9a, REP-9b, REP-9c] are self, collection, each relation and each sub-collection by name, last in the object', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { id: supplier, body: made } = await create(shop, 'suppliers', { name: 'A' });
    const { id, body } = await create(shop, 'products', { ...LAMP, supplier_id: supplier });
    assert.deepEqual(body['links'], {
      self: `/api/v1/products/${id}`,
      collection: '/api/v1/products',
      supplier: `/api/v1/suppliers/${supplier}`,
      reviews: `/api/v1/products/${id}/reviews`,
    });
    assert.deepEqual(made['links'], {
      self: `/api/v1/suppliers/${supplier}`,
      collection: '/api/v1/suppliers',
      products: `/api/v1/products?supplier_id=${supplier}`,
    });
    for (const each of [...Object.values(body['links'] ?? {}), ...Object.values(made['links'] ?? {})]) {
      await shop.row({ send: `GET ${each}`, status: 200 });
    }
  });

  it('[REP-9b] omit a relation that is null', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { body } = await create(shop, 'products', LAMP);
    assert.deepEqual(Object.keys(body['links'] ?? {}), ['self', 'collection', 'reviews']);
  });

  it('[REP-9d] never contain the Host of a request', async () => {
    await using shop = await apiUnderTest(SHOP, { open: true });
    for (const target of ['/api/v1/notes/a', 'http://evil.example/api/v1/notes/a']) {
      const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' };
      const { text, headers: got } = await shop.send({ send: `PUT ${target}`, headers, body: {} });
      assert.ok(!`${text}${[...got.values()].join('')}`.includes('evil'), text);
    }
    assert.ok(!JSON.stringify(await shop.newEvents()).includes('evil'));
  });

  it('[REP-9d] are absolute if the model has a public_url', async () => {
    await using shop = await apiUnderTest(SHOP.replace('title: Shop', 'public_url: https://api.example.com'));
    const { body, headers } = await shop.send({ send: 'PUT /api/notes/a%20b', body: {} });
    const self = 'https://api.example.com/api/notes/a%20b';
    assert.deepEqual(body['links'], { self, collection: 'https://api.example.com/api/notes' });
    assert.equal(headers.get('location'), self);
    const [event] = await shop.newEvents();
    assert.equal(event?.payload.resource.url, 'https://api.example.com/api/v1/notes/a%20b');
    const list = await shop.row({ send: 'GET /api/v1/notes', status: 200 });
    assert.match(
      list.headers.get('link') ?? '',
      /^<https:\/\/api\.example\.com\/api\/v1\/notes\?limit=20>; rel="self"/,
    );
  });

  const carriers: readonly (readonly [name: string, path: string, headers: Record<string, string>, query: string])[] = [
    ['the path', '/api/v1', {}, ''],
    ['the path, and a header field with the minor version', '/api/v1', { 'API-Version': '1.4' }, ''],
    ['a query parameter', '/api', {}, 'api_version=1.4'],
    ['a header field', '/api', { 'API-Version': '1' }, ''],
    ['the media type', '/api', { Accept: 'application/vnd.shop.v1+json' }, ''],
    ['nothing', '/api', {}, ''],
  ];
  for (const [name, path, headers, query] of carriers) {
    const mark = query === '' ? '' : `?${query}`;
    const canonical = path === '/api' ? /<\/api\/v1\/notes\/a>; rel="canonical"/ : null;

    it(`[REP-9e, REP-9f] use the version carrier of the client: ${name}`, async () => {
      await using shop = await apiUnderTest(SHOP);
      const self = `${path}/notes/a${mark}`;
      const links = { self, collection: `${path}/notes${mark}` };
      const row = { headers, has: { links }, expectHeaders: { Link: canonical } };
      const at = { ...row.expectHeaders, 'Content-Location': self };
      const body = { text: 'x' };
      await shop.row({
        ...row,
        send: `PUT ${self}`,
        body,
        status: 201,
        expectHeaders: { ...at, Location: self },
        events: ['note.created'],
      });
      await shop.row({ ...row, send: `PATCH ${self}`, body, status: 200, expectHeaders: at });
      await shop.row({ ...row, send: `GET ${self}`, status: 200 });
    });

    it(`[REP-9e, REP-9f] of a collection use the version carrier of the client: ${name}`, async () => {
      await using shop = await apiUnderTest(SHOP);
      await create(shop, 'notes', { id: 'a' });
      const { body, headers: got } = await shop.row({ send: `GET ${path}/notes${mark}`, headers, status: 200 });
      const carried = query === '' ? '' : `&${query}`;
      assert.equal(body['links']?.['self'], `${path}/notes?limit=20${carried}`);
      assert.equal(body['data']?.[0]?.['links']?.['self'], `${path}/notes/a${mark}`);
      const link = got.get('link') ?? '';
      assert.equal(link.includes('</api/v1/notes?limit=20>; rel="canonical"'), canonical !== null, link);
    });

    it(`[REP-10a] of the root use the version carrier of the client: ${name}`, async () => {
      await using shop = await apiUnderTest(SHOP);
      const { body } = await shop.row({ send: `GET ${path}${mark}`, headers, status: 200 });
      assert.deepEqual(body['links'], {
        self: `${path}${mark}`,
        suppliers: `${path}/suppliers${mark}`,
        products: `${path}/products${mark}`,
        order_items: `${path}/order-items${mark}`,
        notes: `${path}/notes${mark}`,
        events: `${path}/events${mark}`,
        service_desc: '/openapi.json',
        service_desc_events: '/asyncapi.json',
        service_doc: '/docs',
      });
    });
  }

  it('[REP-10a] of the root include every top-level collection', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { body } = await shop.row({ send: 'GET /api/v1', status: 200, expectHeaders: { ETag: /^"/ } });
    for (const href of Object.values(body['links'] ?? {})) {
      await shop.row({ send: `GET ${String(href)}`, status: 200 });
      await shop.row({ send: `HEAD ${String(href)}`, status: 200 });
    }
    await shop.row({ send: 'GET /api/v1?x=1', status: 400, has: { errorCode: 'REQUEST_PARAMETER_UNKNOWN' } });
    await shop.row({ send: 'POST /api/v1', body: {}, status: 405, expectHeaders: { Allow: 'GET, HEAD, OPTIONS' } });
  });
});
