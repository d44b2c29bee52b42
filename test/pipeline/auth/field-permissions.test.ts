import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';
import { runs } from '../../extent.ts';

const AUTH =
  'auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }] }';

/** The model, with the fields that need finance:read or without them. */
function model(hidden: boolean): string {
  const only = (text: string): string => (hidden ? text : '');
  return `
name: shop
${AUTH}
limits: { rate: false }
resources:
  suppliers:
    id: client
    schema: { type: object, properties: { name: { type: string }, ${only('rating: { type: integer },')} city: { type: string } } }
    access: { read: authenticated, write: authenticated, ${only('fields: { rating: { read: { scope: finance:read } } }')} }
  products:
    id: client
    search: [name]
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string }
        ${only('cost: { type: number, default: 7 }')}
        price: { type: number, default: 10 }
        ${only('place: { type: object, properties: { city: { type: string }, shelf: { type: integer } } }')}
        supplier_id: { type: string, x-references: { resource: suppliers, as: supplier, inverse: products } }
        ${only('buyer_id: { type: string, x-references: { resource: suppliers, as: buyer, inverse: purchases } }')}
        ${only('tag_ids: { type: array, items: { type: string, x-references: { resource: suppliers, as: tags } } }')}
    access:
      read: authenticated
      write: authenticated
      ${only(`fields:
        cost: { read: { scope: finance:read }, write: { scope: finance:write } }
        place: { read: { scope: finance:read } }
        buyer_id: { read: { scope: finance:read } }
        tag_ids: { read: { scope: finance:read } }`)}
  reviews:
    id: client
    parent: products
    schema: { type: object, properties: { text: { type: string }, ${only('score: { type: integer }')} } }
    access: { read: authenticated, write: authenticated, ${only('fields: { score: { read: { scope: finance:read } } }')} }
`;
}

const CLERK = as({ subject: 'clerk' });
const BOSS = as({ subject: 'boss', scopes: ['finance:read', 'finance:write'] });
const READER = as({ subject: 'reader', scopes: ['finance:read'] });
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const PATCH = { 'Content-Type': 'application/json-patch+json' };

async function shop(hidden: boolean): Promise<ApiUnderTest> {
  const api = await apiUnderTest(model(hidden), { tokens: callerTokens() });
  const create = async (path: string, body: object, secret: object): Promise<void> => {
    const row = { send: `POST /api/v1/${path}`, headers: BOSS, body: { ...body, ...(hidden ? secret : {}) } };
    const { status, text } = await api.send(row);
    assert.equal(status, 201, text);
  };
  await create('suppliers', { id: 's1', name: 'North', city: 'Oslo' }, { rating: 5 });
  await create('suppliers', { id: 's2', name: 'South', city: 'Rome' }, { rating: 1 });
  for (const [index, name] of ['Anvil', 'Bolt', 'Cog', 'Drill', 'Edge'].entries()) {
    const supplier = index % 2 === 0 ? 's1' : 's2';
    await create(
      'products',
      { id: `p${index}`, name, price: 20 - index, supplier_id: supplier },
      { cost: index, place: { city: 'Kiel', shelf: index }, buyer_id: 's2', tag_ids: ['s1', 's2'] },
    );
  }
  await create('products/p1/reviews', { id: 'r1', text: 'fine' }, { score: 4 });
  return api;
}

type Request = Parameters<ApiUnderTest['send']>[0];

/**
 * Everything of a response but what differs between two requests and two databases: ids of requests, cursors and ETags.
 */
function comparable({ status, headers, text }: Seen): object {
  const masked = (part: string): string =>
    part.replaceAll(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/g, 'UUID').replaceAll(/[\w-]{60,}/g, 'CURSOR');
  const fields = [...headers].filter(([name]) => name !== 'etag').map(([name, value]) => [name, masked(value)]);
  return { status, fields, text: masked(text).replaceAll(/"ETag":"[^,]*"/g, 'ETag') };
}

const names = [
  'cost',
  'place',
  'place.city',
  'buyer_id',
  'buyer',
  'buyer.name',
  'supplier.rating',
  'tag_ids',
  'tags',
  'rating',
];
const READS: readonly string[] = [
  'products',
  'products/p1',
  'products/p1?expand=supplier',
  'products/p1?expand=supplier.products',
  'products/p1?expand=supplier.purchases',
  'products/p1?expand=reviews',
  'products?expand=supplier,reviews',
  'products?q=bol',
  'products?limit=2&include_total=true',
  'products?supplier.name=North',
  'products?expand=cots,buyr,purchase',
  'products?cots=1&plac.city=Kiel',
  'products?any[1].cost=1&any[1].name=Bolt',
  'products?any[1].purchases.name=x',
  'products?supplier.ratin=3',
  'suppliers/s1',
  'suppliers/s1?expand=products',
  'suppliers?expand=purchases',
  'suppliers?purchases.name=Bolt',
  'suppliers?products.cost=1',
  'suppliers?products.cost[gte]=x',
  'suppliers?sort=-rating,name',
  'products/p1/reviews',
  'products/p1/reviews/r1?fields=text,score',
  ...names.flatMap((name) => [
    `products?fields=${name}`,
    `products/p1?fields=name,${name}`,
    `products?sort=-${name}`,
    `products?${name}=1`,
    `products?${name}[in]=1,2`,
    `products?${name}[exists]=maybe`,
    `products?expand=${name}`,
  ]),
];
const TYPES = ['application/json', 'application/xml', 'text/csv', 'text/plain', 'application/x-ndjson'];

describe('a field that the caller may not read', () => {
  it('[REP-11b] [CACHE-1] is in no response to a read: it equals that of a model without the field', async () => {
    await using api = await shop(true);
    await using plain = await shop(false);
    for (const path of READS) {
      for (const type of TYPES) {
        const request = { send: `GET /api/v1/${path}`, headers: { ...CLERK, Accept: type } };
        const wanted = comparable(await plain.send(request));
        // Twice, with another caller between: also from the caches.
        for (let time = 0; time < 2; time += 1) {
          await api.send({ ...request, headers: { ...request.headers, ...BOSS } });
          assert.deepEqual(comparable(await api.send(request)), wanted, `${path} as ${type}`);
        }
      }
    }
  });

  it('[REP-11b] is unknown in any combination of parameters, in QUERY as in GET, lenient or not', async () => {
    await using api = await shop(true);
    await using plain = await shop(false);
    const path = fc.constantFrom('name', 'price', 'supplier.name', 'supplier_id', 'costs', ...names);
    const parameter = fc.oneof(
      fc
        .tuple(path, fc.constantFrom('', '[gt]', '[in]', '[exists]', '[nope]'), fc.constantFrom('1', 'x', 'true'))
        .map(([name, operator, value]) => `${name}${operator}=${value}`),
      fc.array(path, { minLength: 1, maxLength: 3 }).map((paths) => `sort=${paths.join(',')}`),
      fc.array(path, { minLength: 1, maxLength: 3 }).map((paths) => `fields=${paths.join(',')}`),
      fc.array(path, { minLength: 1, maxLength: 2 }).map((paths) => `expand=${paths.join(',')}`),
      path.map((name) => `any[1].${name}=1`),
      fc.constantFrom('limit=2', 'q=an', 'include_total=true'),
    );
    const query = fc.uniqueArray(parameter, { maxLength: 3, selector: (each) => each.split('=')[0] });
    await fc.assert(
      fc.asyncProperty(query, fc.boolean(), fc.boolean(), async (parameters, lenient, form) => {
        const text = parameters.join('&');
        const headers = { ...CLERK, ...(lenient ? { Prefer: 'handling=lenient' } : {}) };
        const request: Request = form
          ? {
              send: 'QUERY /api/v1/products',
              headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
              body: text,
            }
          : { send: `GET /api/v1/products?${text}`, headers };
        const wanted = comparable(await plain.send(request));
        assert.deepEqual(comparable(await api.send(request)), wanted);
        assert.deepEqual(comparable(await api.send(request)), wanted);
      }),
      { numRuns: runs(40, 600) },
    );
  });

  for (const [what, named, absent] of [
    ['a filter', 'cost=1', 'none=1'],
    ['a filter with an operator', 'cost[gte]=x', 'none[gte]=x'],
    ['a filter through a relation', 'supplier.rating=5', 'supplier.nothing=5'],
    ['an alternative', 'any[1][cost]=1&any[2][name]=Bolt', 'any[1][none]=1&any[2][name]=Bolt'],
    ['a sort', 'sort=cost', 'sort=none'],
    ['a selection', 'fields=name,cost', 'fields=name,none'],
    ['an expansion', 'expand=buyer', 'expand=noone'],
    ['a parameter that is a typo', 'costt=1', 'nonee=1'],
  ] as const) {
    it(`[REP-11b] [QRY-5] is as unknown under handling=lenient as one that does not exist, and as in a model without it: ${what}`, async () => {
      await using api = await shop(true);
      await using plain = await shop(false);
      const responseOf = async (to: ApiUnderTest, query: string, headers: object = CLERK): Promise<Seen> =>
        to.send({ send: `GET /api/v1/products?${query}`, headers: { ...headers, Prefer: 'handling=lenient' } });
      for (let time = 0; time < 2; time += 1) {
        const seen = await responseOf(api, named);
        assert.deepEqual(comparable(seen), comparable(await responseOf(plain, named)));
        const other = await responseOf(api, absent);
        assert.equal(seen.status, other.status);
        // No link has the ignored parameter.
        if (seen.status === 200) assert.deepEqual(comparable(seen), comparable(other));
        assert.equal(seen.headers.get('preference-applied'), other.headers.get('preference-applied'));
        await responseOf(api, named, BOSS);
      }
    });
  }

  const bodies: readonly (readonly [send: string, body: unknown, headers?: Record<string, string>])[] = [
    ['POST products', { id: 'n', name: 'New', cost: 1 }],
    ['POST products', { id: 'n', name: 'New', cost: 'x', buyer_id: 'none', tag_ids: ['none'] }],
    ['POST products', { id: 'n', cots: 1, place: null }],
    ['POST products', { id: 'n', name: 'New', buyer_id: 'none' }, { Prefer: 'handling=lenient' }],
    ['POST products', { id: 'n', buyer_id: 'none', tag_ids: ['none'] }, { Prefer: 'handling=lenient' }],
    [
      'POST products',
      '<product><id>n</id><name>New</name><place><city>x</city></place><tag_ids>s1</tag_ids><tag_ids>x</tag_ids></product>',
      { 'Content-Type': 'application/xml' },
    ],
    [
      'POST products',
      '<product><id>n</id><name>New</name><tag_ids>s1</tag_ids></product>',
      { 'Content-Type': 'application/xml' },
    ],
    [
      'POST products',
      'id=n&name=New&tag_ids=a&place.city=x&place[city]=x',
      { 'Content-Type': 'application/x-www-form-urlencoded' },
    ],
    ['POST products', 'id=n&name=New&tag_ids=a', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['POST products?dry_run=true', { id: 'n', name: 'New', price: 3 }],
    [
      'POST products',
      '<product><id>n</id><name>New</name><cost>1</cost></product>',
      { 'Content-Type': 'application/xml' },
    ],
    ['POST products', 'id=n&name=New&cost=1', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['PUT products/p1', { name: 'Nut', cost: 1 }],
    ['PUT products/p1', { name: 'Nut' }],
    ['PUT products/p9', { name: 'Nut', cost: 1 }],
    ['PATCH products/p1', { cost: 1 }, MERGE],
    ['PATCH products/p1', { cost: null }, MERGE],
    ['PATCH products/p1', { place: { city: null } }, MERGE],
    ['PATCH products/p1', { name: 'Nut', cost: 1 }, { ...MERGE, Prefer: 'handling=lenient' }],
    ['PATCH products/p1', [{ op: 'test', path: '/cost', value: 1 }], PATCH],
    ['PATCH products/p1', [{ op: 'copy', from: '/cost', path: '/name' }], PATCH],
    ['PATCH products/p1', [{ op: 'move', from: '/place/city', path: '/name' }], PATCH],
    ['PATCH products/p1', [{ op: 'add', path: '/cost', value: 1 }], PATCH],
    ['PATCH products/p1', [{ op: 'remove', path: '/cost' }], PATCH],
    ['PATCH products/p1', [{ op: 'replace', path: '/name', value: 'Nut' }], PATCH],
    ['PATCH products/p1', [{ op: 'replace', path: '', value: { name: 'Nut', cost: 3 } }], PATCH],
    ['POST products/p1/reviews', { id: 'x', score: 1 }],
    [
      'POST batches',
      {
        atomic: true,
        operations: [
          { method: 'PATCH', path: '/products/p1', headers: MERGE, body: { name: 'Nut' } },
          { method: 'PATCH', path: '/products/p2', headers: MERGE, body: { cost: 1 } },
        ],
      },
    ],
    [
      'POST products',
      '{"id":"n1","name":"New","cost":1}\n{"id":"n2","name":"New"}\n',
      { 'Content-Type': 'application/x-ndjson' },
    ],
  ];
  for (const [send, body, headers = {}] of bodies) {
    it(`[REP-11b] [REP-5] is unknown in ${send} ${typeof body === 'string' ? body.trim() : JSON.stringify(body)}`, async () => {
      await using api = await shop(true);
      await using plain = await shop(false);
      const request = { send: send.replace(' ', ' /api/v1/'), headers: { ...CLERK, ...headers }, body };
      assert.deepEqual(comparable(await api.send(request)), comparable(await plain.send(request)));
      const after = { send: 'GET /api/v1/products?sort=id', headers: CLERK };
      assert.deepEqual(comparable(await api.send(after)), comparable(await plain.send(after)));
      const { body: page } = await api.send({ ...after, headers: BOSS });
      for (const { id, cost, place, buyer_id: buyer, tag_ids: tags } of page.data) {
        const isOld = /^p[0-4]$/.test(id);
        const wanted = isOld
          ? [Number(id.slice(1)), { city: 'Kiel', shelf: Number(id.slice(1)) }, 's2', ['s1', 's2']]
          : [7, null, null, []];
        assert.deepEqual([cost, place, buyer, tags], wanted, `of ${id}`);
      }
    });
  }

  it('[REP-11b] [MET-12] [MET-13] is in no replay, batch or batch record that is read without the scope', async () => {
    await using api = await shop(true);
    // One caller, before and after it has lost a scope. The values are too long to be digits of a time or of an id.
    const before = as({ subject: 'ann', scopes: ['finance:read', 'finance:write'] });
    const after = as({ subject: 'ann' });
    const request = (headers: object): Request => ({
      send: 'POST /api/v1/products',
      headers: { ...headers, 'Idempotency-Key': 'one' },
      body: { id: 'n', name: 'New', cost: 987654321 },
    });
    assert.equal((await api.send(request(before))).body.cost, 987654321);
    const replay = await api.send(request(after));
    assert.deepEqual([replay.status, replay.headers.get('idempotent-replayed')], [201, 'true']);
    assert.doesNotMatch(replay.text, /cost|987654321|buyer/);
    const operations = [{ method: 'PATCH', path: '/products/n', headers: MERGE, body: { cost: 123456789 } }];
    const batch = await api.send({ send: 'POST /api/v1/batches', headers: before, body: { atomic: true, operations } });
    assert.match(batch.text, /123456789/);
    const url = new URL(batch.headers.get('location') ?? '', 'http://x').pathname;
    const record = await api.send({ send: `GET ${url}`, headers: after });
    assert.equal(record.status, 200);
    assert.doesNotMatch(record.text, /cost|123456789|buyer/);
    assert.notEqual(record.headers.get('etag'), batch.headers.get('etag'));
  });

  it('[REP-11b] [PAGE-6] makes no cursor over it readable', async () => {
    await using api = await shop(true);
    const page = await api.send({ send: 'GET /api/v1/products?sort=cost&limit=2', headers: BOSS });
    const next: string = page.body.links.next;
    assert.equal((await api.send({ send: `GET ${next}`, headers: BOSS })).status, 200);
    const cursor = new URLSearchParams(next.split('?')[1]).get('after') ?? '';
    const taken = await api.send({ send: `GET /api/v1/products?after=${cursor}&limit=2`, headers: CLERK });
    assert.deepEqual([taken.status, taken.body.errorCode], [400, 'PAGINATION_CURSOR_INVALID']);
  });

  it('[REP-11b] [MET-2] is named by no error of the store', async () => {
    const text = `
name: shop
${AUTH}
resources:
  codes:
    id: client
    schema: { type: object, properties: { code: { type: string }, area: { type: string, default: north } } }
    unique: [[code, area]]
    access: { read: authenticated, write: authenticated, fields: { area: { read: { scope: finance:read } } } }
`;
    await using api = await apiUnderTest(text, { tokens: callerTokens() });
    const create = (id: string) => api.send({ send: 'POST /api/v1/codes', headers: CLERK, body: { id, code: 'a' } });
    assert.equal((await create('1')).status, 201);
    const { status, text: body } = await create('2');
    assert.equal(status, 409);
    assert.doesNotMatch(body, /area|north/);
  });
});

describe('representations and permissions', () => {
  it('[REP-11b] [LIM-1] are pages that large hidden values do not end early', async () => {
    const text = `
name: shop
${AUTH}
limits: { rate: false, page: { bytes: 16KiB } }
resources:
  notes:
    id: client
    schema: { type: object, properties: { text: { type: string }, scan: { type: string } } }
    access: { read: authenticated, write: authenticated, fields: { scan: { read: { scope: finance:read } } } }
`;
    await using api = await apiUnderTest(text, { tokens: callerTokens() });
    for (const id of ['a', 'b', 'c']) {
      const body = { id, text: id, scan: 'x'.repeat(10_000) };
      assert.equal((await api.send({ send: 'POST /api/v1/notes', headers: BOSS, body })).status, 201);
    }
    const count = async (headers: Record<string, string>): Promise<number> =>
      (await api.send({ send: 'GET /api/v1/notes?sort=id', headers })).body.data.length;
    assert.deepEqual([await count(BOSS), await count(CLERK), await count(CLERK)], [1, 3, 3]);
  });

  it('[CACHE-1] are shared by callers with one permission, and by no others', async () => {
    await using api = await shop(true);
    const callers = {
      clerk: CLERK,
      other: as({ subject: 'other', scopes: ['finance:write', 'unrelated'] }),
      boss: BOSS,
      reader: READER,
    };
    for (const path of ['products/p1', 'products', 'products/p1?fields=name', 'products?expand=supplier']) {
      for (let time = 0; time < 3; time += 1) {
        const etags: Record<string, string | undefined> = {};
        for (const [name, headers] of Object.entries(callers)) {
          const { headers: fields, text } = await api.send({ send: `GET /api/v1/${path}`, headers });
          etags[name] = fields.get('etag');
          const isShown = (name === 'boss' || name === 'reader') && !path.includes('fields');
          assert.equal(/"cost"/.test(text), isShown, `${path} of ${name}`);
        }
        assert.equal(etags['clerk'], etags['other']);
        assert.equal(etags['boss'], etags['reader']);
        assert.notEqual(etags['clerk'], etags['boss']);
        const send = `GET /api/v1/${path}`;
        const headers = { ...CLERK, 'If-None-Match': etags['boss'] ?? '' };
        assert.equal((await api.send({ send, headers })).status, 200);
        assert.equal(
          (await api.send({ send, headers: { ...BOSS, 'If-None-Match': etags['boss'] ?? '' } })).status,
          304,
        );
      }
    }
  });

  it('[CACHE-5] [NEG-3b] depend on the caller where anyone may read the resource', async () => {
    const text = `
name: shop
${AUTH}
resources:
  notes:
    id: client
    cache: { max_age: 60, scope: public }
    schema: { type: object, properties: { text: { type: string }, cost: { type: integer } } }
    access: { read: public, write: authenticated, fields: { cost: { read: { scope: finance:read } } } }
`;
    await using api = await apiUnderTest(text, { tokens: callerTokens() });
    await api.send({ send: 'POST /api/v1/notes', headers: BOSS, body: { id: 'n', text: 'x', cost: 4 } });
    for (const headers of [{}, BOSS, {}, BOSS]) {
      const got = await api.send({ send: 'GET /api/v1/notes/n', headers });
      assert.equal(got.body.cost, headers === BOSS ? 4 : undefined);
      assert.match(got.headers.get('vary') ?? '', /Authorization/);
      assert.equal(got.headers.get('cache-control'), 'private, max-age=60');
    }
  });
});
