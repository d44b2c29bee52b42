import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { RawRequest } from '../../../src/exchange/handler.ts';
import { type ApiUnderTest, apiUnderTest, rawRequest, type Seen, seen } from '../support/api-under-test.ts';
import { fakeTokens } from '../support/fake-tokens.ts';

const MODEL = `
name: desk
trusted_proxies: [10.0.0.0/8]
auth:
  gateway: { secret: correct horse }
  issuers: [{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }]
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
  posters: { id: client, schema: { type: object }, access: { read: public } }
`;

type Fields = Readonly<Record<string, string>>;

const PROXY = '10.0.0.1';
const ANN: Fields = {
  'X-Auth-Secret': 'correct horse',
  'X-Auth-Subject': 'ann',
  'X-Auth-Scopes': 'notes:read notes:write',
};
const without = (name: string): Fields => Object.fromEntries(Object.entries(ANN).filter(([each]) => each !== name));

let desk: ApiUnderTest;
before(async () => {
  desk = await apiUnderTest(MODEL, { tokens: fakeTokens });
});
after(() => desk.close());

async function send(
  line: string,
  headers: Fields,
  more: Partial<RawRequest> & { readonly json?: unknown } = {},
): Promise<Seen> {
  const { json, ...rest } = more;
  return seen(await desk.api.handle({ ...rawRequest({ send: line, headers, body: json }), peer: PROXY, ...rest }));
}

describe('a request through a gateway', () => {
  it('[AUTH-6a] is made by the caller that the gateway names, with its scopes', async () => {
    assert.equal((await send('GET /api/v1/notes', ANN)).status, 200);
    const reader = { ...ANN, 'X-Auth-Scopes': 'notes:read' };
    const refused = await send('POST /api/v1/notes', reader, { json: { id: 'a' } });
    assert.deepEqual([refused.status, refused.body.errorCode], [403, 'AUTH_SCOPE_INSUFFICIENT']);
    await desk.newEvents();
    assert.equal((await send('POST /api/v1/notes', ANN, { json: { id: 'a' } })).status, 201);
    const [event] = await desk.newEvents();
    assert.equal(event?.metadata.actor, 'ann');
    assert.deepEqual(event.metadata.caller, { issuer: 'gateway', subject: 'ann', client: null });
  });

  it('[AUTH-6a] is private', async () => {
    assert.match((await send('GET /api/v1/notes', ANN)).headers.get('cache-control') ?? '', /private/);
  });

  const dropped: readonly (readonly [title: string, fields: Fields, peer?: string])[] = [
    ['a peer that is not trusted', ANN, '192.0.2.1'],
    ['no secret', without('X-Auth-Secret')],
    ['another secret', { ...ANN, 'X-Auth-Secret': 'correct horsf' }],
    ['a shorter secret', { ...ANN, 'X-Auth-Secret': 'correct hors' }],
    ['a longer secret', { ...ANN, 'X-Auth-Secret': 'correct horses' }],
    ['an empty secret', { ...ANN, 'X-Auth-Secret': '' }],
    ['two secrets, of which one is right', { ...ANN, 'x-auth-secret': 'x' }],
    ['no subject', without('X-Auth-Subject')],
    ['an empty subject', { ...ANN, 'X-Auth-Subject': ' ' }],
  ];
  for (const [title, fields, peer = PROXY] of dropped) {
    it(`[AUTH-6a] is one without credentials: ${title}`, async () => {
      const got = await send('GET /api/v1/notes', fields, { peer });
      assert.deepEqual([got.status, got.body.errorCode], [401, 'AUTH_REQUIRED']);
      assert.match(got.headers.get('www-authenticate') ?? '', /^Bearer realm="desk"/);
      assert.equal((await send('GET /api/v1/posters', fields, { peer })).status, 200);
      // Dropped fields do not block a bearer token.
      const token = { ...fields, Authorization: 'Bearer bob.notes_read' };
      assert.equal((await send('GET /api/v1/notes', token, { peer })).status, 200);
    });
  }

  const malformed: readonly (readonly [title: string, fields: Fields, field: string])[] = [
    ['a subject of the client beside that of the gateway', { ...ANN, 'x-auth-subject': 'root' }, 'X-Auth-Subject'],
    ['scopes of the client beside those of the gateway', { ...ANN, 'x-auth-scopes': 'admin' }, 'X-Auth-Scopes'],
    ['two clients', { ...ANN, 'X-Auth-Client': 'a', 'x-auth-client': 'b' }, 'X-Auth-Client'],
    ['a subject of 256 characters', { ...ANN, 'X-Auth-Subject': 'a'.repeat(256) }, 'X-Auth-Subject'],
    ['a client that is not ASCII', { ...ANN, 'X-Auth-Client': 'é' }, 'X-Auth-Client'],
  ];
  for (const [title, fields, field] of malformed) {
    it(`[AUTH-6a] is rejected: ${title}`, async () => {
      const got = await send('GET /api/v1/notes', fields);
      assert.deepEqual(
        [got.status, got.body.errorCode, got.body.details[0].field],
        [400, 'AUTH_REQUEST_INVALID', field],
      );
    });
  }

  it('[AUTH-6a] has the caller of the gateway, whatever Authorization says', async () => {
    for (const Authorization of ['Bearer bob', 'Bearer bad', 'Basic YTpi'])
      assert.equal((await send('GET /api/v1/notes', { ...ANN, Authorization })).status, 200, Authorization);
  });

  it('[AUTH-9a] is of another caller than a token with the same subject, and than another client', async () => {
    const key = { 'Idempotency-Key': 'k1' };
    const body = { json: { text: 'x', id: 'k1' } };
    assert.equal((await send('POST /api/v1/notes', { ...ANN, ...key }, body)).status, 201);
    assert.equal(
      (await send('POST /api/v1/notes', { ...ANN, ...key }, body)).headers.get('idempotent-replayed'),
      'true',
    );
    const bearer = { Authorization: 'Bearer ann.notes_read+notes_write', ...key };
    assert.equal((await send('POST /api/v1/notes', bearer, body)).status, 409);
    assert.equal((await send('POST /api/v1/notes', { ...ANN, 'X-Auth-Client': 'app', ...key }, body)).status, 409);
  });

  it('[AUTH-11] is judged by its origin, for the gateway may have accepted a cookie', async () => {
    const evil = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' };
    const fields = { ...ANN, ...evil, Authorization: 'Bearer ann.notes_write' };
    const got = await send('POST /api/v1/notes', fields, { json: { id: 'evil' } });
    assert.deepEqual([got.status, got.body.errorCode], [403, 'AUTH_ORIGIN_FORBIDDEN']);
    const bearer = { ...evil, Authorization: 'Bearer ann.notes_write' };
    assert.equal((await send('POST /api/v1/notes', bearer, { json: { id: 'b' } })).status, 201);
  });

  it('[AUTH-6a] names the caller of a batch, whose operations name none', async () => {
    const operation = { method: 'POST', path: '/notes', body: { id: 'c' }, headers: { 'X-Auth-Subject': 'root' } };
    const got = await send('POST /api/v1/batches', ANN, { json: { operations: [operation] } });
    assert.equal(got.status, 201);
    const event = (await desk.newEvents()).at(-1);
    assert.equal(event?.metadata.actor, 'ann');
  });

  it('[AUTH-6a] shows its secret in no observation', () => {
    assert.ok(desk.observations.length > 0 && !JSON.stringify(desk.observations).includes('correct horse'));
  });
});
