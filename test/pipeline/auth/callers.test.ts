import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TokenVerifier, VerifiedToken } from '../../../src/auth/token-verifier.ts';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../support/api-under-test.ts';

const MODEL = `
name: shop
auth: { api_keys: true, issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false }
resources:
  notes: { schema: { type: object, properties: { text: { type: string } } }, access: { read: authenticated, write: authenticated } }
`;

type Name = Pick<VerifiedToken, 'issuer' | 'subject' | 'client'>;

/** A token says who its caller is: nothing of the format of real ones can make two callers alike or different. */
const tokens: TokenVerifier = {
  verify: (token) => {
    const name: Name = JSON.parse(Buffer.from(token, 'base64url').toString());
    return { kind: 'verified', token: { ...name, scopes: new Set(), claims: {} } };
  },
};

const as = (name: Name): Record<string, string> => ({
  Authorization: `Bearer ${Buffer.from(JSON.stringify(name)).toString('base64url')}`,
});

const ANN: Name = { issuer: 'id', subject: 'ann', client: 'web' };
/**
 * Callers that differ from ANN in one thing alone, and such whose names could be mistaken for one another if they were
 * joined.
 */
const PAIRS: readonly (readonly [title: string, one: Name, other: Name])[] = [
  ['the issuer', ANN, { ...ANN, issuer: 'other' }],
  ['the subject', ANN, { ...ANN, subject: 'bob' }],
  ['the client', ANN, { ...ANN, client: 'app' }],
  ['having a client', ANN, { ...ANN, client: null }],
  ['the case of the subject', ANN, { ...ANN, subject: 'Ann' }],
  ['the form of its letters', { ...ANN, subject: 'é' }, { ...ANN, subject: 'e\u0301' }],
  ['a client named null', { ...ANN, client: null }, { ...ANN, client: 'null' }],
  ['where the subject ends', { ...ANN, subject: 'a:b', client: 'c' }, { ...ANN, subject: 'a', client: 'b:c' }],
  ['where a quoted subject ends', { ...ANN, subject: 'a","b', client: 'c' }, { ...ANN, subject: 'a', client: 'b","c' }],
  ['where the issuer ends', { ...ANN, issuer: 'id', subject: 'x:ann' }, { ...ANN, issuer: 'id:x', subject: 'ann' }],
  ['its type of credentials', { ...ANN, client: null }, { issuer: 'api-keys', subject: 'ann', client: null }],
];

const KEY = { 'Idempotency-Key': 'k' };
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const NDJSON = { 'Content-Type': 'application/x-ndjson' };

/** True if any write of a response was a replay. */
const isReplay = ({ headers, text }: Seen): boolean =>
  headers.get('idempotent-replayed') === 'true' || text.includes('"replayed":true');

type Send = (api: ApiUnderTest, who: Name, path: string) => Promise<Seen>;

const operations = [{ method: 'POST', path: '/notes', body: { text: 'x' } }];
const KEYED: readonly (readonly [title: string, send: Send])[] = [
  [
    'POST',
    async (api, who) => api.send({ send: 'POST /api/v1/notes', headers: { ...as(who), ...KEY }, body: { text: 'x' } }),
  ],
  [
    'PATCH',
    async (api, who, path) =>
      api.send({ send: `PATCH ${path}`, headers: { ...as(who), ...KEY, ...MERGE }, body: { text: 'x' } }),
  ],
  [
    'NDJSON',
    async (api, who) =>
      api.send({ send: 'POST /api/v1/notes', headers: { ...as(who), ...KEY, ...NDJSON }, body: '{"text":"x"}\n' }),
  ],
  ...[true, false].map(
    (atomic) =>
      [
        `a batch, atomic ${atomic}`,
        async (api: ApiUnderTest, who: Name) =>
          api.send({ send: 'POST /api/v1/batches', headers: { ...as(who), ...KEY }, body: { atomic, operations } }),
      ] as const,
  ),
];

describe('two callers that differ in one thing', () => {
  for (const [what, one, other] of PAIRS) {
    for (const [title, send] of KEYED) {
      it(`[AUTH-9c] [MET-12] never see each other's ${title} under one key and path: ${what}`, async () => {
        await using api = await apiUnderTest(MODEL, { tokens });
        const note = await api.send({ send: 'POST /api/v1/notes', headers: as(one), body: {} });
        const path = note.headers.get('location') ?? assert.fail(note.text);
        const first = await send(api, one, path);
        assert.ok(first.status < 300 && !isReplay(first), first.text);
        const others = await send(api, other, path);
        assert.equal(others.status, first.status, others.text);
        assert.ok(!isReplay(others), 'the second caller got what the first one had done');
        // Each of them gets its own again.
        for (const [who, had] of [
          [one, first],
          [other, others],
        ] as const) {
          const again = await send(api, who, path);
          assert.ok(isReplay(again), again.text);
          assert.equal(again.text.replaceAll(',"replayed":true', ''), had.text);
        }
      });
    }

    it(`[AUTH-9c] [MET-12] are not told that a key is another's: ${what}`, async () => {
      await using api = await apiUnderTest(MODEL, { tokens });
      const post = async (who: Name, text: string): Promise<number> =>
        (await api.send({ send: 'POST /api/v1/notes', headers: { ...as(who), ...KEY }, body: { text } })).status;
      assert.deepEqual([await post(one, 'a'), await post(other, 'b'), await post(one, 'b')], [201, 201, 422]);
    });

    it(`[AUTH-9c] [MET-13] never see each other's batch: ${what}`, async () => {
      await using api = await apiUnderTest(MODEL, { tokens });
      for (const [who, stranger] of [
        [one, other],
        [other, one],
      ] as const) {
        const made = await api.send({ send: 'POST /api/v1/batches', headers: as(who), body: { operations } });
        const read = async (reader: Name, headers: Record<string, string> = {}): Promise<Seen> =>
          api.send({ send: `GET ${made.headers.get('location')}`, headers: { ...as(reader), ...headers } });
        const own = await read(who);
        assert.deepEqual([own.status, own.text], [200, made.text]);
        const etag = { 'If-None-Match': own.headers.get('etag') ?? '*' };
        const [none, conditional] = [await read(stranger), await read(stranger, etag)];
        const missing = await api.send({ send: 'GET /api/v1/batches/none', headers: as(stranger) });
        for (const { status, body } of [none, conditional, missing])
          assert.deepEqual([status, body.errorCode], [404, 'BATCH_NOT_FOUND']);
        assert.equal((await read(who)).status, 200);
      }
    });
  }
});
