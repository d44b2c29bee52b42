import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';
import { fakeTokens } from '../support/fake-tokens.ts';

const MODEL = `
name: desk
auth:
  api_keys: true
  issuers: [{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }]
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;
const ADMIN = { Authorization: 'Bearer admin.api-keys_write+api-keys_read+notes_read+notes_write' };
const bearer = (key: string): Record<string, string> => ({ Authorization: `Bearer ${key}` });
const open = (model = MODEL, database?: string): Promise<ApiUnderTest> =>
  apiUnderTest(model, { tokens: fakeTokens, ...(database === undefined ? {} : { database }) });

const create = (api: ApiUnderTest, body: object = {}, headers = ADMIN): Promise<Seen> =>
  api.send({ send: 'POST /api/v1/api-keys', headers, body: { name: 'ci', scopes: ['notes:read'], ...body } });
const read = (api: ApiUnderTest, key: string): Promise<Seen> =>
  api.send({ send: 'GET /api/v1/notes', headers: bearer(key) });

describe('an API key', () => {
  it('[AUTH-8b] is shown once, and is a bearer token with its scopes', async () => {
    await using api = await open();
    const got = await create(api);
    assert.equal(got.status, 201, got.text);
    const { key, prefix, subject, id } = got.body;
    assert.match(key, /^rw_[A-Za-z0-9_-]{43}$/);
    assert.deepEqual([prefix, subject], [key.slice(0, 11), 'admin']);
    assert.equal((await read(api, key)).status, 200);
    const write = await api.send({ send: 'POST /api/v1/notes', headers: bearer(key), body: { id: 'a' } });
    assert.equal(write.body.errorCode, 'AUTH_SCOPE_INSUFFICIENT');
    const shown = await api.send({ send: `GET /api/v1/api-keys/${id}`, headers: ADMIN });
    assert.ok(shown.status === 200 && !shown.text.includes(key) && !('key' in shown.body));
    const list = await api.send({ send: 'GET /api/v1/api-keys', headers: ADMIN });
    assert.ok(!list.text.includes(key));
  });

  it('[AUTH-8b] has no scope that its creator lacks', async () => {
    await using api = await open();
    const got = await create(api, { scopes: ['notes:read', 'notes:admin'] });
    assert.deepEqual([got.status, got.body.errorCode, got.body.details[0].field], [403, 'API_KEY_FORBIDDEN', 'scopes']);
    const { key } = (await create(api, { scopes: ['api-keys:write', 'notes:read'] })).body;
    assert.equal((await create(api, { scopes: ['notes:write'] }, bearer(key) as typeof ADMIN)).status, 403);
    assert.equal((await create(api, { scopes: ['notes:read'] }, bearer(key) as typeof ADMIN)).status, 201);
  });

  it('[AUTH-8b] ends with the key that made it, at any distance: at its expiry, and with its revocation', async () => {
    await using api = await open();
    const scopes = ['api-keys:write', 'notes:read'];
    const by = (key: string) => bearer(key) as typeof ADMIN;
    const in_ = (seconds: number) => new Date(api.clock.now() + seconds * 1_000).toISOString();
    const first = (await create(api, { scopes, expires_at: in_(60) })).body;
    const late = await create(api, { scopes, expires_at: in_(61) }, by(first.key));
    assert.deepEqual([late.status, late.body.details[0].field], [400, 'expires_at']);
    const second = (await create(api, { scopes }, by(first.key))).body;
    const third = (await create(api, { scopes, expires_at: in_(30) }, by(second.key))).body;
    assert.deepEqual([second.expires_at, second.parent_id, third.parent_id], [in_(60), first.id, second.id]);
    assert.equal((await read(api, third.key)).status, 200);
    // Neither a later end of its own helps it, nor one of its parent.
    for (const { id } of [third, second]) {
      const headers = { ...ADMIN, 'Content-Type': 'application/merge-patch+json' };
      await api.send({ send: `PATCH /api/v1/api-keys/${id}`, headers, body: { expires_at: in_(3_600) } });
    }
    api.clock.advance(59_000);
    assert.equal((await read(api, third.key)).status, 200);
    api.clock.advance(1_000);
    assert.equal((await read(api, third.key)).body.errorCode, 'AUTH_TOKEN_EXPIRED');
    const parent = (await create(api, { scopes })).body;
    const child = (await create(api, { scopes }, by(parent.key))).body;
    const grandchild = (await create(api, { scopes }, by(child.key))).body;
    assert.equal((await read(api, grandchild.key)).status, 200);
    await api.send({ send: `DELETE /api/v1/api-keys/${parent.id}`, headers: ADMIN });
    for (const { key } of [child, grandchild])
      assert.equal((await read(api, key)).body.errorCode, 'AUTH_TOKEN_INVALID');
  });

  it('[AUTH-8b] has the subject and claims of its creator, unless that may give it others', async () => {
    await using api = await apiUnderTest(MODEL, { tokens: callerTokens() });
    const scopes = ['api-keys:write', 'notes:read'];
    const ann = as({ subject: 'ann', scopes, claims: { tenant: 'a' } });
    const admin = as({ subject: 'root', scopes: [...scopes, 'api-keys:admin'] });
    const body = { name: 'ci', scopes: ['notes:read'] };
    const made = (headers: Record<string, string>, more: object): Promise<Seen> =>
      api.send({ send: 'POST /api/v1/api-keys', headers, body: { ...body, ...more } });
    assert.deepEqual((await made(ann, { claims: { tenant: 'a' }, subject: 'ann' })).status, 201);
    const refused = await made(ann, { claims: { tenant: 'b', role: 'x' }, subject: 'bob' });
    assert.equal(refused.status, 403);
    const fields = refused.body.details.map(({ field }: { field: string }) => field);
    assert.deepEqual(fields, ['subject', 'claims.role', 'claims.tenant']);
    assert.equal((await made(admin, { claims: { tenant: 'b' }, subject: 'bob' })).status, 201);
  });

  it('[AUTH-8b] cannot be given more by a change', async () => {
    await using api = await open();
    const { id, key } = (await create(api)).body;
    const send = `PATCH /api/v1/api-keys/${id}`;
    const headers = { ...ADMIN, 'Content-Type': 'application/merge-patch+json' };
    for (const body of [{ scopes: ['notes:read', 'notes:write'] }, { subject: 'root' }, { claims: { tenant: 'x' } }])
      assert.equal((await api.send({ send, headers, body })).status, 400);
    assert.equal((await api.send({ send, headers, body: { name: 'renamed', key: 'x', prefix: 'x' } })).status, 200);
    assert.equal((await read(api, key)).status, 200);
  });

  it('[AUTH-8b] needs the scopes of its collection to be managed', async () => {
    await using api = await open();
    for (const headers of [bearer('bob.notes_read'), bearer('bob.api-keys_read')])
      assert.equal((await create(api, {}, headers as typeof ADMIN)).status, 403);
    assert.equal((await api.send({ send: 'GET /api/v1/api-keys' })).status, 401);
  });

  for (const [what, access, isRuled] of [
    ['owners', '{ owner: owner_id }', true],
    ['policies', '{ rows: { read: { text: $caller.subject } } }', true],
    ['neither', '{ read: { scope: notes:read } }', false],
  ] as const) {
    // https://github.com/majiayu000/litellm-rs/issues/83
    it(`[AUTH-8b] [AUTH-5b] is ${isRuled ? 'hidden from' : 'managed by'} callers with another subject in a model with ${what}`, async () => {
      const model = `
name: desk
auth:
  api_keys: true
  issuers: [{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }]
resources:
  notes:
    id: client
    schema: { type: object, properties: { text: { type: string }, owner_id: { type: string, readOnly: true } } }
    access: ${access}
`;
      await using api = await apiUnderTest(model, { tokens: callerTokens() });
      const scopes = ['api-keys:read', 'api-keys:write', 'notes:read'];
      const [ann, bob] = [as({ subject: 'ann', scopes }), as({ subject: 'bob', scopes })];
      const root = as({ subject: 'root', scopes: [...scopes, 'api-keys:admin'] });
      const body = { name: 'secret name', scopes: ['notes:read', 'api-keys:read'] };
      const made = (await create(api, body, ann as typeof ADMIN)).body;
      const list = async (headers: Readonly<Record<string, string>>): Promise<readonly string[]> =>
        (await api.send({ send: 'GET /api/v1/api-keys?page=1', headers })).body.data.map(
          ({ id }: { id: string }) => id,
        );
      for (let time = 0; time < 2; time += 1) {
        for (const headers of [ann, root, bearer(made.key)]) assert.deepEqual(await list(headers), [made.id]);
        assert.deepEqual(await list(bob), isRuled ? [] : [made.id]);
      }
      const patch = { ...bob, 'Content-Type': 'application/merge-patch+json' };
      const url = `/api/v1/api-keys/${made.id}`;
      const statuses = [
        await api.send({ send: `GET ${url}`, headers: bob }),
        await api.send({ send: `PATCH ${url}`, headers: patch, body: { name: 'mine' } }),
        await api.send({ send: `DELETE ${url}`, headers: bob }),
      ].map(({ status }) => status);
      assert.deepEqual(statuses, isRuled ? [404, 404, 404] : [200, 200, 204]);
      assert.equal((await read(api, made.key)).status, isRuled ? 200 : 401);
      const others = await create(api, { subject: 'bob' }, root as typeof ADMIN);
      assert.equal(others.status, 201, others.text);
      assert.deepEqual(await list(bob), [others.body.id]);
    });
  }

  it('[AUTH-8b] is refused after its deletion, and after its end', async () => {
    await using api = await open();
    const { id, key } = (await create(api)).body;
    assert.equal((await read(api, key)).status, 200);
    assert.equal((await api.send({ send: `DELETE /api/v1/api-keys/${id}`, headers: ADMIN })).status, 204);
    const refused = await read(api, key);
    assert.deepEqual([refused.status, refused.body.errorCode], [401, 'AUTH_TOKEN_INVALID']);
    const end = new Date(api.clock.now() + 60_000).toISOString();
    const ending = (await create(api, { expires_at: end })).body;
    assert.equal((await read(api, ending.key)).status, 200);
    api.clock.advance(60_000);
    assert.equal((await read(api, ending.key)).body.errorCode, 'AUTH_TOKEN_EXPIRED');
  });

  it('[AUTH-8b] is refused by every process with the first request after its revocation', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'keys-'));
    try {
      await using one = await open(MODEL, path.join(folder, 'a.db'));
      await using other = await open(MODEL, path.join(folder, 'a.db'));
      for (let round = 0; round < 5; round += 1) {
        const { id, key } = (await create(one)).body;
        assert.equal((await read(other, key)).status, 200);
        assert.equal((await read(other, key)).status, 200);
        assert.equal((await one.send({ send: `DELETE /api/v1/api-keys/${id}`, headers: ADMIN })).status, 204);
        assert.equal((await read(other, key)).status, 401);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('[AUTH-3b] that is bad gets the same answer, whatever is wrong with it', async () => {
    await using api = await open();
    const { key } = (await create(api)).body;
    const last = key.endsWith('A') ? 'B' : 'A';
    for (const bad of [`${key.slice(0, -1)}${last}`, `${key}A`, key.slice(0, -1), `rw_${'A'.repeat(43)}`, 'rw_']) {
      const got = await read(api, bad);
      assert.deepEqual([got.status, got.body.errorCode], [401, 'AUTH_TOKEN_INVALID'], bad);
    }
    // The prefix alone finds the key, and opens nothing.
    assert.equal((await read(api, key.slice(0, 11) + 'x'.repeat(35))).status, 401);
  });

  it('[AUTH-9a] is a caller of its own, not the one of a token with the same subject', async () => {
    await using api = await open();
    const { key } = (await create(api, { scopes: ['notes:read', 'notes:write'] })).body;
    const send = { send: 'POST /api/v1/notes', body: { id: 'a' } };
    const once = { 'Idempotency-Key': 'k' };
    assert.equal((await api.send({ ...send, headers: { ...ADMIN, ...once } })).status, 201);
    assert.equal((await api.send({ ...send, headers: { ...bearer(key), ...once } })).status, 409);
  });

  it('[AUTH-8b] is in another collection where system renames it, and in none where the model has none', async () => {
    await using renamed = await open(`${MODEL}system: { api-keys: keys }\n`);
    const headers = { Authorization: 'Bearer admin.keys_write+notes_read' };
    const got = await renamed.send({ send: 'POST /api/v1/keys', headers, body: { name: 'a', scopes: ['notes:read'] } });
    assert.equal(got.status, 201, got.text);
    assert.equal((await read(renamed, got.body.key)).status, 200);
    await using none = await open(MODEL.replace('api_keys: true', 'api_keys: false'));
    assert.equal((await none.send({ send: 'GET /api/v1/api-keys', headers: ADMIN })).status, 404);
    assert.equal((await read(none, got.body.key)).status, 401);
  });
});
