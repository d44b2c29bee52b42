import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { create, SHOP } from '../models/shop-model.ts';

let shop: ApiUnderTest;
let id: string;
before(async () => {
  shop = await apiUnderTest(SHOP);
  ({ id } = await create(shop, 'products', {
    sku: 'a',
    name: '=1 <&>\r',
    price: '5',
    tags: ['x', ''],
    labels: { 'a b': 'c' },
    size: { unit: 'mm' },
  }));
  await create(shop, 'products', { sku: 'b', name: 'B', price: '-1' });
});
after(() => shop.close());

const AT = '2026-01-02T03:04:05.678Z';

describe('one resource', () => {
  it('[NEG-4] in XML has one element per member, and the singular name as root', async () => {
    const { text } = await shop.row({
      send: `GET /api/v1/products/${id}`,
      headers: { Accept: 'application/xml' },
      status: 200,
      expectHeaders: { 'Content-Type': 'application/xml' },
    });
    assert.ok(
      text.startsWith(
        `<?xml version="1.0" encoding="UTF-8"?>\n<product xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><id>${id}</id><sku>a</sku><name>=1 &lt;&amp;&gt;&#13;</name><price>5.00</price>`,
      ),
      text,
    );
    assert.ok(text.includes('<category xsi:nil="true"/>'), text);
    assert.ok(
      text.includes(
        '<tags><item>x</item><item/></tags><labels><entry key="a b">c</entry></labels><size><unit>mm</unit><depth xsi:nil="true"/></size>',
      ),
      text,
    );
    assert.ok(text.includes(`<created_at>${AT}</created_at>`), text);
    assert.ok(text.endsWith('</links></product>'), text);
    assert.ok(!text.includes('cost'), 'write-only fields stay inside');
  });

  it('[NEG-6] in text is one line per value', async () => {
    const { text } = await shop.row({
      send: `GET /api/v1/products/${id}`,
      headers: { Accept: 'text/plain' },
      status: 200,
      expectHeaders: { 'Content-Type': 'text/plain; charset=utf-8' },
    });
    assert.ok(text.startsWith(`id: ${id}\nsku: a\nname: =1 <&>\\r\nprice: 5.00\n`), text);
    assert.ok(text.includes('\ntags[0]: x\ntags[1]: \nlabels.a b: c\nsize.unit: mm\nsize.depth: \n'), text);
    assert.ok(text.includes(`\nlinks.self: /api/v1/products/${id}\n`), text);
  });

  it('[NEG-1] is returned by a write in the accepted format', async () => {
    const made = await shop.row({
      send: 'POST /api/v1/notes',
      headers: { Accept: 'text/plain' },
      body: { id: 'n' },
      status: 201,
      events: ['note.created'],
    });
    assert.ok(made.text.startsWith('id: n\ntext: \n'));
  });

  for (const accept of ['text/csv', 'application/x-ndjson']) {
    it(`[NEG-1] is not available as ${accept}`, async () => {
      await shop.row({ send: `GET /api/v1/products/${id}`, headers: { Accept: accept }, status: 406 });
      await shop.row({ send: 'POST /api/v1/notes', headers: { Accept: accept }, body: { id: 'never' }, status: 406 });
    });
  }
});

describe('a page', () => {
  const FACTS = { Link: /rel="self".*rel="next"/, 'X-Next-Cursor': /^[\w-]+$/, 'X-Total-Count': '2' };
  const SEND = 'GET /api/v1/products?limit=1&include_total=true&sort=sku';

  it('[NEG-4] in XML is a collection with data, page and links', async () => {
    const { text } = await shop.row({
      send: SEND,
      headers: { Accept: 'application/xml' },
      status: 200,
      expectHeaders: { 'X-Next-Cursor': null },
    });
    assert.match(
      text,
      /^<\?xml [^>]*>\n<collection [^>]*><data><product><id>.*<\/product><\/data><page><technique>cursor<\/technique><limit>1<\/limit>.*<\/page><links><self>.*<\/links><\/collection>$/s,
    );
  });

  it('[NEG-1] in CSV is a header and one row per item, protected against formulas', async () => {
    const { text } = await shop.row({
      send: SEND,
      headers: { Accept: 'text/csv' },
      status: 200,
      expectHeaders: { ...FACTS, 'Content-Type': 'text/csv; charset=utf-8; header=present' },
    });
    const [header = '', row = '', ...rest] = text.split('\r\n');
    assert.equal(
      header,
      'id,sku,name,price,currency,category,quantity,weight,fragile,serial,due,released_at,tags,labels,size.unit,size.depth,status,supplier_id,related_ids,photo,owner_id,created_at,updated_at,revision',
    );
    assert.deepEqual(rest, ['']);
    assert.ok(row.startsWith(`${id},a,"'=1 <&>\r",5.00,EUR,,`), row);
    assert.ok(row.includes('"[""x"",""""]","{""a b"":""c""}",mm,,DRAFT'), row);
  });

  it('[NEG-1] in NDJSON is one line of JSON per item', async () => {
    const json = await shop.row({
      send: SEND,
      status: 200,
      expectHeaders: { 'X-Next-Cursor': null, 'X-Total-Count': null },
    });
    const { text } = await shop.row({
      send: SEND,
      headers: { Accept: 'application/x-ndjson' },
      status: 200,
      expectHeaders: { ...FACTS, 'Content-Type': 'application/x-ndjson' },
    });
    assert.equal(text, `${JSON.stringify(json.body['data'][0])}\n`);
  });

  it('[NEG-6] in text is the items, separated by blank lines', async () => {
    const { text } = await shop.row({
      send: 'GET /api/v1/products?sort=sku',
      headers: { Accept: 'text/plain' },
      status: 200,
    });
    assert.equal(text.split('\n\nid: ').length, 2);
  });

  it('[NEG-1] that is empty has no rows', async () => {
    const none = 'GET /api/v1/products?category=none';
    assert.equal((await shop.row({ send: none, headers: { Accept: 'application/x-ndjson' }, status: 200 })).text, '');
    assert.equal(
      (await shop.row({ send: none, headers: { Accept: 'text/csv' }, status: 200 })).text.split('\r\n').length,
      2,
    );
  });

  it('[CACHE-1] [CACHE-2] has an ETag per format', async () => {
    const tags = new Set<string>();
    for (const Accept of ['application/json', 'application/xml', 'text/plain', 'text/csv', 'application/x-ndjson']) {
      const { headers } = await shop.row({ send: SEND, headers: { Accept }, status: 200 });
      const tag = headers.get('etag') ?? '';
      tags.add(tag);
      await shop.row({
        send: SEND,
        headers: { Accept, 'If-None-Match': tag },
        status: 304,
        expectHeaders: { 'X-Total-Count': null, Link: null },
      });
    }
    assert.equal(tags.size, 5);
  });

  it('[NEG-1] links to the next page with X-Next-Cursor', async () => {
    const first = await shop.row({ send: SEND, headers: { Accept: 'application/x-ndjson' }, status: 200 });
    const next = `GET /api/v1/products?after=${first.headers.get('x-next-cursor')}&limit=1`;
    const second = await shop.row({
      send: next,
      headers: { Accept: 'application/x-ndjson' },
      status: 200,
      expectHeaders: { 'X-Next-Cursor': null },
    });
    assert.equal(JSON.parse(second.text)['sku'], 'b');
  });
});

describe('the root', () => {
  it('[REP-10a] [NEG-1] is available in XML and text', async () => {
    assert.match(
      (await shop.row({ send: 'GET /api/v1', headers: { Accept: 'application/xml' }, status: 200 })).text,
      /<api [^>]*><name>shop<\/name>.*<order_items>\/api\/v1\/order-items<\/order_items>/s,
    );
    assert.match(
      (await shop.row({ send: 'GET /api/v1', headers: { Accept: 'text/plain' }, status: 200 })).text,
      /^name: shop\n/,
    );
  });
});
