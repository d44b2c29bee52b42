import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest, START } from '../support/api-under-test.ts';
import { create, parseIds, LAMP, SHOP } from '../models/shop-model.ts';
import type { ListPlan, LookupPlan } from '../../../src/plan/plan.ts';
import type { Store } from '../../../src/stores/store.ts';
import { replacing } from '../support/replacing.ts';
import { taggedProduct } from '../support/product-with-etag.ts';

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
    it(`[CACHE-2] [CACHE-3] returns ${status} for GET and HEAD: ${JSON.stringify(headers)}`, async () => {
      const { shop, path, fill } = await taggedProduct();
      await using _ = shop;
      const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
      for (const method of ['GET', 'HEAD']) await shop.row({ send: `${method} ${path}`, headers: filled, status });
    });
  }

  it('[CACHE-2] returns 304 with the caching fields of the 200, without body and type', async () => {
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

  it('[CACHE-2] reads no rows of an unchanged collection', async () => {
    let lists = 0;
    const counting = (store: Store): Store =>
      replacing(store, {
        list(plan) {
          lists += 1;
          return store.rows.list(plan);
        },
      });
    await using shop = await apiUnderTest(SHOP, { breaking: counting });
    const { id } = await create(shop, 'products', LAMP);
    await create(shop, `products/${id}/reviews`, { stars: 5 });
    for (const target of [
      'products',
      'products?sort=-name&fields=name&include_total=true',
      'products?expand=reviews,supplier',
      `products/${id}/reviews?expand=product`,
    ]) {
      const { headers } = await shop.row({ send: `GET /api/v1/${target}`, status: 200 });
      const known = { 'If-None-Match': headers.get('etag') ?? '' };
      lists = 0;
      await shop.row({ send: `GET /api/v1/${target}`, headers: known, status: 304 });
      assert.equal(lists, 0, target);
    }
  });

  it('[CACHE-2] depends on everything in a page, and on nothing else', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { id: supplier } = await create(shop, 'suppliers', { name: 'S' });
    const { id } = await create(shop, 'products', { ...LAMP, supplier_id: supplier });
    const targets = ['products', 'products?expand=supplier', 'suppliers', `products/${id}/reviews`];
    const known = new Map<string, string>();
    const changed = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const target of targets) {
        const headers = { 'If-None-Match': known.get(target) ?? '"none"' };
        const seen = await shop.send({ send: `GET /api/v1/${target}`, headers });
        if (seen.status === 200) found.push(target);
        known.set(target, seen.headers.get('etag') ?? '');
      }
      return found;
    };
    await changed();
    assert.deepEqual(await changed(), []);
    await shop.send({ send: `PATCH /api/v1/suppliers/${supplier}`, body: { country: 'NO' } });
    assert.deepEqual(await changed(), ['products?expand=supplier', 'suppliers']);
    await create(shop, `products/${id}/reviews`, { stars: 5 });
    assert.deepEqual(await changed(), [`products/${id}/reviews`]);
    await shop.send({ send: `PATCH /api/v1/products/${id}`, body: { category: 'x' } });
    assert.deepEqual(await changed(), ['products', 'products?expand=supplier', `products/${id}/reviews`]);
    await shop.send({ send: 'POST /api/v1/products', body: { ...LAMP, name: '' } });
    await shop.send({ send: `PATCH /api/v1/products/${id}`, body: { category: 'x' } });
    assert.deepEqual(await changed(), [], 'by nothing that was refused or changed nothing');
  });

  it('[URL-7] returns 404 below a deleted row, for any precondition', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { id } = await create(shop, 'products', LAMP);
    const { headers } = await shop.send({ send: `GET /api/v1/products/${id}/reviews` });
    await shop.send({ send: `DELETE /api/v1/products/${id}` });
    for (const tag of [headers.get('etag') ?? '', '*']) {
      const known = { 'If-None-Match': tag };
      await shop.newEvents();
      await shop.row({ send: `GET /api/v1/products/${id}/reviews`, headers: known, status: 404 });
    }
  });

  it('[CACHE-1] of a collection changes with every create, update and delete', async () => {
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

describe('Last-Modified', () => {
  it('[CACHE-4] is sent once the change is over a second old, and is compared', async () => {
    const { shop, path } = await taggedProduct();
    await using _ = shop;
    const get = { send: `GET ${path}`, status: 200 };
    await shop.row({ ...get, expectHeaders: { 'Last-Modified': null } });
    await shop.row({ ...get, headers: { 'If-Modified-Since': date(START + 5_000) } });
    shop.clock.advance(1_000);
    await shop.row({ ...get, expectHeaders: { 'Last-Modified': null } });
    shop.clock.advance(1);
    for (const send of [`GET ${path}`, `HEAD ${path}`, `GET ${path}?fields=name`]) {
      await shop.row({ send, status: 200, expectHeaders: { 'Last-Modified': date(START) } });
    }
    await shop.row({ send: `GET ${path}`, headers: { 'If-Modified-Since': date(START) }, status: 304 });
    await shop.row({ ...get, headers: { 'If-Modified-Since': date(START - 1_000) } });
    await shop.row({ send: `GET ${path}`, headers: { 'If-Unmodified-Since': date(START - 1_000) }, status: 412 });
  });

  it('[CACHE-4] never decreases with the clock, so that no change is missed', async () => {
    const { shop, path } = await taggedProduct();
    await using _ = shop;
    shop.clock.advance(2_000);
    const get = { send: `GET ${path}`, headers: { 'If-Modified-Since': date(START) } };
    await shop.row({ ...get, status: 304 });
    shop.clock.advance(-60_000);
    const changed = await shop.send({ send: `PATCH ${path}`, body: { category: 'x' } });
    assert.equal(Date.parse(changed.body['updated_at']), START);
    await shop.newEvents();
    const read = await shop.row({ ...get, status: 200, expectHeaders: { 'Last-Modified': null } });
    assert.equal(read.text, changed.text);
  });

  it('[CACHE-4] is not sent for collections, writes and expanded resources', async () => {
    const { shop, path } = await taggedProduct();
    await using _ = shop;
    shop.clock.advance(60_000);
    const none = { expectHeaders: { 'Last-Modified': null } };
    await shop.row({ send: 'GET /api/v1/products', status: 200, ...none });
    await shop.row({ send: `GET ${path}?expand=supplier`, status: 200, ...none });
    await shop.row({ send: `PUT ${path}`, body: LAMP, status: 200, ...none });
    await shop.row({ send: `PATCH ${path}`, body: {}, status: 200, ...none });
  });
});

describe('an ETag', () => {
  it('[CACHE-1] is strong, starts with the revision, and is the same in POST, PATCH and GET', async () => {
    const { shop, path, made } = await taggedProduct();
    await using _ = shop;
    assert.match(made.headers.get('etag') ?? '', new RegExp(`^"${made.body['revision']}\\.[A-Za-z0-9_-]+"$`));
    assert.equal((await shop.send({ send: `GET ${path}` })).headers.get('etag'), made.headers.get('etag'));
    const patched = await shop.send({ send: `PATCH ${path}`, body: { category: 'x' } });
    assert.notEqual(patched.headers.get('etag'), made.headers.get('etag'));
    assert.equal((await shop.send({ send: `GET ${path}` })).headers.get('etag'), patched.headers.get('etag'));
  });

  it('[CACHE-1] differs if and only if the bytes differ', async () => {
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

  const reads: readonly (readonly [read: 'list' | 'lookup', target: string])[] = [
    ['list', 'notes'],
    ['lookup', 'products?expand=supplier'],
  ];
  for (const [read, target] of reads) {
    it(`[CACHE-1] [CACHE-2] changes when ${target} is written to while it is read`, async () => {
      let write = async (): Promise<void> => undefined;
      const written = (store: Store): Store =>
        replacing(store, {
          [read]: async (plan: ListPlan & LookupPlan) => {
            const now = write;
            write = async () => undefined;
            await now();
            return store.rows[read](plan);
          },
        });
      await using shop = await apiUnderTest(SHOP, { breaking: written });
      await create(shop, 'notes', { id: 'a' });
      const { id } = await create(shop, 'suppliers', { name: 'A' });
      await create(shop, 'products', { ...LAMP, supplier_id: id });
      const send = `GET /api/v1/${target}`;
      const before = await shop.send({ send });
      write = async () => {
        await create(shop, 'notes', { id: 'b' });
        await shop.send({ send: `PATCH /api/v1/suppliers/${id}`, body: { name: 'B' } });
      };
      const during = await shop.send({ send });
      const after = await shop.send({ send, headers: { 'If-None-Match': before.headers.get('etag') ?? '' } });
      assert.notEqual(during.text, before.text, 'the write is on the page');
      assert.deepEqual([after.status, after.text], [200, during.text]);
      const etags = [before, during, after].map(({ headers }) => headers.get('etag'));
      assert.equal(new Set(etags).size, 3, 'the page read during the write has neither of the two ETags');
    });
  }

  it('[CACHE-1] changes when the model represents the same row differently', async () => {
    await using one = await apiUnderTest(SHOP);
    await using other = await apiUnderTest(SHOP.replace('title: Shop', 'public_url: https://shop.example'));
    const [a, b] = [await create(one, 'notes', { id: 'x' }), await create(other, 'notes', { id: 'x' })];
    assert.equal(a.body['revision'], b.body['revision']);
    assert.notEqual(a.headers.get('etag'), b.headers.get('etag'));
  });

  it('[CACHE-1] is not sent with errors, 204 and redirects', async () => {
    const { shop, path } = await taggedProduct();
    await using _ = shop;
    const none = { ETag: null };
    await shop.row({ send: 'GET /api/v1/products/missing', status: 404, expectHeaders: none });
    await shop.row({ send: `GET ${path}/`, status: 308, expectHeaders: none });
    await shop.row({ send: `GET ${path}`, headers: { 'If-Match': '"0"' }, status: 412, expectHeaders: none });
    await shop.row({ send: `DELETE ${path}`, status: 204, expectHeaders: none, events: ['product.deleted'] });
    assert.deepEqual(parseIds(await shop.send({ send: 'GET /api/v1/products' })), []);
  });
});
