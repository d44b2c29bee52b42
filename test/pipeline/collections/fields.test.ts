import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { defineModel, resource } from '../../../src/model/typescript/define-model.ts';
import type { Columns } from '../../../src/plan/plan.ts';
import type { Store } from '../../../src/stores/store.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../support/api-under-test.ts';
import { replacing } from '../support/replacing.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

/** The columns of the last read. */
let columns: Columns | undefined;

function watching(store: Store): Store {
  const { rows } = store;
  return replacing(store, {
    item(plan) {
      ({ columns } = plan);
      return rows.item(plan);
    },
    list(plan) {
      ({ columns } = plan);
      return rows.list(plan);
    },
  });
}

let shop: ApiUnderTest;
let lamp: string;
let desk: string;
before(async () => {
  shop = await apiUnderTest(SHOP, { breaking: watching });
  ({ id: lamp } = await create(shop, 'products', { ...LAMP, tags: ['a'], size: { unit: 'mm', depth: 3 } }));
  ({ id: desk } = await create(shop, 'products', { ...LAMP, sku: 'desk', name: 'Desk' }));
});
after(() => shop.close());

const get = (target: string): Promise<Seen> => shop.row({ send: `GET /api/v1/${target}`, status: 200 });

describe('fields', () => {
  const selections: readonly (readonly [fields: string, members: readonly string[]])[] = [
    ['name', ['id', 'name', 'revision', 'links']],
    ['price,name', ['id', 'name', 'price', 'revision', 'links']],
    ['id,revision,links', ['id', 'revision', 'links']],
    ['created_at', ['id', 'created_at', 'revision', 'links']],
    ['size.unit,size', ['id', 'size', 'revision', 'links']],
    ['name,name', ['id', 'name', 'revision', 'links']],
  ];
  for (const [fields, members] of selections) {
    it(`[QRY-4] ${fields} are returned in resource order, always with id, revision and links`, async () => {
      const { body } = await get(`products/${lamp}?fields=${fields}`);
      assert.deepEqual(Object.keys(body), members);
      const whole = await get(`products/${lamp}`);
      for (const member of members) assert.deepEqual(body[member], whole.body[member]);
      const page = await get(`products?fields=${fields}&filter%5Bid%5D=${lamp}`);
      assert.deepEqual(page.body['data'][0], body);
    });
  }

  it('[QRY-4] select members of an object, or null', async () => {
    const { body } = await get('products?fields=size.unit&sort=-name');
    assert.deepEqual(
      body['data'].map(({ size }: { size: unknown }) => size),
      [{ unit: 'mm' }, null],
    );
  });

  it('[QRY-4] are the only columns that are read, with those for links and order', async () => {
    await get(`products/${lamp}?fields=name`);
    assert.deepEqual(columns, ['name', 'supplier_id', 'related_ids']);
    await get('products?fields=size.unit&sort=category,price');
    assert.deepEqual(columns, ['price', 'category', 'size', 'supplier_id', 'related_ids']);
    await get(`products/${lamp}?fields=name&expand=supplier`);
    assert.deepEqual(columns, ['name', 'supplier_id', 'related_ids']);
    await get(`products/${desk}`);
    assert.equal(columns, undefined);
  });

  it('[PAGE-2] are part of every link, with filters and sort', async () => {
    const first = await get('products?fields=name,size.unit&sort=name&limit=1');
    assert.match(first.body['links'].next, /\?sort=name&fields=name,size\.unit&limit=1&after=/);
    const next = await shop.row({ send: `GET ${first.body['links'].next}`, status: 200 });
    assert.deepEqual(Object.keys(next.body['data'][0]), ['id', 'name', 'size', 'revision', 'links']);
  });

  it('[QRY-4] are not part of a cursor, so another page can select others', async () => {
    const first = await get('products?fields=name&limit=1');
    const next = await get(`products?fields=price&limit=1&after=${first.body['page'].next_cursor}`);
    assert.equal(next.body['data'].length, 1);
  });

  for (const [fields, message] of [
    ['nam', 'unknown field "nam"; did you mean "name"?'],
    ['size.depht', 'unknown field "size.depht"; its parent has no such member'],
    ['name.x', 'unknown field "name.x"; its parent has no such member'],
    ['labels.x', 'unknown field "labels.x"; its parent has no such member'],
  ] as const) {
    it(`[QRY-4] ${fields} is rejected with a suggestion`, async () => {
      await shop.row({
        send: `GET /api/v1/products?fields=${fields}`,
        status: 400,
        has: { errorCode: 'QUERY_FIELDS_INVALID', details: [{ field: 'fields', message }] },
      });
    });
  }

  it('[QRY-4] are rejected without further checks if there are too many', async () => {
    for (const [name, code] of [
      ['fields', 'QUERY_FIELDS_INVALID'],
      ['expand', 'QUERY_EXPAND_INVALID'],
    ] as const) {
      await shop.row({
        send: 'QUERY /api/v1/products',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: `${name}=${Array.from({ length: 50_000 }, (_, index) => `u${index}`).join(',')}`,
        status: 400,
        has: { errorCode: code },
      });
    }
  });

  it('[ERR-4] are truncated in error messages', async () => {
    const refused = await shop.row({ send: `GET /api/v1/products?fields=${'o.'.repeat(3500)}`, status: 400 });
    assert.ok(refused.text.length < 3_000, String(refused.text.length));
    const unknown = await shop.row({ send: `GET /api/v1/products?${'o'.repeat(7000)}=1`, status: 400 });
    assert.ok(unknown.text.length < 1_000, String(unknown.text.length));
  });

  it('[REP-11a] do not include write-only fields', async () => {
    const refused = await shop.row({
      send: `GET /api/v1/products/${lamp}?fields=cost`,
      status: 400,
      has: { errorCode: 'QUERY_FIELDS_INVALID' },
    });
    assert.match(refused.body['details'][0].message, /^unknown field "cost"; (?:known fields:|did)/);
  });

  it('[CACHE-1] have their own ETag, which works in If-Match', async () => {
    const [some, others, all] = [
      await get(`products/${lamp}?fields=name`),
      await get(`products/${lamp}?fields=price`),
      await get(`products/${lamp}`),
    ].map(({ headers }) => headers.get('etag') ?? '');
    assert.equal(new Set([some, others, all]).size, 3);
    const again = await get(`products/${lamp}?fields=name,id`);
    assert.equal(again.headers.get('etag'), some, 'of the same members the same');
    await shop.row({
      send: `GET /api/v1/products/${lamp}?fields=name`,
      headers: { 'If-None-Match': some ?? '' },
      status: 304,
    });
  });

  it('[NEG-1] are the columns of CSV and the elements of XML', async () => {
    const csv = await shop.send({
      send: 'GET /api/v1/products?fields=name,size.unit&sort=-name',
      headers: { Accept: 'text/csv' },
    });
    assert.match(csv.text, /^id,name,size\.unit,revision\r\n[^,]+,Lamp,mm,\d+\r\n/);
    const xml = await shop.send({
      send: `GET /api/v1/products/${lamp}?fields=tags`,
      headers: { Accept: 'application/xml' },
    });
    assert.match(xml.text, /<id>[^<]+<\/id><tags><item>a<\/item><\/tags><revision>/);
  });

  it('[QRY-5] are a parameter of reads only', async () => {
    await shop.row({
      send: 'POST /api/v1/suppliers?fields=name',
      body: { name: 'S' },
      status: 400,
      has: { errorCode: 'REQUEST_PARAMETER_UNKNOWN' },
    });
  });

  it('[QRY-4] compute only the selected computed members', async () => {
    let worked = 0;
    const value = ({ name }: { readonly name: string }): string => {
      worked += 1;
      return name.toUpperCase();
    };
    const items = resource({
      schema: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, size: { type: 'integer' } },
      },
      computed: { loud: { schema: { type: 'string' }, from: ['name'], value } },
    });
    await using api = await apiUnderTest(defineModel({ name: 'shop', resources: { items } }));
    await create(api, 'items', { name: 'a', size: 1 });
    worked = 0;
    const plain = await api.row({ send: 'GET /api/v1/items?fields=size', status: 200 });
    assert.deepEqual([worked, 'loud' in plain.body['data'][0]], [0, false]);
    const loud = await api.row({ send: 'GET /api/v1/items?fields=loud', status: 200 });
    assert.deepEqual([worked, loud.body['data'][0].loud], [1, 'A']);
  });
});
