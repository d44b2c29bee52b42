import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { readCodes, readRows, readPage } from './guide-pages.ts';

const guide = readPage('docs/guides/collections.md');

const MODEL = `
name: desk
resources:
  suppliers:
    id: client
    schema: { type: object, properties: { country: { type: string }, address: { type: object, properties: { city: { type: string } } } } }
  customers: { id: client, schema: { type: object, properties: { name: { type: string } } } }
  labels: { id: client, schema: { type: object, properties: { name: { type: string } } } }
  products:
    id: client
    schema:
      type: object
      properties:
        name: { type: string }
        price: { type: number }
        category: { type: string }
        status: { type: string, enum: [ACTIVE, DRAFT, CLOSED] }
        tags: { type: array, items: { type: string } }
        due: { type: string, format: date }
        limit: { type: integer }
        address: { type: object, properties: { city: { type: string } } }
        supplier_id: { type: string, x-references: { resource: suppliers, inverse: products } }
        label_ids: { type: array, items: { type: string, x-references: { resource: labels } } }
    search: [name]
    indexes: [[category, price]]
  reviews:
    id: client
    schema:
      type: object
      properties:
        stars: { type: integer }
        author: { type: string }
        customer_id: { type: string, x-references: { resource: customers } }
        product_id: { type: string, x-references: { resource: products, inverse: reviews } }
`;

const ROWS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  suppliers: { no: { country: 'NO', address: { city: 'Oslo' } }, se: { country: 'SE' }, open: {} },
  customers: { ann: { name: 'Ann' } },
  labels: { red: { name: 'red' } },
  products: {
    a: { name: '50% off', price: 4, category: 'books', status: 'ACTIVE', supplier_id: 'no', address: { city: 'Oslo' } },
    b: { name: 'Oslo map', price: 12, category: 'books', status: 'DRAFT', tags: ['red'], supplier_id: 'se', limit: 5 },
    c: { name: 'São Paulo', price: 3, category: 'books', status: 'CLOSED', due: '2026-01-01', supplier_id: 'open' },
    d: { name: 'Lamp', price: 15, category: 'lamps', status: 'ACTIVE', label_ids: ['red'] },
    e: { name: 'Plain' },
  },
  reviews: {
    r1: { product_id: 'a', stars: 5, author: 'bob', customer_id: 'ann' },
    r2: { product_id: 'b', stars: 1, author: 'ann' },
    r3: { product_id: 'd', stars: 3, author: 'bob' },
  },
};

/** The products that each filter of the guide matches. */
const MATCHES: Readonly<Record<string, string>> = {
  'status=ACTIVE': 'ad',
  'status[eq]=ACTIVE': 'ad',
  'status=ACTIVE&status=DRAFT': 'abd',
  'status[in]=ACTIVE,DRAFT': 'abd',
  'status[ne]=…': 'bce',
  'status[nin]=…,…': 'ce',
  'price[gte]=10&price[lt]=20': 'bd',
  'name[contains]=50%25': 'a',
  'name[starts_with]=Os': 'b',
  'tags[contains]=red': 'b',
  'due[exists]=false': 'abde',
  'address.city=Oslo': 'a',
  'filter[limit]=5': 'b',
  'supplier.country=NO': 'a',
  'supplier.country[in]=NO,SE&status=ACTIVE': 'a',
  'supplier.address.city[starts_with]=Os': 'a',
  'reviews.stars[gte]=4': 'a',
  'reviews.id[exists]=true': 'abd',
  'reviews.author=ann&reviews.stars[lt]=4': 'b',
  'supplier.country[ne]=NO': 'bcde',
  'supplier.country[ne]=NO&supplier_id[exists]=true': 'bc',
  'any[1][status]=ACTIVE&any[2][price][lt]=5&category=books': 'ac',
  'any[1][status]=ACTIVE&any[1][price][gt]=5&any[2][supplier.country]=SE': 'bd',
  'any[1][reviews.stars]=5&any[2][reviews.stars]=1': 'ab',
};

let desk: ApiUnderTest;
before(async () => {
  desk = await apiUnderTest(MODEL);
  for (const [collection, items] of Object.entries(ROWS))
    for (const [id, body] of Object.entries(items)) {
      const { status } = await desk.send({ send: `PUT /api/v1/${collection}/${id}`, body });
      assert.equal(status, 201, `${collection}/${id}`);
    }
});
after(() => desk.close());

/** The ids of a page, without separators. */
async function found(query: string): Promise<string> {
  const { status, body, text } = await desk.send({ send: `GET /api/v1/products?${query}` });
  assert.equal(status, 200, `${query}: ${text}`);
  return body.data.map(({ id }: { readonly id: string }) => id).join('');
}

/** A filter of the guide, with values in place of `…`. */
function completed(filter: string): string {
  return filter.replace('…,…', 'ACTIVE,DRAFT').replace('…', 'ACTIVE');
}

describe('the guide to collections', () => {
  const filters = ['## Filtering', '### By related resources', '### Alternatives'].flatMap((heading) =>
    readRows(guide, heading).flatMap(([cell]) => readCodes(cell)),
  );

  it('has no other filters in its tables', () => {
    assert.deepEqual(filters.toSorted(), Object.keys(MATCHES).toSorted());
  });

  for (const filter of filters)
    it(`[QRY-1] shows what matches: ${filter}`, async () => {
      assert.equal(await found(completed(filter)), MATCHES[filter]);
    });

  it('[PAGE-4] shows parameters of a first page and of a next one, and their technique', async () => {
    const { body } = await desk.send({ send: 'GET /api/v1/products?limit=2' });
    const values: Readonly<Record<string, string>> = {
      after: body.page.next_cursor,
      last_id: 'b',
      before: '2999-01-01T00:00:00Z',
      after_timestamp: body.data[1].created_at,
      after_id: 'b',
    };
    const rows = readRows(guide, '## Pagination');
    assert.equal(rows.length, 7);
    for (const [technique = '', ...cells] of rows)
      for (const query of cells.slice(0, 2).flatMap(readCodes)) {
        // A code without a value names a member of the response, or a parameter of the row.
        if (!query.includes('=')) continue;
        const filled = query.replaceAll(/(\w+)=[^&]*…/g, (_, name: string) => `${name}=${values[name] ?? ''}`);
        const { status, body: page } = await desk.send({ send: `GET /api/v1/products?${filled}` });
        assert.equal(status, 200, `${technique}: ${filled}`);
        const [name] = technique.split(' ');
        const names = technique.startsWith('hybrid') ? ['cursor', 'hybrid'] : [name];
        assert.ok(
          names.includes(page.page.technique) || filled.startsWith('after='),
          `${filled}: ${page.page.technique}`,
        );
      }
  });

  for (const [parameter, expected] of [
    ['sort=-price,name', 'dbace'],
    ['category=books&sort=price', 'cab'],
    ['fields=name,address.city', 'abcde'],
    ['expand=supplier,reviews.customer', 'abcde'],
    ['q=sao pau', 'c'],
  ] as const)
    it(`[QRY-4] shows the parameter ${parameter}`, async () => {
      assert.ok(guide.includes(`\`${parameter}\``), 'the guide has it');
      assert.equal(await found(parameter.replaceAll(' ', '%20')), expected);
    });

  it('[QRY-4] embeds the relations that it shows', async () => {
    const { body } = await desk.send({ send: 'GET /api/v1/products/a?expand=supplier,reviews.customer' });
    assert.deepEqual([body.supplier.country, body.reviews.data[0].customer.name], ['NO', 'Ann']);
    const labelled = await desk.send({ send: 'GET /api/v1/products/d?expand=labels' });
    assert.deepEqual(
      labelled.body.labels.data.map(({ name }: { readonly name: string }) => name),
      ['red'],
    );
  });
});
