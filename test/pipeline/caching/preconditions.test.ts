import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest, type ExchangeRow, START } from '../support/api-under-test.ts';
import { create, SHOP } from '../models/shop-model.ts';
import { taggedProduct } from '../support/product-with-etag.ts';

const date = (milliseconds: number): string => new Date(milliseconds).toUTCString();

const WRITES = [
  { method: 'PUT', body: { name: 'Chair', price: '7' }, done: 200, event: 'product.updated' },
  { method: 'PATCH', body: { name: 'Chair' }, done: 200, event: 'product.updated' },
  { method: 'DELETE', body: undefined, done: 204, event: 'product.deleted' },
] as const;

/** Preconditions of a write to a row that was changed at 03:04:05.678, and whether they are true. */
const CONDITIONS: readonly (readonly [headers: Record<string, string>, holds: boolean])[] = [
  [{ 'If-Match': '*' }, true],
  [{ 'If-Match': '{tag}' }, true],
  [{ 'If-Match': '"{revision}"' }, true],
  [{ 'If-Match': '"{revision}.other"' }, true],
  [{ 'If-Match': '"0", "{revision}"' }, true],
  [{ 'If-Match': ' , "0" ,\t{tag} , ' }, true],
  [{ 'If-Match': 'W/{tag}, {tag}' }, true],
  [{ 'If-Match': '"0"' }, false],
  [{ 'If-Match': 'W/{tag}' }, false],
  [{ 'If-Match': 'W/"{revision}"' }, false],
  [{ 'If-Match': '""' }, false],
  [{ 'If-Match': '"{revision}0"' }, false],
  [{ 'If-Match': '"0{revision}"' }, false],
  [{ 'If-Match': '"{variant}"' }, false],
  [{ 'If-Match': '"{revision},{variant}"' }, false],
  [{ 'If-Match': '"*"' }, false],
  [{ 'If-Unmodified-Since': date(START) }, true],
  [{ 'If-Unmodified-Since': date(START + 60_000) }, true],
  [{ 'If-Unmodified-Since': date(START - 1000) }, false],
  [{ 'If-Unmodified-Since': 'Sunday, 06-Nov-94 08:49:37 GMT' }, false],
  [{ 'If-Unmodified-Since': 'Sun Nov  6 08:49:37 1994' }, false],
  [{ 'If-Unmodified-Since': 'yesterday' }, true],
  [{ 'If-Unmodified-Since': '2020-01-01T00:00:00Z' }, true],
  [{ 'If-Match': '{tag}', 'If-Unmodified-Since': date(0) }, true],
  [{ 'If-Match': '"0"', 'If-Unmodified-Since': date(START) }, false],
  [{ 'If-None-Match': '*' }, false],
  [{ 'If-None-Match': '{tag}' }, false],
  [{ 'If-None-Match': 'W/"{revision}"' }, false],
  [{ 'If-None-Match': '"0"' }, true],
  [{ 'If-Match': '{tag}', 'If-None-Match': '{tag}' }, false],
  [{ 'If-Match': '{tag}', 'If-None-Match': '"0"' }, true],
  [{ 'If-Modified-Since': date(START + 60_000) }, true],
];

describe('a precondition of a write', () => {
  for (const [headers, holds] of CONDITIONS) {
    const stated = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    it(`[CACHE-3] ${holds ? 'holds' : 'fails'}: ${stated.join(' | ')}`, async () => {
      await using shop = await apiUnderTest(SHOP);
      for (const { method, body, done, event } of WRITES) {
        const { path, fill } = await taggedProduct(shop);
        const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
        await shop.row({
          send: `${method} ${path}`,
          headers: filled,
          body,
          status: holds ? done : 412,
          ...(holds ? { events: [event] } : { has: { errorCode: 'PRODUCT_PRECONDITION_FAILED' } }),
        });
      }
    });
  }

  for (const value of [
    '1042',
    '"1042',
    "'1042'",
    '"a" "b"',
    'w/"1"',
    'W/ "1"',
    '*, "1"',
    ',',
    '',
    '"a\u0001"',
    '"a"b"',
  ]) {
    it(`[CACHE-3] that is invalid is 400, not ignored: ${JSON.stringify(value)}`, async () => {
      const { shop, path } = await taggedProduct();
      await using _ = shop;
      for (const name of ['If-Match', 'If-None-Match']) {
        const row = { headers: { [name]: value }, status: 400, has: { errorCode: 'REQUEST_HEADER_INVALID' } };
        await shop.row({ send: `PATCH ${path}`, body: {}, ...row });
        await shop.row({ send: `DELETE ${path}`, ...row });
        await shop.row({ send: `GET ${path}`, ...row });
      }
    });
  }

  it('[CACHE-3] fails with the old ETag after a change, and passes with the new one', async () => {
    const { shop, path, made } = await taggedProduct();
    await using _ = shop;
    const old = made.headers.get('etag') ?? '';
    const patched = await shop.row({
      send: `PATCH ${path}`,
      body: { category: 'x' },
      status: 200,
      events: ['product.updated'],
    });
    await shop.row({ send: `DELETE ${path}`, headers: { 'If-Match': old }, status: 412 });
    const headers = { 'If-Match': patched.headers.get('etag') ?? '' };
    await shop.row({ send: `DELETE ${path}`, headers, status: 204, events: ['product.deleted'] });
  });

  it('[CACHE-3] accepts the ETag of any representation: another version carrier, another media type', async () => {
    const { shop, path } = await taggedProduct();
    await using _ = shop;
    const unversioned = await shop.send({ send: `GET ${path.replace('/v1', '')}` });
    const vendor = await shop.send({ send: `GET ${path}`, headers: { Accept: 'application/vnd.shop.v1+json' } });
    for (const { headers } of [unversioned, vendor]) {
      await shop.row({
        send: `PATCH ${path}`,
        headers: { 'If-Match': headers.get('etag') ?? '' },
        body: {},
        status: 200,
      });
    }
  });

  it('[CACHE-3] never passes again for a deleted and recreated row', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { headers } = await create(shop, 'notes', { id: 'a', text: 'x' });
    await shop.send({ send: 'DELETE /api/v1/notes/a' });
    await create(shop, 'notes', { id: 'a', text: 'x' });
    const old = { 'If-Match': headers.get('etag') ?? '' };
    await shop.row({ send: 'PUT /api/v1/notes/a', headers: old, body: {}, status: 412 });
  });

  it('[CACHE-3] of a PUT that creates: If-None-Match: * passes, If-Match fails', async () => {
    await using shop = await apiUnderTest(SHOP);
    const send = 'PUT /api/v1/notes/new';
    const body = { text: 'x' };
    for (const value of ['*', '"1"']) await shop.row({ send, headers: { 'If-Match': value }, body, status: 412 });
    const once = { 'If-None-Match': '*' };
    await shop.row({ send, headers: once, body, status: 201, events: ['note.created'] });
    await shop.row({ send, headers: once, body, status: 412, has: { errorCode: 'NOTE_PRECONDITION_FAILED' } });
  });

  it('[CACHE-3] is evaluated after the target and before the body', async () => {
    const { shop, path } = await taggedProduct();
    await using _ = shop;
    const headers = { 'If-Match': '"0"' };
    for (const body of ['{', { name: 7 }, { status: 'CLOSED' }, { supplier_id: 'missing' }]) {
      await shop.row({ send: `PATCH ${path}`, headers, body, status: 412 });
    }
    for (const method of ['PATCH', 'DELETE', 'PUT']) {
      const body = method === 'DELETE' ? undefined : {};
      await shop.row({ send: `${method} /api/v1/products/missing`, headers, body, status: 404 });
    }
  });

  it('[CACHE-3] of a POST refers to the collection and its complete ETag', async () => {
    const { shop } = await taggedProduct();
    await using _ = shop;
    const send = 'POST /api/v1/suppliers';
    const body = { name: 'A' };
    const tag = (await shop.send({ send: 'GET /api/v1/suppliers' })).headers.get('etag') ?? '';
    const refused: readonly ExchangeRow['headers'][] = [
      { 'If-Match': '"0"' },
      { 'If-None-Match': '*' },
      { 'If-None-Match': tag },
    ];
    for (const headers of refused) {
      await shop.row({
        send,
        ...(headers && { headers }),
        body,
        status: 412,
        has: { errorCode: 'SUPPLIER_PRECONDITION_FAILED' },
      });
    }
    await shop.row({ send, headers: { 'If-Match': tag }, body, status: 201, events: ['supplier.created'] });
    await shop.row({ send, headers: { 'If-Match': tag }, body, status: 412 });
  });
});

describe('a collection that requires a precondition', () => {
  const rows: readonly (readonly [headers: Record<string, string>, status: number])[] = [
    [{}, 428],
    [{ 'If-None-Match': '"0"' }, 428],
    [{ 'If-Modified-Since': date(0) }, 428],
    [{ 'If-Unmodified-Since': 'yesterday' }, 428],
    [{ 'If-Match': '"0"' }, 412],
    [{ 'If-Unmodified-Since': date(0) }, 412],
    [{ 'If-Match': '*' }, 200],
    [{ 'If-Unmodified-Since': date(START) }, 200],
  ];
  for (const [headers, status] of rows) {
    it(`[CACHE-3] returns ${status} for updates and deletes with ${JSON.stringify(headers)}`, async () => {
      for (const { method, body, event } of [
        { method: 'PUT', body: {}, event: null },
        { method: 'PATCH', body: { quantity: 2 }, event: 'order_item.updated' },
        { method: 'DELETE', body: undefined, event: 'order_item.deleted' },
      ]) {
        await using shop = await apiUnderTest(SHOP);
        const { id } = await create(shop, 'order-items', {});
        await shop.row({
          send: `${method} /api/v1/order-items/${id}`,
          headers,
          body,
          status: status === 200 && method === 'DELETE' ? 204 : status,
          events: status === 200 && event !== null ? [event] : [],
          ...(status === 428 ? { has: { errorCode: 'REQUEST_PRECONDITION_REQUIRED' } } : {}),
        });
      }
    });
  }

  it('[CACHE-3] [ERR-4] names the required field, before the body is checked, and not for missing resources', async () => {
    await using shop = await apiUnderTest(SHOP);
    const { id } = await create(shop, 'order-items', {});
    const { body } = await shop.row({ send: `PUT /api/v1/order-items/${id}`, body: '{', status: 428 });
    assert.match(body['errorMessage'], /If-Match/);
    await shop.row({ send: 'PUT /api/v1/order-items/missing', body: {}, status: 404 });
    await shop.row({ send: 'POST /api/v1/order-items', body: {}, status: 201, events: ['order_item.created'] });
    await shop.row({ send: `GET /api/v1/order-items/${id}`, status: 200 });
  });
});
