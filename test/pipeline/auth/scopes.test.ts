import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type ExchangeRow } from '../support/api-under-test.ts';
import { fakeTokens, slowTokens } from '../support/fake-tokens.ts';

const MODEL = `
name: shop
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }
resources:
  makers:
    id: client
    schema: { type: object, properties: { country: { type: string } } }
  products:
    id: client
    schema:
      type: object
      properties:
        name: { type: string }
        status: { type: string, enum: [DRAFT, ACTIVE, CLOSED], default: DRAFT }
        maker_id: { type: string, x-references: { resource: makers, inverse: products } }
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE], ACTIVE: [{ to: CLOSED, scope: products:close }] } }
    access: { read: public, write: { scope: products:write }, delete: authenticated }
    cache: { max_age: 60, scope: public }
  reviews:
    parent: products
    schema: { type: object, properties: { stars: { type: integer } } }
    access: { create: authenticated }
  secrets:
    schema: { type: object, properties: { text: { type: string } } }
    cache: { max_age: 60, scope: public }
`;

const METADATA = 'http://127.0.0.1:3000/.well-known/oauth-protected-resource/api';
const REQUIRED = `Bearer realm="shop", resource_metadata="${METADATA}"`;

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

async function shop(tokens = fakeTokens): Promise<ApiUnderTest> {
  const api = await apiUnderTest(MODEL, { tokens });
  const headers = bearer('admin.products_write+makers_write+makers_read+secrets_write');
  await api.send({ send: 'POST /api/v1/makers', headers, body: { id: 'm', country: 'NO' } });
  await api.send({ send: 'POST /api/v1/products', headers, body: { id: 'p', name: 'Lamp', maker_id: 'm' } });
  await api.newEvents();
  return api;
}

/** Rows that share one API. */
function rows(title: string, all: readonly (ExchangeRow & { readonly title: string })[]): void {
  for (const { title: what, ...row } of all) {
    it(`${title} ${what}`, async () => {
      await using api = await shop();
      await api.row(row);
    });
  }
}

describe('a request without credentials', () => {
  rows('[AUTH-3a]', [
    {
      title: 'is challenged without an error',
      send: 'GET /api/v1/secrets',
      status: 401,
      expectHeaders: { 'WWW-Authenticate': REQUIRED, 'Cache-Control': 'no-store', Vary: /Authorization/ },
      has: { errorCode: 'AUTH_REQUIRED' },
    },
    { title: 'is challenged at the root', send: 'GET /api', status: 401, has: { errorCode: 'AUTH_REQUIRED' } },
    {
      title: 'is challenged before a missing row is looked up',
      send: 'DELETE /api/v1/products/none',
      status: 401,
      has: { errorCode: 'AUTH_REQUIRED' },
    },
    {
      title: 'with another scheme is challenged',
      send: 'GET /api/v1/products',
      headers: { Authorization: 'Basic YTpi' },
      status: 401,
    },
    {
      title: 'reads what the model declares public',
      send: 'GET /api/v1/products/p',
      status: 200,
      has: { name: 'Lamp' },
    },
    {
      title: 'needs none for OPTIONS',
      send: 'OPTIONS /api/v1/products',
      status: 204,
      expectHeaders: { Allow: 'GET, HEAD, QUERY, OPTIONS' },
    },
    { title: 'needs none for health checks', send: 'GET /livez', status: 200 },
    {
      title: 'is challenged where it expands what is not public',
      send: 'GET /api/v1/products/p?expand=maker',
      status: 401,
      has: { errorCode: 'AUTH_REQUIRED' },
    },
  ]);

  it('[AUTH-1a] that are malformed is 400', async () => {
    await using api = await shop();
    for (const value of [
      'Bearer',
      'Bearer ',
      'Bearer a b',
      'Bearer a,b',
      'Bearer "a"',
      'Bearer \u00e9',
      '=',
      'Bearer a\tb',
    ]) {
      await api.row({
        send: 'GET /api/v1/products',
        headers: { Authorization: value },
        status: 400,
        has: { errorCode: 'AUTH_REQUEST_INVALID' },
      });
    }
  });

  it('[AUTH-1a] takes the name of the scheme in any case', async () => {
    await using api = await shop();
    await api.row({ send: 'GET /api/v1/secrets', headers: { Authorization: 'bEARER a.secrets_read' }, status: 200 });
  });
});

describe('a token that is refused', () => {
  it('[AUTH-3b] is 401 with invalid_token, and the reason is in the log alone', async () => {
    await using api = await shop();
    const expectHeaders = { 'WWW-Authenticate': `${REQUIRED}, error="invalid_token"` };
    for (const [token, errorCode] of [
      ['bad', 'AUTH_TOKEN_INVALID'],
      ['expired', 'AUTH_TOKEN_EXPIRED'],
    ] as const) {
      const row = { headers: bearer(token), status: 401, expectHeaders, has: { errorCode } };
      await api.row({ send: 'GET /api/v1/secrets', ...row });
      const { text } = await api.row({ send: 'GET /api/v1/products', ...row });
      assert.doesNotMatch(text, /signature/);
    }
    const rejected = api.observations.filter(({ kind }) => kind === 'token-rejected');
    assert.equal(rejected.length, 2);
    assert.match(JSON.stringify(rejected), /signature/);
  });

  it('[AUTH-2b] is 503 with Retry-After while the keys of its issuer cannot be read', async () => {
    await using api = await shop(slowTokens);
    await api.row({
      send: 'GET /api/v1/secrets',
      headers: bearer('down'),
      status: 503,
      expectHeaders: { 'Retry-After': /^\d+$/ },
      has: { errorCode: 'AUTH_UNAVAILABLE' },
    });
  });
});

describe('scopes', () => {
  it('[AUTH-3c] [AUTH-4b] that are missing are 403 before any look-up, equal for existing and missing rows', async () => {
    await using api = await shop();
    const headers = bearer('bob.products_read');
    const expectHeaders = {
      'WWW-Authenticate': `${REQUIRED}, error="insufficient_scope", scope="products:write"`,
      Vary: /Authorization/,
    };
    const texts: string[] = [];
    for (const target of ['products/p', 'products/none']) {
      for (const [method, body] of [
        ['PATCH', { name: 'x' }],
        ['PUT', { name: 'x' }],
      ] as const) {
        const { text } = await api.row({
          send: `${method} /api/v1/${target}`,
          headers,
          body,
          status: 403,
          expectHeaders,
          has: { errorCode: 'AUTH_SCOPE_INSUFFICIENT' },
        });
        texts.push(text.replaceAll(/"correlationId":"[^"]*"/g, ''));
      }
    }
    assert.equal(new Set(texts).size, 1);
  });

  rows('[AUTH-4a]', [
    {
      title: 'are {collection}:read and {collection}:write by default',
      send: 'GET /api/v1/secrets',
      headers: bearer('bob.secrets_write'),
      status: 403,
      has: { errorCode: 'AUTH_SCOPE_INSUFFICIENT' },
    },
    { title: 'allow what they name', send: 'GET /api/v1/secrets', headers: bearer('bob.secrets_read'), status: 200 },
    {
      title: 'are not needed where the model asks for any caller',
      send: 'DELETE /api/v1/products/p',
      headers: bearer('bob'),
      status: 204,
      events: ['product.deleted'],
    },
    {
      title: 'of a child are those of its parent, where it declares none',
      send: 'GET /api/v1/products/p/reviews',
      status: 200,
    },
    {
      title: 'of a child are its own, where it declares them',
      send: 'POST /api/v1/products/p/reviews',
      headers: bearer('bob'),
      body: { stars: 5 },
      status: 201,
      events: ['review.created'],
    },
    {
      title: 'hold for a query in a body',
      send: 'QUERY /api/v1/secrets',
      headers: { ...bearer('bob'), 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'limit=1',
      status: 403,
    },
    {
      title: 'hold for what is expanded',
      send: 'GET /api/v1/products?expand=maker',
      headers: bearer('bob'),
      status: 403,
      expectHeaders: { 'WWW-Authenticate': /scope="makers:read"/ },
    },
    {
      title: 'hold for what is filtered through',
      send: 'GET /api/v1/products?maker.country=NO',
      headers: bearer('bob'),
      status: 403,
      expectHeaders: { 'WWW-Authenticate': /scope="makers:read"/ },
    },
    {
      title: 'hold for each line of NDJSON',
      send: 'POST /api/v1/products',
      headers: { ...bearer('bob'), 'Content-Type': 'application/x-ndjson' },
      body: '{"id":"q"}\n',
      status: 403,
    },
  ]);

  it('[AUTH-4a] [MET-11] of a transition are needed for that transition alone', async () => {
    await using api = await shop();
    const writer = bearer('bob.products_write');
    const to = (status: string): Pick<ExchangeRow, 'send' | 'body'> => ({
      send: 'PATCH /api/v1/products/p',
      body: { status },
    });
    await api.row({ ...to('ACTIVE'), headers: writer, status: 200, events: ['product.updated'] });
    await api.row({
      ...to('CLOSED'),
      headers: writer,
      status: 403,
      expectHeaders: { 'WWW-Authenticate': /error="insufficient_scope", scope="products:close"/ },
    });
    const closer = bearer('eve.products_write+products_close');
    await api.row({ ...to('CLOSED'), headers: closer, status: 200, events: ['product.updated'] });
  });

  it('[MET-13] [AUTH-4b] are judged for each operation of a batch', async () => {
    await using api = await shop();
    const operations = [
      { method: 'PATCH', path: '/products/p', body: { name: 'A' } },
      { method: 'POST', path: '/secrets', body: { text: 'x' } },
    ];
    const headers = bearer('bob.products_write');
    await api.row({
      send: 'POST /api/v1/batches',
      headers,
      body: { atomic: true, operations },
      status: 403,
      has: { errorCode: 'AUTH_SCOPE_INSUFFICIENT' },
      expectHeaders: { 'WWW-Authenticate': /scope="secrets:write"/ },
    });
    const { body } = await api.row({
      send: 'POST /api/v1/batches',
      headers,
      body: { atomic: false, operations },
      status: 201,
      events: ['product.updated'],
    });
    assert.deepEqual(
      body.results.map(({ status }: { readonly status: number }) => status),
      [200, 403],
    );
  });
});

async function assertMetadata(api: ApiUnderTest, resource: string, path: string, absent: string): Promise<void> {
  const at = '/.well-known/oauth-protected-resource';
  const { body } = await api.row({ send: `GET ${at}${path}`, status: 200 });
  assert.equal(body.resource, resource);
  await api.row({ send: `GET ${at}${absent}`, status: 404 });
}

describe('the metadata of the protected resource', () => {
  it('[AUTH-8a] name the issuers and every scope, and need no credentials', async () => {
    await using api = await shop();
    await api.row({
      send: 'GET /.well-known/oauth-protected-resource/api',
      status: 200,
      expectBody: {
        resource: 'http://127.0.0.1:3000/api',
        authorization_servers: ['https://id.example.com'],
        bearer_methods_supported: ['header'],
        scopes_supported: [
          'events:read',
          'makers:read',
          'makers:write',
          'products:close',
          'products:write',
          'secrets:read',
          'secrets:write',
        ],
        resource_name: 'shop',
      },
    });
  });

  const places: readonly (readonly [settings: string, resource: string, path: string, absent: string])[] = [
    ['public_url: https://api.example.com', 'https://api.example.com/api', '/api', ''],
    ['public_url: https://api.example.com\nbase_path: /shop/v', 'https://api.example.com/shop/v', '/shop/v', '/shop'],
    ['public_url: https://api.example.com\nbase_path: /', 'https://api.example.com', '', '/api'],
    ['base_path: /', 'http://127.0.0.1:3000', '', '/api'],
  ];
  for (const [settings, resource, path, absent] of places) {
    it(`[AUTH-8a] are at the path of the resource, ${resource}, alone`, async () => {
      await using api = await apiUnderTest(MODEL.replace('\nauth:', `\n${settings}\nauth:`), { tokens: fakeTokens });
      await assertMetadata(api, resource, path, absent);
      const { headers } = await api.send({ send: `GET ${new URL(resource).pathname}` });
      const url = `${new URL(resource).origin}/.well-known/oauth-protected-resource${path}`;
      assert.ok(headers.get('www-authenticate')?.includes(`resource_metadata="${url}"`), url);
    });
  }

  for (const [declared, path, absent] of [
    ['https://gate.example.com/shop', '/shop', '/api'],
    ['https://gate.example.com/', '', '/api'],
  ] as const) {
    it(`[AUTH-8a] are those of auth.resource ${declared}`, async () => {
      const text = MODEL.replace('auth: {', `auth: { resource: '${declared}',`);
      await using api = await apiUnderTest(text, { tokens: fakeTokens });
      await assertMetadata(api, declared, path, absent);
      const { headers } = await api.send({ send: 'GET /api' });
      const url = `https://gate.example.com/.well-known/oauth-protected-resource${path}`;
      assert.ok(headers.get('www-authenticate')?.includes(`resource_metadata="${url}"`), url);
    });
  }

  for (const wrong of [
    '/shop',
    'http://api.example.com/shop',
    'https://a.example/x/',
    'https://a.example/x?y',
    'https://A.example',
  ]) {
    it(`[AUTH-8a] have no resource ${wrong}: a model error`, async () => {
      const text = MODEL.replace('auth: {', `auth: { resource: '${wrong}',`);
      await assert.rejects(async () => apiUnderTest(text, { tokens: fakeTokens }), /auth\.resource/);
    });
  }

  it('[AUTH-8a] are absent without authentication', async () => {
    await using api = await apiUnderTest('name: shop\nresources: { notes: { schema: { type: object } } }\n');
    await api.row({ send: 'GET /.well-known/oauth-protected-resource', status: 404 });
  });
});

describe('what a caller may do', () => {
  it('[REP-10a] the root links to the collections that it may read', async () => {
    await using api = await shop();
    const links = async (token: string): Promise<readonly string[]> =>
      Object.keys((await api.row({ send: 'GET /api/v1', headers: bearer(token), status: 200 })).body.links);
    assert.deepEqual(await links('bob'), ['self', 'products', 'service_desc', 'service_desc_events', 'service_doc']);
    assert.deepEqual(await links('bob.secrets_read+makers_read'), [
      'self',
      'makers',
      'products',
      'secrets',
      'service_desc',
      'service_desc_events',
      'service_doc',
    ]);
  });

  it('[MET-5] OPTIONS lists its methods', async () => {
    await using api = await shop();
    const allow = async (token: string): Promise<string | undefined> =>
      (await api.send({ send: 'OPTIONS /api/v1/products/p', headers: bearer(token) })).headers.get('allow');
    assert.equal(await allow('bob'), 'GET, HEAD, DELETE, OPTIONS');
    assert.equal(await allow('bob.products_write'), 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS');
  });
});

describe('caches and callers', () => {
  it('[CACHE-5] [NEG-3a] a public response has no Vary: Authorization, every other one has, and none of them is public', async () => {
    await using api = await shop();
    const open = await api.row({
      send: 'GET /api/v1/products/p',
      status: 200,
      expectHeaders: { 'Cache-Control': 'public, max-age=60' },
    });
    assert.doesNotMatch(open.headers.get('vary') ?? '', /Authorization/);
    const same = await api.row({ send: 'GET /api/v1/products/p', headers: bearer('bob'), status: 200 });
    assert.equal(same.headers.get('etag'), open.headers.get('etag'));
    assert.equal(same.text, open.text);
    await api.row({
      send: 'GET /api/v1/secrets',
      headers: bearer('bob.secrets_read'),
      status: 200,
      expectHeaders: { 'Cache-Control': 'private, max-age=60', Vary: /Authorization/ },
    });
  });

  it('[AUTH-9a] [MET-12] two callers with one key do not see each other, and one caller with two tokens does', async () => {
    await using api = await shop();
    const create = (token: string): Promise<{ headers: ReadonlyMap<string, string>; status: number }> =>
      api.send({
        send: 'POST /api/v1/secrets',
        headers: { ...bearer(token), 'Idempotency-Key': '"k"' },
        body: { text: 'x' },
      });
    const replayed = async (token: string): Promise<boolean> =>
      (await create(token)).headers.get('idempotent-replayed') === 'true';
    assert.equal(await replayed('bob.secrets_write'), false);
    assert.equal(await replayed('eve.secrets_write'), false);
    assert.equal(await replayed('bob~app.secrets_write'), false);
    assert.equal(await replayed('bob.secrets_write+secrets_read'), true);
  });

  it('[MET-13] [AUTH-9a] a batch can be read by its caller alone', async () => {
    await using api = await shop();
    const body = { operations: [{ method: 'PATCH', path: '/products/p', body: { name: 'B' } }] };
    const headers = bearer('bob.products_write');
    const { body: batch } = await api.send({ send: 'POST /api/v1/batches', headers, body });
    await api.newEvents();
    await api.row({ send: `GET /api/v1/batches/${batch.id}`, headers: bearer('bob'), status: 200 });
    await api.row({ send: `GET /api/v1/batches/${batch.id}`, headers: bearer('eve.products_write'), status: 404 });
    await api.row({ send: `GET /api/v1/batches/${batch.id}`, status: 401 });
  });

  it('[AUTH-11] a page of another site may write with a token', async () => {
    await using api = await shop();
    await api.row({
      send: 'DELETE /api/v1/products/p',
      headers: { ...bearer('bob'), 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' },
      status: 204,
      events: ['product.deleted'],
    });
  });

  it('[EVT-2] events name the caller', async () => {
    await using api = await shop();
    await api.send({ send: 'DELETE /api/v1/products/p', headers: bearer('bob') });
    assert.equal((await api.newEvents())[0]?.metadata.actor, 'bob');
  });
});
