import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';

const MODEL = `
name: desk
version: 2.0.0
default_version: 2
auth: { issuers: [{ name: test, issuer: https://id.example.com, audience: desk, hs256_secret: 0123456789abcdef0123456789abcdef }] }
limits: { rate: false }
resources:
  notes:
    id: client
    schema:
      type: object
      required: [tenant, text]
      properties:
        tenant: { type: string, maxLength: 8, x-default: $caller.claims.org.tenant }
        author: { type: string, x-default: $caller.subject, x-override: true }
        level: { type: integer, x-default: $caller.claims.level }
        text: { type: string }
    access: { read: authenticated, write: authenticated, fields: { level: { read: { scope: levels } } } }
  logs:
    schema:
      type: object
      required: [author]
      properties: { author: { type: string, x-default: $caller.subject, x-override: true } }
    access: { read: public, write: public }
  marks:
    schema:
      type: object
      required: [author]
      properties: { author: { type: string, x-default: $caller.subject } }
    access: { read: public, write: public }
versions:
  1.0.0:
    changes:
      - { resource: notes, rename: { owner_tenant: tenant } }
`;

const ann = as({ subject: 'ann', scopes: ['levels'], claims: { org: { tenant: 'acme' }, level: 3 } });
const bob = as({ subject: 'bob', claims: { org: { tenant: 'byte' }, level: 'high' } });
const open = (): Promise<ApiUnderTest> => apiUnderTest(MODEL, { tokens: callerTokens() });

describe('fields that are filled from the caller', () => {
  it('[AUTH-12] have its values after POST, PUT, batches and NDJSON, whatever a body says', async () => {
    await using api = await open();
    const note = { id: 'a', tenant: 'byte', level: 9, text: 'x' };
    const posted = await api.send({ send: 'POST /api/v2/notes', headers: ann, body: note });
    assert.equal(posted.status, 201, posted.text);
    assert.deepEqual([posted.body.tenant, posted.body.author, posted.body.level], ['acme', 'ann', 3]);
    const put = await api.send({ send: 'PUT /api/v2/notes/b', headers: ann, body: { text: 'x' } });
    assert.deepEqual([put.status, put.body.tenant, put.body.author, put.body.level], [201, 'acme', 'ann', 3]);
    const operations = [{ method: 'POST', path: '/notes', body: { id: 'c', text: 'x' } }];
    const batch = await api.send({ send: 'POST /api/v2/batches', headers: ann, body: { operations } });
    assert.equal(batch.status, 201, batch.text);
    const ndjson = { ...ann, 'Content-Type': 'application/x-ndjson' };
    const lines = await api.send({ send: 'POST /api/v2/notes', headers: ndjson, body: '{"id":"d","text":"x"}\n' });
    assert.equal(lines.status, 200, lines.text);
    const { body: page } = await api.send({ send: 'GET /api/v2/notes', headers: ann });
    assert.deepEqual(
      page.data.map(({ tenant, author, level }: Record<string, unknown>) => [tenant, author, level]),
      Array.from({ length: 4 }, () => ['acme', 'ann', 3]),
    );
  });

  it('[AUTH-12] [REP-14] have a claim of any JSON', async () => {
    const declared = MODEL.replace('text: {', 'org: { type: json, x-default: $caller.claims.org }\n        text: {');
    await using api = await apiUnderTest(declared, { tokens: callerTokens() });
    const made = await api.send({ send: 'POST /api/v2/notes', headers: ann, body: { id: 'a', text: 'x', org: 'eve' } });
    assert.deepEqual([made.status, made.body.org], [201, { tenant: 'acme' }], made.text);
  });

  it('[AUTH-12] keep their values in a change, also one that a client has sent', async () => {
    await using api = await open();
    const note = { id: 'a', text: 'x', author: 'eve' };
    const made = await api.send({ send: 'POST /api/v2/notes', headers: ann, body: note });
    assert.equal(made.body.author, 'eve', made.text);
    const replaced = await api.send({ send: 'PUT /api/v2/notes/a', headers: bob, body: { text: 'y', tenant: 'byte' } });
    assert.deepEqual([replaced.status, replaced.body.tenant, replaced.body.author], [200, 'acme', 'eve']);
  });

  it('[AUTH-12] are null where the caller lacks the value, and filled where it may not see the field', async () => {
    await using api = await open();
    const high = as({ subject: 'al', claims: { org: { tenant: 'acme' }, level: 7 } });
    for (const [id, headers, level] of [
      ['a', bob, null],
      ['b', high, 7],
    ] as const) {
      const made = await api.send({ send: 'POST /api/v2/notes', headers, body: { id, text: 'x' } });
      assert.deepEqual([made.status, made.body.level], [201, undefined], made.text);
      assert.equal((await api.send({ send: `GET /api/v2/notes/${id}`, headers: ann })).body.level, level);
    }
  });

  it('[AUTH-12] refuse a caller whose claim is absent, of another type or not allowed, in each contract', async () => {
    await using api = await open();
    for (const claims of [{}, { org: { tenant: 7 } }, { org: { tenant: 'much too long' } }]) {
      const headers = as({ subject: 'eve', claims });
      const note = { id: 'a', text: 'x' };
      const { status, body } = await api.send({ send: 'POST /api/v2/notes', headers, body: { ...note, tenant: 'a' } });
      assert.deepEqual([status, body.errorCode, body.details[0].field], [403, 'NOTE_FORBIDDEN', 'tenant']);
      const older = await api.send({ send: 'POST /api/v1/notes', headers, body: note });
      assert.deepEqual([older.status, older.body.details[0].field], [403, 'owner_tenant'], older.text);
    }
  });

  it('[AUTH-12] are the same in an older contract', async () => {
    await using api = await open();
    const note = { id: 'a', text: 'x', owner_tenant: 'byte' };
    const { body, text } = await api.send({ send: 'POST /api/v1/notes', headers: ann, body: note });
    assert.deepEqual([body.owner_tenant, body.author, body.level], ['acme', 'ann', 3], text);
  });

  it('[AUTH-12] are described as read-only, and as optional where a client may send them', async () => {
    await using api = await open();
    const { body } = await api.send({ send: 'GET /openapi.json' });
    const { Note, NoteCreate, LogCreate } = body.components.schemas;
    assert.equal(Note.properties.tenant.readOnly, true);
    assert.deepEqual(NoteCreate.required, ['id', 'text']);
    assert.equal(NoteCreate.properties.tenant, undefined);
    assert.deepEqual([LogCreate.required, Object.keys(LogCreate.properties)], [undefined, ['author']]);
  });

  it('[AUTH-12] refuse anonymous callers where they are required: 403, or 400 where one could be sent', async () => {
    await using api = await open();
    const sent = await api.send({ send: 'POST /api/v2/logs', body: { author: 'x' } });
    assert.equal(sent.status, 201, sent.text);
    const absent = await api.send({ send: 'POST /api/v2/logs', body: {} });
    assert.deepEqual([absent.status, absent.body.errorCode], [400, 'LOG_INVALID']);
    const forbidden = await api.send({ send: 'POST /api/v2/marks', body: { author: 'x' } });
    assert.deepEqual([forbidden.status, forbidden.body.errorCode], [403, 'MARK_FORBIDDEN']);
  });
});
