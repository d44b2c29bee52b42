import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, column } from '../support/api-under-test.ts';
import { type Change, changes } from '../support/changes.ts';
import { create, SHOP } from '../models/shop-model.ts';

const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
});
after(() => shop.close());

let made = 0;
/** Creates a new product. */
async function product(more: object = {}): Promise<Awaited<ReturnType<typeof create>>> {
  made += 1;
  return create(shop, 'products', { sku: `patches-${made}`, name: `Lamp ${made}`, price: '5', ...more });
}

describe('a merge patch', () => {
  const rows: readonly Change[] = [
    [
      'sets the given members and keeps the others',
      { category: 'a', quantity: 1 },
      { quantity: 2 },
      { category: 'a', quantity: 2 },
    ],
    ['unsets with null, without restoring a default', { currency: 'USD' }, { currency: null }, { currency: null }],
    ['empties a list with null', { tags: ['a'] }, { tags: null }, { tags: [] }],
    ['replaces a list as a whole', { tags: ['a', 'b'] }, { tags: ['c'] }, { tags: ['c'] }],
    [
      'merges an object',
      { size: { unit: 'mm', depth: 1 } },
      { size: { depth: 2 } },
      { size: { unit: 'mm', depth: 2 } },
    ],
    [
      'unsets a member',
      { size: { unit: 'mm', depth: 1 } },
      { size: { depth: null } },
      { size: { unit: 'mm', depth: null } },
    ],
    ['creates an object from null', {}, { size: { unit: 'cm' } }, { size: { unit: 'cm', depth: null } }],
    ['unsets an object as a whole', { size: { unit: 'mm' } }, { size: null }, { size: null }],
    [
      'adds to a map and removes from it',
      { labels: { a: '1', b: '2' } },
      { labels: { a: null, c: '3' } },
      { labels: { b: '2', c: '3' } },
    ],
    ['empties a map without unsetting it', { labels: { a: '1' } }, { labels: { a: null } }, { labels: {} }],
    ['drops nulls of a new map', {}, { labels: { a: null, b: '1' } }, { labels: { b: '1' } }],
    ['sets a map key that looks like a path', {}, { labels: { 'a.b[0]/~': 'x' } }, { labels: { 'a.b[0]/~': 'x' } }],
    ['converts values to their stored form', {}, { price: '07.5', serial: '-0' }, { price: '7.50', serial: '0' }],
    [
      'ignores read-only members',
      { category: 'a' },
      { category: 'b', owner_id: 'me', created_at: 1 },
      { category: 'b', owner_id: null },
    ],
  ];
  for (const row of rows) it(`[MET-3] ${row[0]}`, () => changes(shop, row, MERGE));

  it('[MET-3] is the meaning of JSON and vendor JSON, with or without a charset', async () => {
    const types = [
      'application/json',
      'application/json; charset=utf-8',
      'application/vnd.shop.v1+json',
      'APPLICATION/Merge-Patch+JSON',
    ];
    const { id } = await product({ labels: { a: '1' } });
    for (const [index, type] of types.entries()) {
      await shop.row({
        send: `PATCH /api/v1/products/${id}`,
        headers: { 'Content-Type': type },
        body: { labels: { [`k${index}`]: 'x' } },
        status: 200,
        events: ['product.updated'],
      });
    }
    const { body } = await shop.send({ send: `GET /api/v1/products/${id}` });
    assert.deepEqual(Object.keys(body['labels']), ['a', 'k0', 'k1', 'k2', 'k3']);
  });

  const refused: readonly (readonly [patch: unknown, fields: readonly string[]])[] = [
    [{ name: null }, ['name']],
    [{ name: '', price: 5, colour: 'red' }, ['colour', 'name', 'price']],
    [{ size: { depth: 1 } }, ['size.unit']],
    [{ size: { unit: 'm' } }, ['size.unit']],
    [{ size: [] }, ['size']],
    [{ labels: { a: 1 } }, ['labels.a']],
    [{ tags: ['a', 1] }, ['tags[1]']],
    [{ tags: [null] }, ['tags[0]']],
    [{ sku: 'another' }, ['sku']],
    [{ sku: null }, ['sku']],
    [{ id: 'another' }, ['id']],
    [{ quantity: '5' }, ['quantity']],
    [{ fragile: 'true' }, ['fragile']],
    [{ status: 'BROKEN' }, ['status']],
    [{ colour: null }, ['colour']],
    [{ size: { unit: 'mm', colour: null } }, ['size.colour']],
    [{ photos: null, category: 'a' }, ['photos']],
    [[{ op: 'remove', path: '/category' }], ['body']],
    ['text', ['body']],
    [null, ['body']],
  ];
  for (const [patch, fields] of refused) {
    it(`[MET-3] [ERR-3] with an invalid result is 400 with each field: ${JSON.stringify(patch)}`, async () => {
      const { id, body: old } = await product();
      const send = `/api/v1/products/${id}`;
      const { body } = await shop.row({
        send: `PATCH ${send}`,
        headers: MERGE,
        body: JSON.stringify(patch),
        status: 400,
        has: { errorCode: 'PRODUCT_INVALID' },
      });
      assert.deepEqual([...new Set(column(body['details'], 'field'))].toSorted(), fields);
      await shop.row({ send: `GET ${send}`, status: 200, expectBody: old });
    });
  }

  const unknown: readonly (readonly [type: string, body: string, field: string])[] = [
    ['application/merge-patch+json', '{"colour":null}', 'colour'],
    ['application/json', '{"size":{"unit":"mm","colour":null}}', 'size.colour'],
    ['application/vnd.shop.v1+json', '{"colour":null}', 'colour'],
    ['application/json-patch+json', '[{"op":"add","path":"/colour","value":null}]', 'colour'],
    [
      'application/xml',
      '<product xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><colour xsi:nil="true"/></product>',
      'colour',
    ],
    ['application/x-www-form-urlencoded', 'colour', 'colour'],
    ['application/x-www-form-urlencoded', 'size[unit]=mm&size[colour]', 'size.colour'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="colour"\r\nContent-Type: application/json\r\n\r\nnull\r\n--b--\r\n',
      'colour',
    ],
  ];
  for (const [type, body, field] of unknown) {
    it(`[REP-5] with an unknown field that is null is 400 in ${type}: ${field}`, async () => {
      const { id } = await product();
      const request = { send: `PATCH /api/v1/products/${id}`, body };
      const headers = { 'Content-Type': type };
      const response = await shop.row({ ...request, headers, status: 400, has: { errorCode: 'PRODUCT_INVALID' } });
      assert.deepEqual(column(response.body['details'], 'field'), [field]);
      const lenient = await shop.send({ ...request, headers: { ...headers, Prefer: 'handling=lenient' } });
      assert.equal(lenient.status, 200, lenient.text);
      assert.equal(lenient.headers.get('preference-applied'), 'handling=lenient');
      await shop.newEvents();
    });
  }

  for (const atomic of [true, false]) {
    it(`[REP-5] [MET-13] with an unknown field that is null is 400 in a batch that is ${atomic ? '' : 'not '}atomic`, async () => {
      const { id } = await product();
      const operations = [{ method: 'PATCH', path: `/products/${id}`, body: { colour: null } }];
      const { text } = await shop.row({
        send: 'POST /api/v1/batches',
        body: { atomic, operations },
        status: atomic ? 400 : 201,
      });
      assert.match(text, /"PRODUCT_INVALID".*"field":"(?:operations\[0\]\.body\.)?colour"/);
    });
  }

  it('[REP-6] compares the revision in the body without If-Match', async () => {
    const { id, body } = await product();
    const send = `PATCH /api/v1/products/${id}`;
    const has = { errorCode: 'PRODUCT_PRECONDITION_FAILED' };
    for (const revision of [0, body['revision'] + 1, body['revision'] + 0.5, -1]) {
      await shop.row({ send, headers: MERGE, body: { category: 'x', revision, name: 7 }, status: 412, has });
    }
    const events = ['product.updated'];
    await shop.row({ send, headers: MERGE, body: { category: 'x', revision: body['revision'] }, status: 200, events });
    const headers = { ...MERGE, 'If-Match': '*' };
    await shop.row({ send, headers, body: { category: 'y', revision: body['revision'] }, status: 200, events });
  });
});

describe('a patch of another media type', () => {
  const types = [
    'text/plain',
    'text/xml',
    'application/json-patch',
    'application/merge-patch+xml',
    'multipart/mixed; boundary=x',
    'application/json; charset=latin1',
    '*/*',
    'json',
    '',
  ];
  for (const type of types) {
    it(`[MET-3] is 415 with the supported types: ${JSON.stringify(type)}`, async () => {
      const { id } = await product();
      const { headers } = await shop.row({
        send: `PATCH /api/v1/products/${id}`,
        headers: { 'Content-Type': type },
        body: '{}',
        status: 415,
        has: { errorCode: 'REQUEST_MEDIA_TYPE_UNSUPPORTED' },
        expectHeaders: { 'Accept-Patch': /application\/merge-patch\+json, application\/json-patch\+json/ },
      });
      const options = await shop.send({ send: `OPTIONS /api/v1/products/${id}` });
      assert.equal(headers.get('accept-patch'), options.headers.get('accept-patch'));
    });
  }

  it('[MET-3] is for PATCH only: POST and PUT reject patch types', async () => {
    for (const headers of [MERGE, JSON_PATCH]) {
      await shop.row({ send: 'POST /api/v1/suppliers', headers, body: { name: 'A' }, status: 415 });
      await shop.row({ send: 'PUT /api/v1/notes/a', headers, body: {}, status: 415 });
    }
  });
});
