import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../pipeline/support/api-under-test.ts';
import { FORGED, SIGNED, SPELLED } from './attacks.ts';
import { ISSUER, JWKS, NOW, SECONDS, token, verifier } from './signing.ts';

const MODEL = JSON.stringify({
  name: 'shop',
  auth: {
    issuers: [{ name: 'id', issuer: ISSUER.issuer, audience: ISSUER.audiences[0], jwks: { keys: JWKS } }],
  },
  limits: { rate: false },
  resources: { products: { schema: { type: 'object', properties: { name: { type: 'string' } } } } },
});

/** RFC 6750 2.1. */
const BEARER = /^[A-Za-z0-9\-._~+/]+=*$/;
/** The most bytes of a header section (URL-8). */
const MAX_HEAD = 16_384;
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;
const REQUESTS = [
  'GET /api/v1/products',
  'GET /api/v1/products/none',
  'POST /api/v1/products',
  'GET /api/v1/batches/x',
];

const open = async (): Promise<ApiUnderTest> => apiUnderTest(MODEL, { tokens: await verifier(), time: NOW });

/** Every byte of a response but ids and times. */
function serializeSeen({ status, headers, text }: Seen): string {
  const fields = [...headers].filter(([name]) => name !== 'date' && name !== 'server-timing');
  return JSON.stringify([status, fields, text]).replaceAll(UUID, '#');
}

async function ask(api: ApiUnderTest, send: string, bearer: string): Promise<Seen> {
  const body = send.startsWith('POST') ? { name: 'lamp' } : undefined;
  return api.send({ send, headers: { Authorization: `Bearer ${bearer}` }, body });
}

/** Spaces before a token are part of what separates it from its scheme (RFC 9110 11.4). */
const ALL: readonly (readonly [title: string, text: string])[] = [
  ...FORGED.filter(([, text]) => !text.startsWith(' ')),
  ...SPELLED,
  ...SIGNED.map(([title, parts]) => [title, token(parts)] as const),
];

describe('the response to a token that is not accepted', () => {
  for (const send of REQUESTS) {
    it(`[AUTH-3b] has the same bytes, whatever is wrong with the token: ${send}`, async () => {
      await using api = await open();
      // A valid token is known by then, so that what resembles it could be taken for it.
      assert.notEqual((await ask(api, send, token())).status, 401);
      const invalid = serializeSeen(await ask(api, send, 'a.b.c'));
      const malformed = serializeSeen(await ask(api, send, 'a b'));
      const large = serializeSeen(await ask(api, send, '.'.repeat(MAX_HEAD)));
      assert.match(invalid, /^\[401,.*AUTH_TOKEN_INVALID/);
      assert.match(malformed, /^\[400,.*AUTH_REQUEST_INVALID/);
      assert.match(large, /^\[431,/);
      for (const [title, text] of ALL) {
        const expected = text.length > MAX_HEAD ? large : BEARER.test(text) ? invalid : malformed;
        assert.equal(serializeSeen(await ask(api, send, text)), expected, title);
      }
    });
  }

  it('[AUTH-3b] says that a token is expired only where nothing else is wrong with it', async () => {
    await using api = await open();
    const code = async (text: string): Promise<string> => (await ask(api, 'GET /api/v1/products', text)).body.errorCode;
    const claims = { exp: SECONDS - 100 };
    assert.equal(await code(token({ claims })), 'AUTH_TOKEN_EXPIRED');
    for (const [title, parts] of SIGNED) {
      const others = typeof parts.claims === 'string' ? parts.claims : { ...claims, ...parts.claims };
      assert.equal(await code(token({ ...parts, claims: others })), 'AUTH_TOKEN_INVALID', title);
    }
  });

  it('[AUTH-2a] is logged with a reason that has nothing of the token', async () => {
    await using api = await open();
    for (const [, text] of ALL) await ask(api, 'GET /api/v1/products', text);
    const logged = JSON.stringify(api.observations);
    assert.ok(logged.includes('token-rejected'));
    for (const [title, text] of ALL) {
      const signature = text.split('.')[2] ?? '';
      if (signature.length > 20) assert.ok(!logged.includes(signature), title);
    }
    for (const secret of ['evil.example', 'OR 1=1', 'shop-web']) assert.ok(!logged.includes(secret), secret);
  });

  it('[AUTH-2a] [LIM-1] takes little time: no token makes the server work', async () => {
    const subject = await verifier();
    await subject.verify(token());
    const since = performance.now();
    for (const [, text] of ALL) await subject.verify(text);
    assert.ok(performance.now() - since < 5_000);
  });
});
