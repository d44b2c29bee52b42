import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../../support/api-under-test.ts';
import { fakeTokens } from '../../support/fake-tokens.ts';

const MODEL = `
name: shop
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false }
resources:
  products:
    id: client
    schema:
      type: object
      properties:
        name: { type: string }
        status: { type: string, enum: [DRAFT, ACTIVE, CLOSED], default: DRAFT }
    state: { field: status, initial: DRAFT, transitions: { DRAFT: [ACTIVE, { to: CLOSED, scope: products:drop }], ACTIVE: [{ to: CLOSED, scope: products:close }] } }
  reviews:
    parent: products
    on_parent_delete: cascade
    schema: { type: object, properties: { stars: { type: integer } } }
`;

const ALL = 'ann.products_read+products_write+products_close+products_drop';
const KEY = { 'Idempotency-Key': 'k' };
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const NDJSON = { 'Content-Type': 'application/x-ndjson' };

type Request = Parameters<ApiUnderTest['send']>[0];

const as = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

async function shop(): Promise<ApiUnderTest> {
  const api = await apiUnderTest(MODEL, { tokens: fakeTokens });
  await write(api, { send: 'POST /api/v1/products', body: { id: 'p', name: 'lamp' } });
  return api;
}

/** Sends a request of a caller. */
function write(api: ApiUnderTest, { send, headers, body }: Request, token = ALL): Promise<Seen> {
  return api.send({ send, headers: { ...headers, ...as(token) }, body });
}

const operations = [
  { method: 'PATCH', path: '/products/p', body: { name: 'desk' } },
  { method: 'POST', path: '/products', body: { id: 'q' } },
];

const KEYED: readonly (readonly [title: string, request: Request])[] = [
  ['POST', { send: 'POST /api/v1/products', headers: KEY, body: { id: 'n', name: 'new' } }],
  ['PATCH', { send: 'PATCH /api/v1/products/p', headers: { ...KEY, ...MERGE }, body: { name: 'desk' } }],
  ['POST below a parent', { send: 'POST /api/v1/products/p/reviews', headers: KEY, body: { stars: 3 } }],
  [
    'NDJSON below a parent',
    { send: 'POST /api/v1/products/p/reviews', headers: { ...KEY, ...NDJSON }, body: '{"stars":3}\n{"stars":4}\n' },
  ],
  [
    'POST that waits for 100 Continue',
    { send: 'POST /api/v1/products/p/reviews', headers: { ...KEY, Expect: '100-continue' }, body: { stars: 3 } },
  ],
  ['an atomic batch', { send: 'POST /api/v1/batches', headers: KEY, body: { operations } }],
  ['an independent batch', { send: 'POST /api/v1/batches', headers: KEY, body: { atomic: false, operations } }],
];

/** Changes of the target after the first request. */
const CHANGES: readonly (readonly [title: string, change: (api: ApiUnderTest) => Promise<unknown>])[] = [
  ['is as it was', async () => undefined],
  [
    'was changed',
    async (api) => write(api, { send: 'PATCH /api/v1/products/p', headers: MERGE, body: { name: 'other' } }),
  ],
  [
    'was deleted',
    async (api) => {
      for (const id of ['p', 'n', 'q']) await write(api, { send: `DELETE /api/v1/products/${id}` });
    },
  ],
];

/** A response without what marks it as a replay. */
const shown = ({ status, text }: Seen): string => `${status} ${text.replaceAll(',"replayed":true', '')}`;

/** True if every write of a response was a replay. */
const isReplay = ({ headers, text }: Seen): boolean =>
  headers.get('idempotent-replayed') === 'true' || /^(?:\{"line":\d+,.*"replayed":true\}\n)+$/.test(text);

describe('a replay', () => {
  for (const [title, request] of KEYED) {
    for (const [what, change] of CHANGES) {
      it(`[MET-12] of ${title} is the first response where its target ${what}`, async () => {
        await using api = await shop();
        const first = await write(api, request);
        assert.ok(first.status < 300 && !/"status":[45]/.test(first.text), first.text);
        await change(api);
        await api.newEvents();
        const again = await write(api, request);
        assert.equal(shown(again), shown(first));
        assert.ok(isReplay(again));
        assert.deepEqual(await api.newEvents(), []);
      });
    }

    it(`[MET-12] [AUTH-3a] of ${title} needs credentials now`, async () => {
      await using api = await shop();
      await write(api, request);
      const refusals = [
        [await api.send(request), 401, 'AUTH_REQUIRED'],
        [await write(api, request, 'bad'), 401, 'AUTH_TOKEN_INVALID'],
        [await write(api, request, 'expired'), 401, 'AUTH_TOKEN_EXPIRED'],
      ] as const;
      for (const [{ status, body }, expected, code] of refusals)
        assert.deepEqual([status, body.errorCode], [expected, code]);
    });

    it(`[MET-12] [AUTH-4b] of ${title} needs its scope now, also after its target was deleted`, async () => {
      await using api = await shop();
      const first = await write(api, request);
      for (const [, change] of CHANGES) {
        await change(api);
        const refused = await write(api, request, 'ann.products_read');
        const results: readonly { readonly status: number; readonly body: { readonly errorCode: string } }[] = refused
          .body.results ?? [{ status: refused.status, body: refused.body }];
        for (const { status, body } of results)
          assert.deepEqual([status, body.errorCode], [403, 'AUTH_SCOPE_INSUFFICIENT']);
        assert.ok(!refused.text.includes('desk') && !refused.text.includes('"stars"'), refused.text);
      }
      assert.equal(shown(await write(api, request)), shown(first));
    });
  }

  it('[MET-12] [AUTH-4a] of a change of state needs the scope of that transition, and of no other', async () => {
    const patch = { send: 'PATCH /api/v1/products/p', headers: { ...KEY, ...MERGE }, body: { status: 'CLOSED' } };
    const batch = {
      send: 'POST /api/v1/batches',
      headers: KEY,
      body: { operations: [{ method: 'PATCH', path: '/products/p', body: { status: 'CLOSED' } }] },
    };
    for (const request of [patch, batch]) {
      await using api = await shop();
      await write(api, { send: 'PATCH /api/v1/products/p', headers: MERGE, body: { status: 'ACTIVE' } });
      const first = await write(api, request);
      const refused = await write(api, request, 'ann.products_write+products_drop');
      assert.deepEqual([refused.status, refused.body.errorCode], [403, 'AUTH_SCOPE_INSUFFICIENT']);
      assert.match(refused.headers.get('www-authenticate') ?? '', /scope="products:close"/);
      assert.equal(shown(await write(api, request, 'ann.products_write+products_close')), shown(first));
    }
  });

  it('[MET-12] of an independent batch refuses the operations alone whose scope is missing', async () => {
    await using api = await shop();
    const close = { method: 'PATCH', path: '/products/p', body: { status: 'CLOSED' } };
    const request = {
      send: 'POST /api/v1/batches',
      headers: KEY,
      body: { atomic: false, operations: [...operations, close] },
    };
    const first = await write(api, request);
    const { status, body } = await write(api, request, 'ann.products_write');
    assert.deepEqual(
      [status, body.status, body.results.map((one: { readonly status: number }) => one.status)],
      [201, 'partially_failed', [200, 201, 403]],
    );
    assert.equal(shown(await write(api, request)), shown(first));
  });

  it('[MET-12] [MET-13] of NDJSON goes on where it stopped, whatever its own lines did to its precondition', async () => {
    await using api = await shop();
    const { headers } = await write(api, { send: 'GET /api/v1/products', headers: { Accept: 'application/x-ndjson' } });
    const request = {
      send: 'POST /api/v1/products',
      headers: { ...KEY, ...NDJSON, 'If-Match': headers.get('etag') ?? assert.fail('no ETag') },
      body: '{"id":"a"}\n',
    };
    assert.match((await write(api, request)).text, /"status":201/);
    const again = await write(api, { ...request, body: '{"id":"a"}\n{"id":"b"}\n' });
    assert.deepEqual(
      again.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ status, replayed }) => [status, replayed]),
      [
        [201, true],
        [201, undefined],
      ],
    );
    const other = await write(api, { ...request, headers: { ...request.headers, 'Idempotency-Key': 'other' } });
    assert.equal(other.status, 412);
  });
});
