import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';

const MODEL = `
name: shop
version: 3.0.0
default_version: 3
resources:
  suppliers:
    id: client
    schema: { type: object, required: [name], properties: { name: { type: string }, city: { type: string } } }
  products:
    id: client
    search: [name]
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string, maxLength: 20 }
        price: { type: integer, minimum: 0, default: 1 }
        status: { type: string, enum: [DRAFT, ACTIVE, GONE], default: DRAFT }
        currency: { type: string, default: EUR }
        code: { type: string, x-unique: true }
        place: { type: object, properties: { city: { type: string }, shelf: { type: integer } } }
        supplier_id: { type: string, x-references: { resource: suppliers, as: supplier, inverse: products } }
  reviews:
    parent: products
    id: client
    schema: { type: object, properties: { text: { type: string }, stars: { type: integer } } }
versions:
  2.0.0:
    deprecated: 2026-06-01
    sunset: 2028-06-01
    changes:
      - { resource: products, rename: { title: name } }
      - { resource: products, without: [currency] }
      - { resource: products, fill: { currency: USD } }
      - { resource: products, values: { status: { draft: DRAFT, live: ACTIVE, gone: GONE } } }
      - { resource: suppliers, collection: vendors, singular: vendor }
  1.0.0:
    changes:
      - { resource: products, rename: { label: title, cost: price } }
      - { resource: products, with: { legacy: { schema: { type: string }, out: none } } }
      - { resource: products, move: { city: place.city } }
      - { resource: reviews, absent: true }
  0.9.0:
    retired: true
`;

async function shop(): Promise<ApiUnderTest> {
  const api = await apiUnderTest(MODEL);
  const create = async (path: string, body: object): Promise<void> => {
    const { status, text } = await api.send({ send: `POST /api/v3/${path}`, body });
    assert.equal(status, 201, text);
  };
  await create('suppliers', { id: 's', name: 'North' });
  const rows = [
    {
      id: 'a',
      name: 'Anvil',
      price: 3,
      status: 'ACTIVE',
      code: 'A',
      place: { city: 'Oslo', shelf: 1 },
      supplier_id: 's',
    },
    { id: 'b', name: 'Bolt', price: 2, currency: 'NOK', code: 'B' },
    { id: 'c', name: 'Cog', price: 1, status: 'GONE', supplier_id: 's' },
  ];
  for (const row of rows) await create('products', row);
  await create('products/a/reviews', { id: 'r', text: 'fine', stars: 5 });
  return api;
}

type Members = Readonly<Record<string, unknown>>;

async function get(api: ApiUnderTest, path: string) {
  return (await api.send({ send: `GET /api/${path}` })).body;
}

/** A body without what all versions have. */
function own({ created_at: _at, updated_at: _on, revision: _revision, links: _links, ...members }: Members): Members {
  return members;
}

const MERGE = { 'Content-Type': 'application/merge-patch+json' };

describe('a resource in an older contract', () => {
  it('[VER-5a] has its names, values and places of it', async () => {
    await using api = await shop();
    assert.deepEqual(own(await get(api, 'v2/products/a')), {
      id: 'a',
      title: 'Anvil',
      price: 3,
      status: 'live',
      code: 'A',
      place: { city: 'Oslo', shelf: 1 },
      supplier_id: 's',
    });
    assert.deepEqual(own(await get(api, 'v1/products/a')), {
      id: 'a',
      label: 'Anvil',
      cost: 3,
      status: 'live',
      code: 'A',
      place: { shelf: 1 },
      city: 'Oslo',
      supplier_id: 's',
      legacy: 'none',
    });
  });

  it('[VER-5a] [REP-9e] links to URLs of the contract', async () => {
    await using api = await shop();
    assert.deepEqual((await get(api, 'v2/products/a')).links, {
      self: '/api/v2/products/a',
      collection: '/api/v2/products',
      supplier: '/api/v2/vendors/s',
      reviews: '/api/v2/products/a/reviews',
    });
    assert.deepEqual((await get(api, 'v1/products/a')).links, {
      self: '/api/v1/products/a',
      collection: '/api/v1/products',
      supplier: '/api/v1/vendors/s',
    });
    assert.equal((await api.send({ send: 'GET /api/v1/products/a/reviews' })).status, 404);
    assert.equal((await api.send({ send: 'GET /api/v2/suppliers' })).status, 404);
    assert.equal((await api.send({ send: 'GET /api/v2/vendors' })).status, 200);
  });

  it('[VER-5a] [CACHE-1] has an ETag of its own', async () => {
    await using api = await shop();
    const etags = new Set<string | undefined>();
    const sent = ['v1/products/a', 'v2/products/a', 'v3/products/a', 'products/a'].map((path) => ({
      path,
      version: null,
    }));
    const named = ['1', '2', '3', '3.0.0', '2.0'].map((version) => ({ path: 'products/a', version }));
    for (const { path, version } of [...sent, ...named]) {
      const headers = version === null ? {} : { 'API-Version': version };
      const first = await api.send({ send: `GET /api/${path}`, headers });
      const again = await api.send({ send: `GET /api/${path}`, headers });
      assert.deepEqual([again.text, again.headers.get('etag')], [first.text, first.headers.get('etag')]);
      etags.add(first.headers.get('etag'));
    }
    // One for each version and each form of links.
    assert.equal(etags.size, 6);
    const older = (await api.send({ send: 'GET /api/v2/products/a' })).headers.get('etag') ?? '';
    const other = await api.send({ send: 'GET /api/v3/products/a', headers: { 'If-None-Match': older } });
    assert.equal(other.status, 200);
  });

  for (const type of ['application/xml', 'text/plain', 'text/csv', 'application/x-ndjson']) {
    it(`[VER-5a] is written by its names as ${type}`, async () => {
      await using api = await shop();
      const { text } = await api.send({ send: 'GET /api/v2/products?sort=id', headers: { Accept: type } });
      assert.match(text, /title/);
      assert.match(text, /live/);
      assert.doesNotMatch(text, /currency|EUR|ACTIVE|\bname\b/);
    });
  }

  it('[VER-5a] [QRY-4] is embedded in the same contract', async () => {
    await using api = await shop();
    const { supplier } = await get(api, 'v2/products/a?expand=supplier');
    assert.equal(supplier.links.self, '/api/v2/vendors/s');
    const { products } = await get(api, 'v1/vendors/s?expand=products');
    assert.deepEqual(
      products.data.map((each: Members) => [each['label'], each['legacy']]),
      [
        ['Anvil', 'none'],
        ['Cog', 'none'],
      ],
    );
  });
});

describe('a query in an older contract', () => {
  const queries: readonly (readonly [query: string, ids: readonly string[]])[] = [
    ['v2/products?title=Bolt', ['b']],
    ['v2/products?title[starts_with]=A', ['a']],
    ['v1/products?label=Bolt', ['b']],
    ['v1/products?cost[gte]=2&sort=-cost', ['a', 'b']],
    ['v1/products?sort=cost,label', ['c', 'b', 'a']],
    ['v2/products?status=live', ['a']],
    ['v2/products?status[ne]=live&sort=id', ['b', 'c']],
    ['v2/products?status[gt]=draft&sort=id', ['a', 'c']],
    ['v1/products?city=Oslo', ['a']],
    ['v1/products?sort=-city&limit=1', ['a']],
    ['v2/products?q=cog', ['c']],
    ['v2/products?supplier.name=North&sort=id', ['a', 'c']],
    ['v1/products?any[1][label]=Anvil&any[2][cost]=1&sort=id', ['a', 'c']],
    ['v2/vendors?products.title=Cog', ['s']],
    ['v1/vendors?products.cost=3', ['s']],
  ];
  for (const [query, ids] of queries) {
    it(`[VER-5a] [QRY-1] finds what the newest one finds: ${query}`, async () => {
      await using api = await shop();
      for (let time = 0; time < 2; time += 1) {
        const { body, text, status } = await api.send({ send: `GET /api/${query}` });
        assert.equal(status, 200, text);
        assert.deepEqual(
          body.data.map(({ id }: { id: string }) => id),
          ids,
        );
      }
    });
  }

  for (const query of [
    'v2/products?name=x',
    'v2/products?currency=EUR',
    'v1/products?title=x',
    'v1/products?legacy=none',
    'v2/products?sort=status',
    'v1/products?place.city=Oslo',
    'v3/products?title=x',
    'v1/vendors?products.title=x',
    'v1/products?expand=reviews',
    'v2/products?fields=name',
  ]) {
    it(`[VER-5a] knows no other names: ${query}`, async () => {
      await using api = await shop();
      const { status, text } = await api.send({ send: `GET /api/${query}` });
      assert.equal(status, 400, text);
    });
  }

  it('[VER-5a] [PAGE-6] walks the same rows, with cursors of its own', async () => {
    await using api = await shop();
    const walk = async (path: string): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (let next: string | undefined = `/api/${path}`; next !== undefined; ) {
        const { body } = await api.send({ send: `GET ${next}` });
        ids.push(...body.data.map(({ id }: { id: string }) => id));
        next = body.links.next;
      }
      return ids;
    };
    const walked = ['c', 'b', 'a'];
    assert.deepEqual(await walk('v3/products?sort=price&limit=1'), walked);
    assert.deepEqual(await walk('v2/products?sort=price&limit=1'), walked);
    assert.deepEqual(await walk('v1/products?sort=cost&limit=1'), walked);
    const cursor: string = (await get(api, 'v2/products?sort=price&limit=1')).page.next_cursor;
    for (const version of ['v1', 'v3']) {
      const { status, body } = await api.send({ send: `GET /api/${version}/products?limit=1&after=${cursor}` });
      assert.deepEqual([status, body.errorCode], [400, 'PAGINATION_CURSOR_MISMATCH']);
    }
  });
});

describe('a write in an older contract', () => {
  it('[VER-5b] fills what it cannot send', async () => {
    await using api = await shop();
    const created = await api.send({ send: 'POST /api/v2/products', body: { id: 'n', title: 'New', status: 'live' } });
    assert.deepEqual([created.status, created.headers.get('location')], [201, '/api/v2/products/n']);
    assert.deepEqual([created.body.title, created.body.status, created.body.currency], ['New', 'live', undefined]);
    const { name, status, currency, price } = await get(api, 'v3/products/n');
    assert.deepEqual([name, status, currency, price], ['New', 'ACTIVE', 'USD', 1]);
  });

  const writes: readonly (readonly [send: string, body: unknown, headers: Record<string, string>, after: Members])[] = [
    [
      'PUT v2/products/b',
      { title: 'Nut', price: 9, code: 'B' },
      {},
      { name: 'Nut', price: 9, currency: 'NOK', status: 'DRAFT' },
    ],
    ['PATCH v2/products/b', { title: 'Nut' }, MERGE, { name: 'Nut', price: 2, currency: 'NOK' }],
    ['PATCH v1/products/a', { city: 'Rome' }, MERGE, { place: { city: 'Rome', shelf: 1 }, currency: 'EUR' }],
    ['PATCH v1/products/a', { place: { shelf: 2 } }, MERGE, { place: { city: 'Oslo', shelf: 2 } }],
    ['PATCH v1/products/a', { place: null }, MERGE, { place: { city: 'Oslo', shelf: null } }],
    ['PATCH v1/products/b', { city: 'Rome', legacy: 'x' }, MERGE, { place: { city: 'Rome', shelf: null } }],
    ['PATCH v2/products/c', { status: 'draft' }, MERGE, { status: 'DRAFT', currency: 'EUR' }],
    [
      'PATCH v1/products/b',
      [
        { op: 'test', path: '/label', value: 'Bolt' },
        { op: 'replace', path: '/cost', value: 7 },
      ],
      { 'Content-Type': 'application/json-patch+json' },
      { name: 'Bolt', price: 7, currency: 'NOK' },
    ],
    [
      'PUT v1/products/n',
      { label: 'New', city: 'Rome' },
      {},
      { name: 'New', place: { city: 'Rome', shelf: null }, currency: 'USD' },
    ],
    [
      'PATCH v2/products/b',
      '<product><title>Nut</title></product>',
      { 'Content-Type': 'application/xml' },
      { name: 'Nut', currency: 'NOK' },
    ],
    [
      'PUT v2/products/b',
      'title=Nut&price=4',
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      { name: 'Nut', price: 4, currency: 'NOK' },
    ],
  ];
  for (const [send, body, headers, after] of writes) {
    it(`[VER-5b] [MET-2] [MET-3] keeps what it does not know: ${send} ${typeof body === 'string' ? body : JSON.stringify(body)}`, async () => {
      await using api = await shop();
      const [method = '', path = ''] = send.split(' ');
      const written = await api.send({ send: `${method} /api/${path}`, body, headers });
      assert.ok(written.status === 200 || written.status === 201, written.text);
      assert.equal(written.headers.get('content-location'), `/api/${path}`);
      const now = await get(api, path.replace(/^v\d/, 'v3'));
      assert.deepEqual(Object.fromEntries(Object.keys(after).map((name) => [name, now[name]])), after);
      assert.deepEqual(
        written.body === undefined || headers['Content-Type'] === undefined ? await get(api, path) : written.body,
        await get(api, path),
      );
    });
  }

  const refused: readonly (readonly [send: string, body: unknown, code: string, fields: readonly string[]])[] = [
    ['POST v2/products', { id: 'n', name: 'x' }, 'PRODUCT_INVALID', ['name', 'title']],
    ['POST v1/products', { id: 'n', label: 'x'.repeat(30), cost: -1 }, 'PRODUCT_INVALID', ['label', 'cost']],
    ['POST v2/products', { id: 'n', title: 'x', status: 'ACTIVE' }, 'PRODUCT_INVALID', ['status']],
    ['POST v2/products', { id: 'n', title: 'x', currency: 'EUR' }, 'PRODUCT_INVALID', ['currency']],
    ['POST v1/products', { id: 'n', label: 'x', legacy: 3 }, 'PRODUCT_INVALID', ['legacy']],
    ['POST v2/products', { id: 'n', title: 'x', supplier_id: 'none' }, 'PRODUCT_INVALID', ['supplier_id']],
    ['POST v2/products', { id: 'n', title: 'x', code: 'A' }, 'PRODUCT_ALREADY_EXISTS', ['code']],
    ['POST v2/vendors', { id: 'n' }, 'VENDOR_INVALID', ['name']],
    ['POST v2/vendors', { id: 's', name: 'x' }, 'VENDOR_ALREADY_EXISTS', ['id']],
    ['PUT v2/products/a', {}, 'PRODUCT_INVALID', ['title']],
    ['DELETE v2/vendors/none', undefined, 'VENDOR_NOT_FOUND', []],
    ['DELETE v2/vendors/s', undefined, 'VENDOR_HAS_DEPENDENTS', []],
    ['DELETE v1/products/a', undefined, 'PRODUCT_HAS_DEPENDENTS', []],
  ];
  for (const [send, body, code, fields] of refused) {
    it(`[VER-5a] [ERR-3] is refused by its names: ${send} ${JSON.stringify(body)}`, async () => {
      await using api = await shop();
      const [method = '', path = ''] = send.split(' ');
      const { body: error, text } = await api.send({ send: `${method} /api/${path}`, body });
      assert.deepEqual([error.errorCode, error.details.map(({ field }: { field: string }) => field)], [code, fields]);
      assert.doesNotMatch(text, /supplier(?!_id)|reviews/);
    });
  }

  it('[VER-5a] [MET-13] is an operation of a batch and a line of NDJSON', async () => {
    await using api = await shop();
    const operations = [
      { method: 'PATCH', path: '/products/b', headers: MERGE, body: { label: 'Nut' } },
      { method: 'POST', path: '/vendors', body: { id: 'v', name: 'South' } },
    ];
    for (const atomic of [true, false]) {
      const batch = await api.send({
        send: 'POST /api/v1/batches',
        body: { atomic, operations: atomic ? operations : operations.slice(0, 1) },
      });
      assert.equal(batch.status, 201, batch.text);
      assert.deepEqual([batch.body.status, batch.body.results[0].body.label], ['succeeded', 'Nut']);
      const record = await get(api, `v2/batches/${batch.body.id}`);
      assert.equal(record.results[0].body.title, 'Nut');
    }
    const lines = await api.send({
      send: 'POST /api/v1/products',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: '{"id":"l","label":"Line"}\n{"id":"m","title":"Line"}\n',
    });
    const [first, second] = lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([first.status, first.location], [201, '/api/v1/products/l']);
    assert.deepEqual(
      [second.status, second.error.details.map(({ field }: { field: string }) => field)],
      [400, ['title', 'label']],
    );
  });

  it('[VER-5a] [MET-12] is replayed in the contract of the request', async () => {
    await using api = await shop();
    const request = (version: string) => ({
      send: `POST /api/${version}/vendors`,
      headers: { 'Idempotency-Key': 'k' },
      body: { id: 'n', name: 'x' },
    });
    const first = await api.send(request('v2'));
    const again = await api.send(request('v2'));
    assert.deepEqual([again.status, again.text, again.headers.get('idempotent-replayed')], [201, first.text, 'true']);
  });
});

describe('the root of an older contract', () => {
  it('[VER-5a] [REP-10a] links to its collections by their names in it', async () => {
    await using api = await shop();
    assert.deepEqual((await get(api, 'v1')).links, {
      self: '/api/v1',
      vendors: '/api/v1/vendors',
      products: '/api/v1/products',
      events: '/api/v1/events',
      service_desc: '/openapi.json?api_version=1.0.0',
      service_desc_events: '/asyncapi.json?api_version=1.0.0',
      service_doc: '/docs?api_version=1.0.0',
    });
    const page = await api.send({ send: 'GET /api/v1', headers: { Accept: 'text/html' } });
    assert.match(page.text, />vendors</);
    assert.doesNotMatch(page.text, /suppliers|reviews/);
  });
});

describe('the end of a contract', () => {
  it('[VER-4a] [VER-4b] is announced in every response of it, and in no other', async () => {
    await using api = await shop();
    for (const [send, status] of [
      ['GET /api/v2/products', 200],
      ['GET /api/v2/products/a', 200],
      ['GET /api/v2/products/none', 404],
      ['GET /api/v2/nothing', 404],
      ['OPTIONS /api/v2/products', 204],
      ['DELETE /api/v2/products/b', 204],
    ] as const) {
      const { headers, ...response } = await api.send({ send });
      assert.equal(response.status, status);
      assert.deepEqual(
        ['api-version', 'deprecation', 'sunset'].map((name) => headers.get(name)),
        ['2.0.0', '@1780272000', 'Thu, 01 Jun 2028 00:00:00 GMT'],
        send,
      );
    }
    const { headers } = await api.send({ send: 'GET /api/v3/products' });
    assert.deepEqual([headers.get('api-version'), headers.get('deprecation')], ['3.0.0', undefined]);
  });

  it('[VER-4b] is observed with who used it', async () => {
    await using api = await shop();
    await api.send({ send: 'GET /api/v2/products/a' });
    await api.send({ send: 'GET /api/v1/products/a' });
    const seen = api.observations.filter(({ kind }) => kind === 'deprecated-contract');
    assert.equal(seen.length, 1);
    const [{ kind: _kind, correlationId: _id, ...rest } = assert.fail()] = seen as readonly {
      kind: string;
      correlationId: string;
    }[];
    assert.deepEqual(rest, { version: '2.0.0', caller: '127.0.0.1', route: '/api/products/{id}' });
  });

  it('[VER-3a] [VER-3b] is not offered where another version is unknown', async () => {
    await using api = await shop();
    for (const [send, headers, versions] of [
      ['GET /api/v4/products', {}, 'v3, v2, v1'],
      ['GET /api/products', { 'API-Version': '4' }, '3.0.0, 2.0.0, 1.0.0'],
    ] as const) {
      const { body } = await api.send({ send, headers });
      assert.match(body.errorMessage, new RegExp(`supported versions: ${versions}\\.$`));
    }
  });

  it('[VER-3b] is 410 once it is retired, with a link to its successor', async () => {
    await using api = await shop();
    for (const [send, headers] of [
      ['GET /api/v0/products', {}],
      ['GET /api/products', { 'API-Version': '0.9' }],
      ['GET /api/products?api_version=0', {}],
      ['GET /api/products', { Accept: 'application/vnd.shop.v0+json' }],
    ] as const) {
      const response = await api.send({ send, headers });
      assert.deepEqual([response.status, response.body.errorCode], [410, 'API_VERSION_RETIRED'], send);
      assert.equal(response.headers.get('link'), '</api/v3>; rel="successor-version"');
    }
  });
});
