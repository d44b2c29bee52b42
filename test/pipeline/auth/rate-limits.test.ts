import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TokenVerifier } from '../../../src/auth/token-verifier.ts';
import {
  type ApiUnderTest,
  apiUnderTest,
  type ExchangeRow,
  rawRequest,
  type Seen,
  type Setting,
} from '../support/api-under-test.ts';
import { fakeTokens, slowTokens } from '../support/fake-tokens.ts';

const AUTH =
  'auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }';

function document(top: string): string {
  return `
name: shop
${top}
resources:
  notes:
    id: client
    search: [text]
    schema: { type: object, properties: { text: { type: string } } }
    access: { read: public }
  pages:
    id: client
    schema: { type: object, properties: { text: { type: string } } }
    access: { read: public }
    cache: { max_age: 60, scope: public }
  secrets:
    schema: { type: object, properties: { text: { type: string } } }
`;
}

/** Without `auth`, a model declares no access. */
function open(rate: string, setting?: Setting): Promise<ApiUnderTest> {
  const text = document(`limits: { rate: ${rate}, handler_timeout: 1h }`).replaceAll(/ {4}access: .*\n/g, '');
  return apiUnderTest(text, setting);
}

function guarded(rate: string | null = null, tokens: TokenVerifier = fakeTokens): Promise<ApiUnderTest> {
  return apiUnderTest(document(rate === null ? AUTH : `${AUTH}\nlimits: { rate: ${rate} }`), { tokens });
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const ALICE = bearer('alice.notes_write+notes_read+pages_read+pages_write');

async function times(
  api: ApiUnderTest,
  count: number,
  row: Pick<ExchangeRow, 'send' | 'headers' | 'body'>,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (let sent = 0; sent < count; sent += 1) seen.push(await api.send(row));
  return seen;
}

const statuses = (seen: readonly Seen[]) => seen.map(({ status }) => status);
const field = (seen: Seen | undefined) => seen?.headers.get('ratelimit');

describe('the quota of a caller', () => {
  it('[LIM-2a] is 600 per 60 s where the model has auth, and the fields name it', async () => {
    await using api = await guarded();
    await api.row({
      send: 'GET /api/v1/notes',
      headers: ALICE,
      status: 200,
      expectHeaders: { 'RateLimit-Policy': '"default";q=600;w=60', RateLimit: '"default";r=599;t=60' },
    });
    const rest = await times(api, 599, { send: 'GET /api/v1/notes', headers: ALICE });
    assert.deepEqual(new Set(statuses(rest)), new Set([200]));
    await api.row({
      send: 'GET /api/v1/notes',
      headers: ALICE,
      status: 429,
      expectHeaders: {
        'RateLimit-Policy': '"default";q=600;w=60',
        RateLimit: '"default";r=0;t=1',
        'Retry-After': '1',
        'Cache-Control': 'no-store',
      },
      has: { errorCode: 'RATE_LIMIT_EXCEEDED', details: [] },
    });
    await api.row({ send: 'GET /api/v1/notes', headers: bearer('bob.notes_read'), status: 200 });
    api.clock.advance(100);
    await api.row({ send: 'GET /api/v1/notes', headers: ALICE, status: 200 });
  });

  it('[AUTH-9c] is of issuer, subject and client together', async () => {
    await using api = await guarded('{ requests: 1, per: 60s }');
    for (const token of ['alice', 'alice~app', 'alice~other', 'bob']) {
      const send = { send: 'GET /api/v1/notes', headers: bearer(`${token}.notes_read`) };
      assert.deepEqual(statuses(await times(api, 2, send)), [200, 429], token);
    }
  });

  it('[LIM-2a] is 60 per 60 s for each address without credentials', async () => {
    await using api = await guarded();
    const seen = await times(api, 61, { send: 'GET /api/v1/notes' });
    assert.equal(seen[0]?.headers.get('ratelimit-policy'), '"default";q=60;w=60');
    assert.deepEqual([seen[59]?.status, seen[60]?.status], [200, 429]);
    await api.row({ send: 'GET /api/v1/notes', headers: ALICE, status: 200 });
    const other = { ...rawRequest({ send: 'GET /api/v1/notes' }), peer: '192.0.2.7' };
    assert.equal((await api.api.handle(other)).status, 200);
  });

  it('[LIM-2a] is one for a /64 of IPv6, and for IPv4 in both spellings', async () => {
    await using api = await open('{ requests: 1, per: 60s }');
    const from = async (peer: string): Promise<number> =>
      (await api.api.handle({ ...rawRequest({ send: 'GET /api/v1/notes' }), peer })).status;
    assert.equal(await from('2001:db8:0:1::1'), 200);
    assert.equal(await from('2001:db8:0:1:ffff::2'), 429);
    assert.equal(await from('2001:db8:0:2::1'), 200);
    assert.equal(await from('192.0.2.1'), 200);
    assert.equal(await from('::ffff:192.0.2.1'), 429);
  });

  it('[LIM-2c] is none without auth, unless the model sets one', async () => {
    await using none = await apiUnderTest('name: shop\nresources: { notes: { schema: { type: object } } }');
    await none.row({
      send: 'GET /api/v1/notes',
      status: 200,
      expectHeaders: { RateLimit: null, 'RateLimit-Policy': null },
    });
    await using off = await guarded('false');
    await off.row({ send: 'GET /api/v1/notes', headers: ALICE, status: 200, expectHeaders: { RateLimit: null } });
    await using set = await open('{ requests: 2, per: 60s }');
    assert.deepEqual(statuses(await times(set, 3, { send: 'GET /api/v1/notes' })), [200, 200, 429]);
  });

  it('[LIM-2a] is shown on errors as on everything else', async () => {
    await using api = await open('{ requests: 9, per: 60s }');
    const expectHeaders = { RateLimit: /^"default";r=\d;t=60$/ };
    await api.row({ send: 'GET /api/v1/notes/none', status: 404, expectHeaders });
    await api.row({ send: 'GET /api/v1/notes?x=1', status: 400, expectHeaders });
    await api.row({ send: 'GET /api/v1/notes', headers: { Accept: 'image/png' }, status: 406, expectHeaders });
    await api.row({
      send: 'POST /api/v1/notes',
      body: { id: 'a' },
      status: 201,
      expectHeaders,
      events: ['note.created'],
    });
    await api.row({ send: 'GET /api', status: 200, expectHeaders });
    const { headers } = await api.send({ send: 'GET /api/v1/notes/a' });
    const tag = { 'If-None-Match': headers.get('etag') ?? '' };
    await api.row({ send: 'GET /api/v1/notes/a', headers: tag, status: 304, expectHeaders });
  });

  it('[LIM-2a] is neither taken from nor shown by health checks and OPTIONS', async () => {
    await using api = await open('{ requests: 1, per: 60s }');
    const expectHeaders = { RateLimit: null, 'RateLimit-Policy': null };
    for (const path of ['/livez', '/readyz']) await api.row({ send: `GET ${path}`, status: 200, expectHeaders });
    await api.row({ send: 'OPTIONS /api/v1/notes', status: 204, expectHeaders });
    await api.row({ send: 'GET /api/v1/notes', status: 200 });
  });

  it('[CACHE-5] is not shown on what shared caches may store', async () => {
    await using api = await guarded();
    await api.send({ send: 'POST /api/v1/pages', headers: ALICE, body: { id: 'a' } });
    await api.newEvents();
    const expectHeaders = { RateLimit: null, 'RateLimit-Policy': null, 'Cache-Control': 'public, max-age=60' };
    const { headers } = await api.row({ send: 'GET /api/v1/pages/a', status: 200, expectHeaders });
    await api.row({ send: 'GET /api/v1/pages', status: 200, expectHeaders });
    const tag = { 'If-None-Match': headers.get('etag') ?? '' };
    await api.row({ send: 'GET /api/v1/pages/a', headers: tag, status: 304, expectHeaders });
    await api.row({ send: 'GET /api/v1/pages/none', status: 404, expectHeaders: { RateLimit: /r=56/ } });
  });

  it('[LIM-2a] is judged after an origin that is not allowed, and before Accept', async () => {
    await using api = await open('{ requests: 1, per: 60s }');
    const headers = { Origin: 'https://evil.example' };
    await api.row({ send: 'DELETE /api/v1/notes/a', headers, status: 403, expectHeaders: { RateLimit: null } });
    await api.row({ send: 'GET /api/v1/notes', status: 200 });
    await api.row({ send: 'GET /api/v1/notes', headers: { Accept: 'image/png' }, status: 429 });
  });
});

describe('failed authentication', () => {
  for (const [how, tokens] of [
    ['at once', fakeTokens],
    ['later', slowTokens],
  ] as const) {
    it(`[LIM-2b] takes from the address, and then no token is verified, where tokens are verified ${how}`, async () => {
      let verified = 0;
      const counted: TokenVerifier = {
        verify(token) {
          verified += 1;
          return tokens.verify(token);
        },
      };
      await using api = await guarded('{ requests: 3, per: 60s }', counted);
      const bad = { send: 'GET /api/v1/notes', headers: bearer('bad') };
      const seen = await times(api, 5, bad);
      assert.deepEqual(statuses(seen), [401, 401, 401, 429, 429]);
      assert.deepEqual(
        seen.map(field),
        [2, 1, 0, 0, 0].map((left) => `"default";r=${left};t=${left === 0 ? 20 : 60}`),
      );
      assert.equal(seen[4]?.headers.get('retry-after'), '20');
      assert.equal(verified, 3);
      await api.row({ send: 'GET /api/v1/notes', headers: ALICE, status: 429 });
      assert.equal(verified, 3);
      const elsewhere = { ...rawRequest({ send: 'GET /api/v1/notes', headers: ALICE }), peer: '192.0.2.7' };
      assert.equal((await api.api.handle(elsewhere)).status, 200);
      api.clock.advance(20_000);
      await api.row({ send: 'GET /api/v1/notes', headers: ALICE, status: 200 });
    });
  }

  it('[LIM-2b] stops no token that was verified before, and still stops all others of the address', async () => {
    const known = new Set<string>();
    let verified = 0;
    const remembering: TokenVerifier = {
      verify(token) {
        verified += 1;
        if (token !== 'bad') known.add(token);
        return fakeTokens.verify(token);
      },
      isKnown: (token) => known.has(token),
    };
    await using api = await guarded('{ requests: 2, per: 60s }', remembering);
    const get = (headers: Readonly<Record<string, string>>) => api.send({ send: 'GET /api/v1/notes', headers });
    await get(ALICE);
    await times(api, 2, { send: 'GET /api/v1/notes', headers: bearer('bad') });
    assert.deepEqual([(await get(ALICE)).status, (await get(bearer('b.notes_read'))).status], [200, 429]);
    assert.equal((await get(bearer('bad'))).status, 429);
    assert.equal(verified, 4);
  });

  it('[LIM-2b] is not what valid callers and anonymous ones take from', async () => {
    await using api = await guarded('{ requests: 2, per: 60s }');
    for (const name of ['a', 'b', 'c', 'd']) {
      await api.row({ send: 'GET /api/v1/notes', headers: bearer(`${name}.notes_read`), status: 200 });
    }
    await times(api, 2, { send: 'GET /api/v1/notes' });
    await api.row({ send: 'GET /api/v1/notes', headers: bearer('bad'), status: 401 });
  });

  it('[LIM-2b] locks out no one where the address is not known', async () => {
    await using api = await guarded('{ requests: 1, per: 60s }');
    const from = async (headers: Record<string, string>): Promise<number> =>
      (await api.api.handle({ ...rawRequest({ send: 'GET /api/v1/notes', headers }), peer: '' })).status;
    assert.deepEqual([await from(bearer('bad')), await from(bearer('bad')), await from(ALICE)], [401, 401, 200]);
  });

  it('[LIM-2b] counts requests without credentials that need them, and stops no other anonymous request', async () => {
    await using api = await guarded('{ requests: 2, per: 60s }');
    assert.deepEqual(statuses(await times(api, 3, { send: 'GET /api/v1/secrets' })), [401, 401, 429]);
    await api.row({ send: 'GET /api/v1/notes', status: 200 });
  });
});

describe('what a request takes', () => {
  it('[LIM-2a] is the weight of a search, in the URL and in a form', async () => {
    await using api = await open('{ requests: 20, per: 60s, weights: { search: 5 } }');
    const left = async (row: Pick<ExchangeRow, 'send' | 'headers' | 'body'>) => field(await api.send(row));
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    assert.match((await left({ send: 'GET /api/v1/notes?q=a' })) ?? '', /r=15/);
    assert.match((await left({ send: 'QUERY /api/v1/notes', headers: form, body: 'q=a' })) ?? '', /r=10/);
    assert.match((await left({ send: 'QUERY /api/v1/notes?q=a', headers: form, body: 'limit=1' })) ?? '', /r=5/);
    assert.match((await left({ send: 'QUERY /api/v1/notes', headers: form, body: 'limit=1' })) ?? '', /r=4/);
    await api.row({
      send: 'GET /api/v1/notes?q=a',
      status: 429,
      expectHeaders: { RateLimit: '"default";r=4;t=60', 'Retry-After': '3' },
    });
    await api.row({
      send: 'QUERY /api/v1/notes',
      headers: form,
      body: 'q=a',
      status: 429,
      expectHeaders: { 'Retry-After': '6' },
    });
    api.clock.advance(6_000);
    await api.row({ send: 'QUERY /api/v1/notes', headers: form, body: 'q=a', status: 200 });
  });

  const operations = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ method: 'POST', path: '/notes', body: { id: `n${index}` } }));
  const created = (count: number) => Array<string>(count).fill('note.created');

  it('[LIM-2a] [MET-13] is one for each operation of a batch, all together where it is atomic', async () => {
    await using api = await open('{ requests: 10, per: 60s }');
    const batch = (count: number) => ({ send: 'POST /api/v1/batches', body: { operations: operations(count) } });
    await api.row({ ...batch(6), status: 201, expectHeaders: { RateLimit: /r=4/ }, events: created(6) });
    const send = 'POST /api/v1/batches';
    const body = {
      operations: operations(9)
        .slice(3)
        .map((each, index) => ({ ...each, body: { id: `m${index}` } })),
    };
    await api.row({ send, body, status: 429, expectHeaders: { 'Retry-After': '18', RateLimit: /r=3/ } });
    api.clock.advance(18_000);
    await api.row({ send, body, status: 201, expectHeaders: { RateLimit: /r=0/ }, events: created(6) });
  });

  it('[LIM-2a] [MET-13] refuses the operations of a batch for which nothing is left, which are made when it is sent again', async () => {
    await using api = await open('{ requests: 4, per: 60s }');
    const row = {
      send: 'POST /api/v1/batches',
      headers: { 'Idempotency-Key': 'batch' },
      body: { atomic: false, operations: operations(6) },
    };
    const results = ({ body }: Seen): readonly number[] => body.results.map((each: { status: number }) => each.status);
    const first = await api.row({ ...row, status: 201, events: created(4) });
    assert.deepEqual(results(first), [201, 201, 201, 201, 429, 429]);
    assert.equal(first.body.results[5].body.errorCode, 'RATE_LIMIT_EXCEEDED');
    assert.equal(first.body.results[5].headers['Retry-After'], '15');
    api.clock.advance(60_000);
    const again = await api.row({ ...row, status: 201, events: created(2) });
    assert.deepEqual(results(again), [201, 201, 201, 201, 201, 201]);
    assert.match(field(again) ?? '', /r=1/);
  });

  const NDJSON = { 'Content-Type': 'application/x-ndjson', Accept: 'application/x-ndjson' };
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => JSON.stringify({ id: `l${index}` })).join('\n');

  it('[LIM-2a] [MET-13] is one for each 100 lines of NDJSON, which wait where none is left', async () => {
    const waits: number[] = [];
    let advance: (milliseconds: number) => void = () => undefined;
    const sleep = async (milliseconds: number): Promise<void> => {
      waits.push(milliseconds);
      advance(milliseconds);
    };
    await using api = await open('{ requests: 3, per: 60s }', { sleep });
    advance = (milliseconds) => api.clock.advance(milliseconds);
    const answer = await api.row({
      send: 'POST /api/v1/notes',
      headers: NDJSON,
      body: lines(450),
      status: 200,
      expectHeaders: { RateLimit: /r=2/ },
      events: created(450),
    });
    assert.equal(answer.text.split('\n').length, 451);
    assert.deepEqual(waits, [20_000, 20_000]);
  });

  it('[LIM-2a] [MET-13] ends a stream of NDJSON that would wait longer than an idle client may', async () => {
    await using api = await open('{ requests: 1, per: 60s }', { sleep: () => Promise.reject(new Error('waited')) });
    const response = await api.api.handle(
      rawRequest({ send: 'POST /api/v1/notes', headers: NDJSON, body: lines(250) }),
    );
    let text = '';
    await assert.rejects(async () => {
      for await (const part of response.body as AsyncIterable<string>) text += part;
    }, /Too many requests/);
    const all = text.trimEnd().split('\n');
    assert.equal(all.length, 101);
    assert.equal(JSON.parse(all[100] ?? '').error.errorCode, 'RATE_LIMIT_EXCEEDED');
  });
});
