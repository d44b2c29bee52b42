import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create, parseIds, LAMP, SHOP } from '../models/shop-model.ts';

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
});
after(() => shop.close());

const CREATED = { status: 201, events: ['product.created'] } as const;
let made = 0;
const sku = (): string => `sku-${++made}`;

const MEMBERS =
  `id sku name price currency category quantity weight fragile serial due released_at tags labels size status
  supplier_id related_ids photo owner_id created_at updated_at revision links`.split(/\s+/);

describe('a representation', () => {
  it('[REP-1] is one object: id, fields as declared, system fields, links', async () => {
    const { text, body } = await shop.row({ send: 'POST /api/v1/products', body: { ...LAMP, sku: sku() }, ...CREATED });
    assert.deepEqual(Object.keys(body), MEMBERS);
    const { text: read } = await shop.row({ send: `GET /api/v1/products/${String(body['id'])}`, status: 200 });
    assert.equal(read, text);
  });

  it('[REP-1] of a nested resource starts with the id of its parent', async () => {
    const { id } = await create(shop, 'products', { ...LAMP, sku: sku() });
    const { body } = await create(shop, `products/${id}/reviews`, { stars: 5 });
    assert.deepEqual(Object.keys(body).slice(0, 3), ['id', 'product_id', 'stars']);
  });

  it('[REP-1] has the members of an object as declared', async () => {
    const body = { ...LAMP, sku: sku(), size: { depth: 2, unit: 'mm' } };
    const { text } = await shop.row({ send: 'POST /api/v1/products', body, ...CREATED });
    assert.ok(text.includes('"size":{"unit":"mm","depth":2}'), text);
  });

  it('[REP-2] has a UUIDv7 in creation order', async () => {
    await using own = await apiUnderTest(SHOP);
    const ids: string[] = [];
    for (let count = 0; count < 50; count++) ids.push((await create(own, 'suppliers', { name: 'A' })).id);
    for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.deepEqual(ids.toSorted(), ids);
    assert.deepEqual(parseIds(await own.row({ send: 'GET /api/v1/suppliers?limit=50', status: 200 })), ids);
  });

  const ids: readonly (readonly [what: string, collection: string, body: object, message: RegExp])[] = [
    ['sent although the server generates ids', 'suppliers', { id: 'mine', name: 'A' }, /omit it/],
    ['missing although clients assign ids', 'notes', { text: 'x' }, /is required/],
    ['null although clients assign ids', 'notes', { id: null }, /is required/],
    ['a number with client ids', 'notes', { id: 5 }, /string/],
  ];
  for (const [what, collection, body, message] of ids) {
    it(`[REP-2] is rejected with an id that is ${what}`, async () => {
      const { body: error } = await shop.row({ send: `POST /api/v1/${collection}`, body, status: 400 });
      assert.equal(error['details']?.[0]?.['field'], 'id');
      assert.match(String(error['details']?.[0]?.['message']), message);
    });
  }

  const timestamps: readonly (readonly [sent: string, kept: string])[] = [
    ['2026-05-17T09:30:00Z', '2026-05-17T09:30:00.000Z'],
    ['2026-05-17T09:30:00.1239Z', '2026-05-17T09:30:00.123Z'],
    ['2026-05-17T09:30:00.999999999+02:00', '2026-05-17T07:30:00.999Z'],
    ['2026-05-17t09:30:00z', '2026-05-17T09:30:00.000Z'],
    ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000Z'],
    ['2024-02-29T00:00:00-00:00', '2024-02-29T00:00:00.000Z'],
    ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
  ];
  for (const [sent, kept] of timestamps) {
    it(`[REP-3] represents ${sent} as ${kept}`, async () => {
      const body = { ...LAMP, sku: sku(), released_at: sent };
      await shop.row({ send: 'POST /api/v1/products', body, ...CREATED, has: { released_at: kept } });
    });
  }

  for (const sent of ['2026-05-17', '2026-05-17T09:30:00', '2026-02-29T00:00:00Z', '2026-05-17T24:00:00Z', 'now', '']) {
    it(`[REP-3] rejects the timestamp ${JSON.stringify(sent)}`, async () => {
      const body = { ...LAMP, sku: sku(), released_at: sent };
      const { body: error } = await shop.row({ send: 'POST /api/v1/products', body, status: 400 });
      assert.equal(error['details']?.[0]?.['field'], 'released_at');
    });
  }

  it('[REP-3] has created_at and updated_at in milliseconds', async () => {
    await using own = await apiUnderTest(SHOP);
    const { id, body } = await create(own, 'notes', { id: 'a' });
    assert.equal(body['created_at'], '2026-01-02T03:04:05.678Z');
    own.clock.advance(60_001);
    await own.row({
      send: `PATCH /api/v1/notes/${id}`,
      body: { text: 'x' },
      status: 200,
      has: { created_at: '2026-01-02T03:04:05.678Z', updated_at: '2026-01-02T03:05:05.679Z' },
      events: ['note.updated'],
    });
  });
});

describe('a field', () => {
  it('[REP-4] is present when unset: null, or an empty array', async () => {
    await shop.row({
      send: 'POST /api/v1/products',
      body: { ...LAMP, sku: sku() },
      ...CREATED,
      has: { category: null, size: null, labels: null, tags: [], related_ids: [], currency: 'EUR', status: 'DRAFT' },
    });
  });

  it('[REP-4] has all members of an object that is not null', async () => {
    const body = { name: 'A', address: { city: 'Oslo' } };
    const events = ['supplier.created'];
    const has = { address: { city: 'Oslo', zip: null } };
    await shop.row({ send: 'POST /api/v1/suppliers', body, status: 201, events, has });
    const empty = { address: { city: null, zip: null } };
    await shop.row({ send: 'POST /api/v1/suppliers', body: { ...body, address: {} }, status: 201, events, has: empty });
  });

  it('[REP-4] is null after null, without its default, which PUT restores when it is omitted', async () => {
    const body = { ...LAMP, sku: sku(), currency: null, tags: null };
    const { body: row } = await shop.row({
      send: 'POST /api/v1/products',
      body,
      ...CREATED,
      has: { currency: null, tags: [] },
    });
    const self = `/api/v1/products/${String(row['id'])}`;
    const events = ['product.updated'];
    await shop.row({ send: `PATCH ${self}`, body: { name: 'B' }, status: 200, events, has: { currency: null } });
    await shop.row({ send: `PUT ${self}`, body: LAMP_AGAIN, status: 200, events, has: { currency: 'EUR' } });
    await shop.row({ send: `PATCH ${self}`, body: { currency: null }, status: 200, events, has: { currency: null } });
  });
  /** The required fields of a PUT; `sku` is immutable and keeps its value. */
  const LAMP_AGAIN = { name: 'B', price: '5' };

  const never: readonly (readonly [field: string, value: unknown])[] = [
    ['name', null],
    ['name', 5],
    ['name', ''],
    ['quantity', '5'],
    ['quantity', 5.5],
    ['quantity', true],
    ['weight', '1.5'],
    ['fragile', 'true'],
    ['fragile', 1],
    ['price', 5],
    ['price', '5.001'],
    ['price', '1e2'],
    ['price', ' 5'],
    ['price', '12345678901'],
    ['serial', 5],
    ['serial', '9223372036854775808'],
    ['serial', '1.0'],
    ['due', '2026-02-30'],
    ['tags', 'a'],
    ['tags', { 0: 'a' }],
    ['tags[1]', ['a', 5]],
    ['tags[0]', [null]],
    ['labels.a', { a: 5 }],
    ['labels', []],
    ['size.unit', {}],
    ['size.unit', { unit: null }],
    ['size.depth', { unit: 'mm', depth: '5' }],
    ['size.deep', { unit: 'mm', deep: 5 }],
    ['size', 'mm'],
    ['photo', 'not base64!'],
    ['photo', 'YR=='],
    ['currency', 'eur'],
  ];
  for (const [field, value] of never) {
    it(`[REP-4] is never coerced: ${field} of ${JSON.stringify(value)} has only that error`, async () => {
      const [name = field] = field.split(/[.[]/);
      const body = { ...LAMP, sku: sku(), [name]: value };
      const { body: error } = await shop.row({
        send: 'POST /api/v1/products',
        body,
        status: 400,
        has: { errorCode: 'PRODUCT_INVALID' },
      });
      const { details } = JSON.parse(JSON.stringify(error)) as { details: { field: string }[] };
      assert.deepEqual([...new Set(details.map((detail) => detail.field))], [field]);
    });
  }

  it('[REP-7] of decimals and big integers is a string, by value', async () => {
    const body = { ...LAMP, sku: sku(), price: '-0.50', serial: '-9223372036854775808', quantity: 9007199254740991 };
    await shop.row({
      send: 'POST /api/v1/products',
      body,
      ...CREATED,
      has: { price: '-0.50', serial: '-9223372036854775808', quantity: 9007199254740991 },
    });
  });

  it('[REP-5] that is unknown is 400 with its name and a suggestion', async () => {
    const { body } = await shop.row({
      send: 'POST /api/v1/products',
      body: { ...LAMP, sku: sku(), categori: 'x', 'a.b': 1 },
      status: 400,
      has: { errorCode: 'PRODUCT_INVALID' },
    });
    assert.deepEqual(body['details']?.[0], {
      field: 'categori',
      message: 'is not a known field; did you mean "category"?',
    });
    assert.equal(body['details']?.length, 2);
  });

  it('[REP-5] that is unknown is ignored with handling=lenient, and reported', async () => {
    const headers = { Prefer: 'handling=lenient' };
    const expectHeaders = { 'Preference-Applied': 'handling=lenient' };
    const self = '/api/v1/notes/lenient';
    for (const [send, status, events] of [
      [`PUT ${self}`, 201, ['note.created']],
      [`PUT ${self}`, 200, []],
      [`PATCH ${self}`, 200, []],
    ] as const) {
      const body = { text: 'x', unknown: { deep: [1] } };
      const { text } = await shop.row({ send, headers, body, status, expectHeaders, events });
      assert.ok(!text.includes('unknown'), text);
    }
    await shop.row({ send: 'POST /api/v1/notes', headers, body: { id: 5, unknown: 1 }, status: 400 });
    await shop.row({ send: `GET ${self}?unknown=1`, headers, status: 200, expectHeaders });
    await shop.row({ send: `DELETE ${self}?unknown=1`, headers, status: 204, expectHeaders, events: ['note.deleted'] });
  });
});
