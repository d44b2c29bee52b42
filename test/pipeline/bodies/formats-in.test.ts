import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create, LAMP, SHOP } from '../models/shop-model.ts';

let shop: ApiUnderTest;
before(async () => {
  shop = await apiUnderTest(SHOP);
});
after(() => shop.close());

const XML = { 'Content-Type': 'application/xml' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=b' };
const NIL = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"';
const CREATED = { status: 201, events: ['product.created'] };

describe('a form that is JSON', () => {
  const bodies = [
    '{"sku":"j1","name":"J","price":"5"}',
    '{"name":"a=b&c=d"}',
    ' \n[{"op":"remove","path":"/category"}]',
    '%7B%22name%22%3A%22J%22%7D',
  ];
  for (const body of bodies) {
    for (const [method, path] of [
      ['POST', 'products'],
      ['PUT', 'products/none'],
      ['PATCH', 'products/none'],
    ] as const) {
      it(`[NEG-2] is 415 with a hint: ${method} of ${JSON.stringify(body)}`, async () => {
        const { body: error } = await shop.row({
          send: `${method} /api/v1/${path}`,
          headers: FORM,
          body,
          status: 415,
          has: { errorCode: 'REQUEST_MEDIA_TYPE_UNSUPPORTED' },
          expectHeaders: { Accept: /application\/json/, 'Accept-Patch': method === 'PATCH' ? /json/ : null },
        });
        assert.match(error['errorMessage'], /send Content-Type: application\/json/);
      });
    }
  }

  it('[NEG-5] is no form with braces further on', async () => {
    const body = 'sku=j2&name={"a":1}&price=5&category=[x]';
    await shop.row({ ...CREATED, send: 'POST /api/v1/products', headers: FORM, body, has: { name: '{"a":1}' } });
  });
});

describe('XML request bodies', () => {
  it('[NEG-2] [NEG-4] creates a resource', async () => {
    await shop.row({
      ...CREATED,
      send: 'POST /api/v1/products',
      headers: XML,
      body: `<product><sku>x1</sku><name>X</name><price>5</price><quantity> 3 </quantity><fragile>true</fragile><serial>7</serial><tags><item>a</item></tags><labels><entry key="a b">c</entry></labels><size><unit>mm</unit></size><category ${NIL}/></product>`,
      has: {
        price: '5.00',
        quantity: 3,
        fragile: true,
        serial: '7',
        tags: ['a'],
        labels: { 'a b': 'c' },
        size: { unit: 'mm', depth: null },
        category: null,
      },
    });
  });

  it('[NEG-4] [REP-6] round-trips: GET, edit, PUT', async () => {
    const { id } = await create(shop, 'products', { ...LAMP, sku: 'x2', name: 'Y', labels: { k: 'v' }, tags: [''] });
    const send = `/api/v1/products/${id}`;
    const { text } = await shop.row({ send: `GET ${send}`, headers: { Accept: 'application/xml' }, status: 200 });
    const read = await shop.row({ send: `GET ${send}`, status: 200 });
    const same = await shop.row({
      send: `PUT ${send}`,
      headers: { ...XML, 'If-Match': read.headers.get('etag') ?? '' },
      body: text,
      status: 200,
    });
    assert.deepEqual(same.body, read.body);
    await shop.row({
      send: `PUT ${send}`,
      headers: XML,
      body: text.replace('<name>Y<', '<name>Z<'),
      status: 200,
      has: { name: 'Z', tags: [''] },
      events: ['product.updated'],
    });
  });

  it('[MET-3] patches: absent elements stay, xsi:nil sets null', async () => {
    const { id } = await create(shop, 'products', { ...LAMP, sku: 'x3', name: 'W', category: 'c', quantity: 1 });
    await shop.row({
      send: `PATCH /api/v1/products/${id}`,
      headers: XML,
      body: `<product><category ${NIL}/></product>`,
      status: 200,
      has: { category: null, quantity: 1, name: 'W' },
      events: ['product.updated'],
    });
  });

  const refused: readonly (readonly [title: string, body: string, code: string, field: string | null])[] = [
    ['a body that is not XML', '{}', 'REQUEST_BODY_MALFORMED', null],
    ['another root element', '<note/>', 'REQUEST_BODY_MALFORMED', null],
    ['an empty body', ' ', 'REQUEST_BODY_REQUIRED', null],
    [
      'unknown elements, by name',
      '<product><sku>q</sku><name>q</name><price>1</price><colour>red</colour></product>',
      'PRODUCT_INVALID',
      'colour',
    ],
    [
      'values of another type',
      '<product><sku>q</sku><name>q</name><price>1</price><quantity>many</quantity></product>',
      'PRODUCT_INVALID',
      'quantity',
    ],
  ];
  for (const [title, body, code, field] of refused) {
    it(`[NEG-4] [ERR-3] rejects ${title}`, async () => {
      const error = await shop.row({
        send: 'POST /api/v1/products',
        headers: XML,
        body,
        status: 400,
        has: { errorCode: code },
      });
      assert.equal(error.body['details'][0]?.field ?? null, field);
    });
  }

  it('[NEG-2] is accepted as a vendor type and with gzip, up to a limit', async () => {
    const body = '<note><id>gz</id></note>';
    await shop.row({
      send: 'POST /api/v1/notes',
      headers: { 'Content-Type': 'application/vnd.shop.v1+xml', 'Content-Encoding': 'gzip' },
      body: gzipSync(body),
      status: 201,
      events: ['note.created'],
    });
    const huge = `<note><id>huge</id><text>${'x'.repeat(1_100_000)}</text></note>`;
    await shop.row({
      send: 'POST /api/v1/notes',
      headers: { ...XML, 'Content-Encoding': 'gzip' },
      body: gzipSync(huge),
      status: 413,
    });
  });
});

describe('a form', () => {
  it('[NEG-2] [NEG-5] creates a resource', async () => {
    await shop.row({
      ...CREATED,
      send: 'POST /api/v1/products',
      headers: FORM,
      body: 'sku=f1&name=F+1&price=5.5&quantity=3&fragile=false&tags[]=a&tags[]=b&size[unit]=mm&size[depth]=&labels[a+b]=c&category=&due=',
      has: {
        name: 'F 1',
        price: '5.50',
        quantity: 3,
        fragile: false,
        tags: ['a', 'b'],
        size: { unit: 'mm', depth: null },
        labels: { 'a b': 'c' },
        category: '',
        due: null,
      },
    });
  });

  it('[NEG-5] rejects an empty value that the schema does not allow', async () => {
    const error = await shop.row({
      send: 'POST /api/v1/products',
      headers: FORM,
      body: 'sku=&name=&price=',
      status: 400,
      has: { errorCode: 'PRODUCT_INVALID' },
    });
    assert.deepEqual(error.body['details'].map(({ field }: { field: string }) => field).sort(), [
      'name',
      'price',
      'sku',
    ]);
  });

  it('[MET-3] patches the fields that it contains', async () => {
    const { id } = await create(shop, 'products', { ...LAMP, sku: 'f2', name: 'F2', category: 'c', tags: ['a'] });
    await shop.row({
      send: `PATCH /api/v1/products/${id}`,
      headers: FORM,
      body: 'category&tags[]',
      status: 200,
      has: { category: null, tags: [], name: 'F2' },
      events: ['product.updated'],
    });
  });

  it('[NEG-5] may be empty', async () => {
    await shop.row({
      send: 'POST /api/v1/order-items',
      headers: FORM,
      body: '&',
      status: 201,
      has: { quantity: 1 },
      events: ['order_item.created'],
    });
  });
});

describe('a multipart form', () => {
  const part = (head: string, content: string): string =>
    `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;

  it('[NEG-2] [NEG-5] creates a resource with a file and a JSON part', async () => {
    await shop.row({
      ...CREATED,
      send: 'POST /api/v1/products',
      headers: MULTIPART,
      body: `${part('name="sku"', 'm1')}${part('name="name"', 'M')}${part('name="price"', '5')}${part('name="photo"; filename="a.png"\r\nContent-Type: image/png', '\u0001')}${part('name="labels"\r\nContent-Type: application/json', '{"a":"b"}')}--b--\r\n`,
      has: { photo: 'AQ==', labels: { a: 'b' }, price: '5.00' },
    });
  });

  it('[NEG-5] rejects a file for a field that is not binary', async () => {
    await shop.row({
      send: 'POST /api/v1/products',
      headers: MULTIPART,
      body: `${part('name="name"; filename="a.txt"', 'x')}--b--`,
      status: 400,
      has: { errorCode: 'REQUEST_BODY_MALFORMED' },
    });
  });
});
