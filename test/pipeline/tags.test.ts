import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest, START } from './api-under-test.ts';
import { create, idsOf, LAMP, SHOP } from './shop-model.ts';
import { taggedProduct } from './tagged-product.ts';

const date = (milliseconds: number): string => new Date(milliseconds).toUTCString();

describe('a precondition of a read', () => {
  const rows: readonly (readonly [headers: Record<string, string>, status: number])[] = [
    [{ 'If-None-Match': '{tag}' }, 304],
    [{ 'If-None-Match': 'W/{tag}' }, 304],
    [{ 'If-None-Match': '"0", {tag}' }, 304],
    [{ 'If-None-Match': '*' }, 304],
    [{ 'If-None-Match': '"{revision}"' }, 200],
    [{ 'If-None-Match': '"{revision}.other"' }, 200],
    [{ 'If-None-Match': '"0"' }, 200],
    [{ 'If-Match': '{tag}' }, 200],
    [{ 'If-Match': '*' }, 200],
    [{ 'If-Match': 'W/{tag}' }, 412],
    [{ 'If-Match': '"{revision}"' }, 412],
    [{ 'If-Match': '"0"' }, 412],
    [{ 'If-Match': '{tag}', 'If-None-Match': '{tag}' }, 304],
    [{ 'If-Match': '"0"', 'If-None-Match': '{tag}' }, 412],
    [{ 'If-None-Match': '"0"', 'If-Modified-Since': date(START + 60_000) }, 200],
    [{ 'If-None-Match': '{tag}', 'If-Modified-Since': date(0) }, 304],
    [{ 'If-Modified-Since': 'yesterday' }, 200],
  ];
  for (const [headers, status] of rows) {
    it(`[CACHE-2] [CACHE-3] makes GET and HEAD ${status}: ${JSON.stringify(headers)}`, async () => {
      const { shop, path, fill } = await taggedProduct();
      await using _ = shop;
      const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
      for (const method of ['GET', 'HEAD']) await shop.row({ send: `${method} ${path}`, headers: filled, status });
    });
  }

  it('[CACHE-2] answers 304 with what the 200 says of caching, and with no body or type', async () => {
    const { shop, path } = await taggedProduct();
    await using _ = shop;
    for (const target of [path, '/api/v1/products', '/api/products?sort=name', '/api/v1', `${path}/reviews`]) {
      const { headers } = await shop.send({ send: `GET ${target}` });
      const tag = headers.get('etag') ?? '';
      const same = Object.fromEntries(
        ['ETag', 'Cache-Control', 'Vary', 'Content-Location'].map((name) => [
          name,
          headers.get(name.toLowerCase()) ?? null,
        ]),
      );
      const absent = Object.fromEntries(
        ['Content-Type', 'Link', 'Content-Length', 'Last-Modified'].map((name) => [name, null]),
      );
      const seen = await shop.row({
        send: `GET ${target}`,
        headers: { 'If-None-Match': tag },
        status: 304,
        expectHeaders: { ...same, ...absent },
      });
      assert.equal(seen.text, '');
    }
  });

  it('[CACHE-1] of a collection sees every change in it: created, changed, removed', async () => {
    const { shop, path } = await taggedProduct();
    await using _ = shop;
    const seen = new Set<string>();
    const look = async (): Promise<void> => {
      const { headers } = await shop.send({ send: 'GET /api/v1/products?page=1' });
      seen.add(headers.get('etag') ?? '');
    };
    await look();
    await look();
    const { id } = await create(shop, 'products', { ...LAMP, sku: 'b' });
    await look();
    await shop.send({ send: `PATCH ${path}`, body: { category: 'x' } });
    await look();
    await shop.send({ send: `DELETE /api/v1/products/${id}` });
    await look();
    assert.equal(seen.size, 4);
  });
});

describe('a tag', () => {
  it('[CACHE-1] is strong, begins with the revision, and is that of POST, PATCH and GET alike', async () => {
    const { shop, path, made } = await taggedProduct();
    await using _ = shop;
    assert.match(made.headers.get('etag') ?? '', new RegExp(`^"${made.body['revision']}\\.[A-Za-z0-9_-]+"$`));
    assert.equal((await shop.send({ send: `GET ${path}` })).headers.get('etag'), made.headers.get('etag'));
    const patched = await shop.send({ send: `PATCH ${path}`, body: { category: 'x' } });
    assert.notEqual(patched.headers.get('etag'), made.headers.get('etag'));
    assert.equal((await shop.send({ send: `GET ${path}` })).headers.get('etag'), patched.headers.get('etag'));
  });

  it('[CACHE-1] is another wherever the bytes are, and the same wherever they are', async () => {
    const { shop, path } = await taggedProduct();
    await using _ = shop;
    await create(shop, 'products', { ...LAMP, sku: 'b', name: 'A' });
    const id = path.slice(path.lastIndexOf('/') + 1);
    const texts = new Map<string, string>();
    const targets = [
      path,
      `/api/products/${id}`,
      `/api/products/${id}?api_version=1`,
      `/api/products/${id}?api_version=1.4`,
      '/api/v1/products',
      '/api/products',
      '/api/v1/products?sort=name',
      '/api/v1/products?limit=1',
      '/api/v1/products?page=1',
      `${path}/reviews`,
      '/api/v1',
      '/api',
    ];
    for (const target of targets) {
      const { headers, text } = await shop.send({ send: `GET ${target}` });
      const tag = headers.get('etag') ?? '';
      assert.ok(!texts.has(tag) || texts.get(tag) === text, `${target}: one tag for two texts`);
      texts.set(tag, text);
    }
    assert.equal(texts.size, targets.length);
    assert.equal(new Set(texts.values()).size, targets.length);
  });

  it('[CACHE-1] is another once the model says something else of the same row', async () => {
    await using one = await apiUnderTest(SHOP);
    await using other = await apiUnderTest(SHOP.replace('title: Shop', 'public_url: https://shop.example'));
    const [a, b] = [await create(one, 'notes', { id: 'x' }), await create(other, 'notes', { id: 'x' })];
    assert.equal(a.body['revision'], b.body['revision']);
    assert.notEqual(a.headers.get('etag'), b.headers.get('etag'));
  });

  it('[CACHE-1] stands on no error, no 204 and no redirect', async () => {
    const { shop, path } = await taggedProduct();
    await using _ = shop;
    const none = { ETag: null };
    await shop.row({ send: 'GET /api/v1/products/nobody', status: 404, expectHeaders: none });
    await shop.row({ send: `GET ${path}/`, status: 308, expectHeaders: none });
    await shop.row({ send: `GET ${path}`, headers: { 'If-Match': '"0"' }, status: 412, expectHeaders: none });
    await shop.row({ send: `DELETE ${path}`, status: 204, expectHeaders: none, events: ['product.deleted'] });
    assert.deepEqual(idsOf(await shop.send({ send: 'GET /api/v1/products' })), []);
  });
});
