import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiUnderTest, type Seen } from '../support/api-under-test.ts';
import { fakeTokens } from '../support/fake-tokens.ts';

const MODEL = `
name: shop
version: 2.0.0
default_version: 2
cors: { origins: [https://app.example.com] }
limits: { rate: { requests: 100 } }
resources:
  products:
    id: client
    cache: { max_age: 60, scope: public }
    access: { read: public }
    schema: { type: object, properties: { name: { type: string } } }
  notes:
    id: client
    schema: { type: object, properties: { text: { type: string } } }
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }] }
versions:
  1.0.0: { deprecated: 2026-06-01, sunset: 2028-06-01, deprecation_page: https://docs.example.com/, changes: [] }
`;

const TARGETS = [
  '/api/v2',
  '/api',
  '/api/v1',
  '/api/v2/products',
  '/api/v1/products?limit=1',
  '/api/products?api_version=1',
  '/api/v2/products/a',
  '/api/v1/products/a',
  '/api/v1/notes',
  '/api/v2/notes/n',
  '/api/v2/events',
  '/openapi.json',
  '/openapi.json?api_version=1',
  '/docs',
  '/',
];

const CALLERS: readonly Readonly<Record<string, string>>[] = [
  { Authorization: 'Bearer all-scopes' },
  {
    Authorization: 'Bearer all-scopes',
    Origin: 'https://app.example.com',
    'Accept-Encoding': 'gzip',
    Prefer: 'handling=lenient',
  },
];

/** The fields that a 304 has whenever its 200 has them (CACHE-2), and no others. */
const FIELDS = [
  // RFC 9110 15.4.5.
  'etag',
  'cache-control',
  'content-location',
  'date',
  'vary',
  // Those of the response as such, rather than of the representation.
  'cross-origin-resource-policy',
  'x-content-type-options',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-expose-headers',
  'api-version',
  'deprecation',
  'sunset',
  'ratelimit',
  'ratelimit-policy',
  'x-correlation-id',
];
/** Their values differ from request to request. */
const VARYING = new Set(['x-correlation-id', 'ratelimit', 'date']);

function selectFields({ headers }: Seen, isShown: (name: string) => boolean): readonly string[] {
  const shown = [...headers].filter(([name]) => isShown(name));
  return shown.map(([name, value]) => (VARYING.has(name) ? name : `${name}: ${value}`)).toSorted();
}

describe('a 304', () => {
  for (const [index, caller] of CALLERS.entries()) {
    for (const target of TARGETS) {
      it(`[CACHE-2] [AUTH-11] has the listed fields of its 200, and no others: ${target} of caller ${index}`, async () => {
        await using api = await apiUnderTest(MODEL, { tokens: fakeTokens });
        for (const [send, body] of [
          ['POST /api/v2/products', { id: 'a' }],
          ['POST /api/v2/products', { id: 'b' }],
          ['POST /api/v2/notes', { id: 'n' }],
        ] as const) {
          assert.equal((await api.send({ send, body, headers: caller })).status, 201);
        }
        const isPage = target === '/' || target === '/docs';
        const headers = isPage ? { ...caller, Accept: 'text/html' } : caller;
        const whole = await api.send({ send: `GET ${target}`, headers });
        assert.equal(whole.status, 200, whole.text);
        const etag = whole.headers.get('etag') ?? assert.fail('the 200 has an ETag');
        for (const method of ['GET', 'HEAD']) {
          const seen = await api.send({ send: `${method} ${target}`, headers: { ...headers, 'If-None-Match': etag } });
          assert.deepEqual([seen.status, seen.bytes.length], [304, 0]);
          assert.deepEqual(
            selectFields(seen, () => true),
            selectFields(whole, (name) => FIELDS.includes(name)),
          );
          assert.ok(seen.headers.has('cross-origin-resource-policy'));
        }
      });
    }
  }
});
