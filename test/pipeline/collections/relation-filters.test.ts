import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUnderTest, column, type Seen } from '../support/api-under-test.ts';
import { sixProducts } from '../models/market-model.ts';
import { parseIds } from '../models/shop-model.ts';

let market: ApiUnderTest;
before(async () => {
  market = await sixProducts();
});
after(() => market.close());

const get = (path: string): Promise<Seen> => market.row({ send: `GET /api/v1/${path}`, status: 200 });
const found = async (path: string): Promise<string> =>
  parseIds(await get(path))
    .toSorted()
    .join(' ');

describe('a filter through a relation', () => {
  const rows: readonly (readonly [path: string, ids: string])[] = [
    ['products?supplier.country=NO', 'p1 p2'],
    ['products?filter[supplier.country]=NO', 'p1 p2'],
    ['products?supplier.country=NO&supplier.country=SE', 'p1 p2 p3'],
    ['products?supplier.country[in]=NO,SE', 'p1 p2 p3'],
    ['products?supplier.country[in]=NO%2CSE', ''],
    ['products?supplier.kind[in]=SHOP%2CFARM', 'p1 p2 p3'],
    ['products?supplier.id=xx', 'p4'],
    ['products?supplier.country[gt]=NO', 'p3'],
    ['products?supplier.country[gte]=NO&supplier.country[lt]=SE', 'p1 p2'],
    ['products?supplier.name[starts_with]=N', 'p1 p2 p4'],
    ['products?supplier.name[contains]=y', 'p3'],
    ['products?supplier.since[exists]=true', 'p3'],
    ['products?supplier.address.city=Oslo', 'p1 p2'],
    ['products?supplier.address.city[ne]=Oslo&supplier.country[exists]=true', 'p3'],
    ['products?supplier.country=NO&status=ACTIVE&category=books', 'p1'],
    ['products?supplier.country=NO&supplier.kind=FARM', ''],
    ['products?supplier_id=no&supplier.country=NO', 'p1 p2'],
    ['products?reviews.stars=5', 'p1'],
    ['products?reviews.author=ann', 'p1 p2'],
    ['products?reviews.author=ann&reviews.stars[lt]=5', 'p2'],
    ['products?reviews.stars[gte]=2&reviews.stars[lte]=4', 'p2'],
    ['products?reviews.author[ne]=ann', 'p1'],
    ['products?reviews.id=r1', 'p1 p2'],
    ['products?reviews.stars[exists]=false', ''],
    ['suppliers?products.status=ACTIVE', 'no xx'],
    ['suppliers?products.status=ACTIVE&products.category=toys', 'xx'],
    ['suppliers?products.name=c', 'se'],
    ['suppliers?products.tags[contains]=t', 'no'],
    ['suppliers?products.dims.w[gte]=1', 'no'],
    ['suppliers?products.price[lt]=4.005', 'no se'],
    ['suppliers?owner.country=NO', 'se'],
    ['suppliers?owned.country=SE', 'no'],
    ['suppliers?owner.name=Nord&owned.name=Syd', ''],
    ['products/p1/reviews?product.category=books', 'r1 r2'],
    ['products/p1/reviews?product.category=toys', ''],
    ['products/p1/reviews?product.category=books&stars=5', 'r1'],
  ];
  for (const [path, ids] of rows) {
    it(`[QRY-1] ${path} finds ${ids === '' ? 'nothing' : ids}`, async () => assert.equal(await found(path), ids));
  }

  const unset: readonly (readonly [path: string, ids: string])[] = [
    ['products?supplier.country[ne]=NO', 'p3 p4 p5 p6'],
    ['products?supplier.country[nin]=NO,SE', 'p4 p5 p6'],
    ['products?supplier.country[exists]=false', 'p4 p5 p6'],
    ['products?supplier.id[exists]=false', 'p5 p6'],
    ['products?supplier.country[exists]=false&supplier.name[exists]=true', 'p4'],
    ['products?supplier.country[ne]=NO&supplier.name[ne]=None', 'p3 p5 p6'],
    ['suppliers?owner.country[exists]=false', 'no xx'],
  ];
  for (const [path, ids] of unset) {
    it(`[QRY-1] [QRY-7] ${path} finds ${ids}: the fields of an absent row are unset`, async () =>
      assert.equal(await found(path), ids));
  }

  it('[QRY-1] [PAGE-5] [PAGE-9b] is in every order, on every page, in totals and links', async () => {
    const first = await get('products?supplier.country[in]=SE,NO&sort=-price&limit=2&include_total=true');
    assert.deepEqual(parseIds(first), ['p2', 'p3']);
    assert.equal(first.body['page']['total_count'], 3);
    assert.match(first.body['links']['self'], /\?supplier\.country%5Bin%5D=SE,NO&sort=-price&limit=2/);
    const next = await market.row({ send: `GET ${first.body['links']['next']}`, status: 200 });
    assert.deepEqual(parseIds(next), ['p1']);
    assert.deepEqual(parseIds(await market.send({ send: `GET ${next.body['links']['prev']}` })), ['p2', 'p3']);
    assert.deepEqual(parseIds(await get('products?supplier.country=NO&page=2&limit=1')), ['p2']);
  });

  const wrong: readonly (readonly [path: string, field: string, message: RegExp])[] = [
    ['products?suplier.country=NO', 'suplier.country', /did you mean "supplier\.country"/],
    ['products?supplier.contry=NO', 'supplier.contry', /did you mean "supplier\.country"/],
    ['products?supplier.contry[in]=NO', 'supplier.contry[in]', /did you mean "supplier\.country\[in\]"/],
    ['products?supplier[country]=NO', 'supplier[country]', /did you mean "supplier\.country"/],
    [
      'products?supplier=no',
      'supplier',
      /supplier is a relation: filter by one of its fields: supplier\.id, supplier\.name/,
    ],
    ['products?supplier.zzzzzz=NO', 'supplier.zzzzzz', /filterable fields of supplier: supplier\.id, /],
    ['products?supplier.secret=x', 'supplier.secret', /filterable fields of supplier: /],
    ['products?supplier.owner.name=x', 'supplier.owner.name', /one relation, and owner is the second/],
    ['products?reviews.product.name=x', 'reviews.product.name', /one relation, and product is the second/],
    ['products?vendors.city=x', 'vendors.city', /no relation of product; known relations: supplier, reviews/],
  ];
  for (const [path, field, message] of wrong) {
    it(`[QRY-5] that is unknown is 400 with what is meant: ${path}`, async () => {
      const has = { errorCode: 'REQUEST_PARAMETER_UNKNOWN' };
      const { body } = await market.row({ send: `GET /api/v1/${path}`, status: 400, has });
      assert.deepEqual(column(body['details'], 'field'), [field]);
      assert.match(body['details'][0]['message'], message);
      await market.row({ send: `GET /api/v1/${path}`, headers: { Prefer: 'handling=lenient' }, status: 200 });
    });
  }

  const invalid: readonly (readonly [path: string, field: string, message: RegExp])[] = [
    ['products?supplier.kind=SHIP', 'supplier.kind', /must be one of SHOP, FARM/],
    ['products?supplier.since[gt]=soon', 'supplier.since[gt]', /date/],
    [
      'products?supplier.country[like]=N',
      'supplier.country[like]',
      /unknown operator; supported: supplier\.country\[eq\]/,
    ],
    ['products?reviews.stars[contains]=1', 'reviews.stars[contains]', /does not support contains/],
    ['suppliers?products.tags=t', 'products.tags', /supported: products\.tags\[contains\]/],
    [
      'suppliers?products.created_at[gt]=2026-01-01T00:00:00Z',
      'products.created_at[gt]',
      /not filterable; filterable fields: products\.id, products\.name/,
    ],
  ];
  for (const [path, field, message] of invalid) {
    it(`[QRY-2] that is invalid is 400 with its parameter: ${path}`, async () => {
      const has = { errorCode: 'QUERY_FILTER_INVALID' };
      const { body } = await market.row({ send: `GET /api/v1/${path}`, status: 400, has });
      assert.deepEqual(column(body['details'], 'field'), [field]);
      assert.match(body['details'][0]['message'], message);
    });
  }
});

describe('alternatives', () => {
  const rows: readonly (readonly [query: string, ids: string])[] = [
    ['any[1][status]=ACTIVE&any[2][price][lt]=5&category=books', 'p1 p5'],
    ['category=books&any[2][price][lt]=5&any[1][status]=ACTIVE', 'p1 p5'],
    ['any%5B1%5D%5Bstatus%5D=ACTIVE&any%5B2%5D%5Bprice%5D%5Blt%5D=5', 'p1 p3 p4 p5'],
    ['any[1][status]=ACTIVE&any[1][category]=toys&any[3][price]=8', 'p4 p6'],
    ['any[1][status]=ACTIVE', 'p1 p4'],
    ['any[10][status]=ACTIVE&any[10][status]=DRAFT', 'p1 p2 p3 p4 p5'],
    ['any[1][status][in]=ACTIVE,DRAFT&any[2][status][exists]=false', 'p1 p2 p3 p4 p5 p6'],
    ['any[1][supplier.country]=SE&any[2][reviews.stars]=3', 'p2 p3'],
    ['any[1][supplier.country][ne]=NO&any[1][price][gt]=8&any[2][name]=a', 'p1 p4'],
    ['any[1][reviews.author]=ann&any[1][reviews.stars]=1&any[2][name]=f', 'p6'],
    ['any[1][reviews.author]=ann&any[2][name]=f&reviews.stars=1', 'p1'],
    ['any[1][dims.w]=1&any[2][tags][contains]=t', 'p1 p2'],
    ['any[1][limit]=5&any[2][name]=a&limit=2', 'p1 p3'],
    ['any[1][filter][limit]=5&any[2][name]=a', 'p1 p3'],
    ['any[1][name]=none&any[2][id]=none', ''],
    ['any[1][name]=a&any[2][name]=a', 'p1'],
    ['supplier.country=NO&any[1][name]=a&any[2][supplier.id]=se', 'p1'],
  ];
  for (const [query, ids] of rows) {
    it(`[QRY-1] ${query} finds ${ids === '' ? 'nothing' : ids}`, async () => {
      assert.equal(await found(`products?${query}`), ids);
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const asked = await market.row({ send: 'QUERY /api/v1/products', headers, body: query, status: 200 });
      assert.equal(parseIds(asked).toSorted().join(' '), ids, 'as a form');
    });
  }

  it('[QRY-1] [PAGE-2] have one canonical order in links, and one cursor whatever their numbers', async () => {
    const query = 'any[3][price][lt]=5&any[1][status]=ACTIVE&any[3][status]=DRAFT&supplier.country[exists]=true';
    const first = await get(`products?${query}&limit=1`);
    assert.equal(
      decodeURIComponent(first.body['links']['self']),
      '/api/v1/products?supplier.country[exists]=true&any[1][status]=ACTIVE&any[3][price][lt]=5&any[3][status]=DRAFT&limit=1',
    );
    const next = await market.row({ send: `GET ${first.body['links']['next']}`, status: 200 });
    assert.deepEqual([...parseIds(first), ...parseIds(next)], ['p1', 'p3']);
    const cursor = first.body['page']['next_cursor'];
    const renumbered =
      'any[2][status]=DRAFT&any[2][price][lt]=5.00&any[7][status]=ACTIVE&supplier.country[exists]=true';
    assert.deepEqual(parseIds(await get(`products?after=${cursor}&${renumbered}`)), ['p3']);
    assert.deepEqual(parseIds(await get(`products?after=${cursor}`)), ['p3']);
  });

  for (const other of [
    'any[1][status]=ACTIVE&any[3][price][lt]=5',
    'any[1][status]=ACTIVE&any[1][price][lt]=5',
    'any[1][status]=ACTIVE&any[2][supplier.country]=SE',
    'any[1][status]=ACTIVE&any[2][supplier.country]=NO&any[3][name]=a',
    'status=ACTIVE&supplier.country=NO',
  ]) {
    it(`[PAGE-6] are compared with those of the cursor: ${other}`, async () => {
      const { body } = await get('products?any[1][status]=ACTIVE&any[2][supplier.country]=NO&limit=1');
      const send = `GET /api/v1/products?after=${body['page']['next_cursor']}&${other}`;
      await market.row({ send, status: 400, has: { errorCode: 'PAGINATION_CURSOR_MISMATCH' } });
    });
  }

  const wrong: readonly (readonly [query: string, code: string, field: string, message: RegExp])[] = [
    ['any[0][status]=ACTIVE', 'QUERY_FILTER_INVALID', 'any[0][status]', /numbers from 1 to 10/],
    ['any[11][status]=ACTIVE', 'QUERY_FILTER_INVALID', 'any[11][status]', /is in group "11"; .*from 1 to 10/],
    ['any[a][status]=ACTIVE', 'QUERY_FILTER_INVALID', 'any[a][status]', /numbers from 1 to 10/],
    ['any[01][status]=ACTIVE', 'QUERY_FILTER_INVALID', 'any[01][status]', /numbers from 1 to 10/],
    ['any[][status]=ACTIVE', 'QUERY_FILTER_INVALID', 'any[][status]', /numbers from 1 to 10/],
    ['any[1]=ACTIVE', 'QUERY_FILTER_INVALID', 'any[1]', /has no filter; write any\[1\]\[field\]=value/],
    ['any[1][]=ACTIVE', 'QUERY_FILTER_INVALID', 'any[1][]', /has no filter/],
    ['any[]=ACTIVE', 'QUERY_FILTER_INVALID', 'any[]', /has no filter/],
    ['any[1][status]=OPEN', 'QUERY_FILTER_INVALID', 'any[1][status]', /must be one of DRAFT, ACTIVE/],
    ['any[1][created_at]=x', 'QUERY_FILTER_INVALID', 'any[1][created_at]', /not filterable/],
    ['any[1][statsu]=ACTIVE', 'REQUEST_PARAMETER_UNKNOWN', 'any[1][statsu]', /did you mean "any\[1\]\[status\]"/],
    ['any[2][prize][lt]=5', 'REQUEST_PARAMETER_UNKNOWN', 'any[2][prize][lt]', /did you mean "any\[2\]\[price\]\[lt\]"/],
    ['any[1][dims][w]=5', 'REQUEST_PARAMETER_UNKNOWN', 'any[1][dims][w]', /did you mean "any\[1\]\[dims\.w\]"/],
    [
      'any[1][supplier][country]=5',
      'REQUEST_PARAMETER_UNKNOWN',
      'any[1][supplier][country]',
      /did you mean "any\[1\]\[supplier\.country\]"/,
    ],
    ['any[1][supplier.owner.name]=5', 'REQUEST_PARAMETER_UNKNOWN', 'any[1][supplier.owner.name]', /one relation/],
    ['any[1][any][2][status]=5', 'REQUEST_PARAMETER_UNKNOWN', 'any[1][any][2][status]', /not a known parameter/],
    ['any[1][q]=x', 'REQUEST_PARAMETER_UNKNOWN', 'any[1][q]', /not a known parameter/],
    ['any=ACTIVE', 'REQUEST_PARAMETER_UNKNOWN', 'any', /any\[1\]\[field\]=value/],
    ['any[1][price][lt]=5&any[1][price][lt]=6', 'REQUEST_PARAMETER_DUPLICATED', 'any[1][price][lt]', /once/],
  ];
  for (const [query, errorCode, field, message] of wrong) {
    it(`[QRY-1] [QRY-5] that are wrong are 400 with what is meant: ${query}`, async () => {
      const { body } = await market.row({ send: `GET /api/v1/products?${query}`, status: 400, has: { errorCode } });
      assert.deepEqual(column(body['details'], 'field'), [field]);
      assert.match(body['details'][0]['message'], message);
    });
  }
});

describe('a page that is filtered by other resources', () => {
  const writes: readonly (readonly [title: string, query: string, write: string, body: object | undefined])[] = [
    ['a related row', 'products?supplier.country=NO', 'PATCH suppliers/no', { country: 'DK' }],
    [
      'a related row of an alternative',
      'products?any[1][name]=a&any[2][supplier.country]=SE',
      'PATCH suppliers/se',
      { country: 'DK' },
    ],
    [
      'a new row that refers to one',
      'suppliers?products.name=new',
      'POST products',
      { id: 'p7', name: 'new', supplier_id: 'xx' },
    ],
    ['a deleted child', 'products?reviews.stars=3', 'DELETE products/p2/reviews/r1', undefined],
  ];
  for (const [title, query, write, body] of writes) {
    it(`[CACHE-1] [CACHE-2] has another ETag and other rows after a write to ${title}`, async () => {
      await using own = await sixProducts();
      const send = `GET /api/v1/${query}`;
      const first = await own.row({ send, status: 200 });
      await own.row({ send, status: 200 });
      const known = { 'If-None-Match': first.headers.get('etag') ?? '' };
      await own.row({ send, headers: known, status: 304 });
      await own.send({ send: write.replace(' ', ' /api/v1/'), body });
      const second = await own.send({ send, headers: known });
      assert.equal(second.status, 200, second.text);
      assert.notEqual(second.headers.get('etag'), first.headers.get('etag'));
      assert.notDeepEqual(parseIds(second), parseIds(first));
    });
  }

  it('[CACHE-5] may be stored no longer than what the filter reads', async () => {
    const control = async (path: string) => (await get(path)).headers.get('cache-control');
    assert.equal(await control('products?status=ACTIVE'), 'public, max-age=60');
    assert.equal(await control('products?supplier.country=NO'), 'no-cache');
    assert.equal(await control('products?any[1][name]=a&any[2][supplier.country]=NO'), 'no-cache');
  });
});
