import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TokenVerdict, TokenVerifier } from '../../../src/auth/token-verifier.ts';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';

const issuer = (name: string): string =>
  `{ name: ${name}, issuer: https://${name}.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }`;

const model = (...issuers: readonly string[]): string => `
name: shop
auth: { issuers: [${issuers.map(issuer).join(', ')}] }
resources:
  notes:
    schema: { type: object, properties: { text: { type: string }, owner_id: { type: string, readOnly: true } } }
    access: { read: authenticated, write: authenticated, owner: owner_id }
`;

const ONE_ISSUER = model('main');
const TWO_ISSUERS = model('main', 'other');

/**
 * A verifier that returns one object for one token, as that of JSON Web Tokens does. Two tokens may name one caller.
 */
function sharedVerifier(): TokenVerifier {
  const known = new Map<string, TokenVerdict>();
  return {
    verify(token) {
      const [subject = ''] = token.split('-');
      const made = { issuer: 'main', subject, client: null, scopes: new Set<string>(), claims: {} };
      const verdict: TokenVerdict = known.get(token) ?? { kind: 'verified', token: made };
      known.set(token, verdict);
      return verdict;
    },
  };
}

const as = (token: string): Readonly<Record<string, string>> => ({ Authorization: `Bearer ${token}` });

async function create(api: ApiUnderTest, token: string): Promise<void> {
  await api.row({
    send: 'POST /api/v1/notes',
    headers: as(token),
    body: { text: 'a' },
    status: 201,
    events: ['note.created'],
  });
}

/** The owners of the notes that the caller of a token reads. */
async function owners(api: ApiUnderTest, token: string): Promise<readonly string[]> {
  const { body } = await api.send({ send: 'GET /api/v1/notes', headers: as(token) });
  return body.data.map((note: { readonly owner_id: string }) => note.owner_id);
}

describe('one verifier of two APIs in a process', () => {
  const orders: readonly (readonly [title: string, first: 'one' | 'two'])[] = [
    ['the API with one issuer', 'one'],
    ['the API with two issuers', 'two'],
  ];
  for (const [title, first] of orders) {
    it(`[AUTH-9b] names owners in each API by its own issuers, where ${title} sees the token first`, async () => {
      const tokens = sharedVerifier();
      await using one = await apiUnderTest(ONE_ISSUER, { tokens });
      await using two = await apiUnderTest(TWO_ISSUERS, { tokens });
      for (const api of first === 'one' ? [one, two] : [two, one]) await create(api, 'ann-1');
      assert.deepEqual(await owners(one, 'ann-1'), ['ann']);
      assert.deepEqual(await owners(two, 'ann-1'), ['main:ann']);
    });

    it(`[AUTH-9b] shows a caller its rows by another token of its own, where ${title} sees the first one first`, async () => {
      const tokens = sharedVerifier();
      await using one = await apiUnderTest(ONE_ISSUER, { tokens });
      await using two = await apiUnderTest(TWO_ISSUERS, { tokens });
      for (const api of first === 'one' ? [one, two] : [two, one]) await create(api, 'ann-1');
      assert.deepEqual(await owners(one, 'ann-2'), ['ann']);
      assert.deepEqual(await owners(two, 'ann-2'), ['main:ann']);
      assert.deepEqual(await owners(two, 'bob-1'), []);
    });
  }
});
