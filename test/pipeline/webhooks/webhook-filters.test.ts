import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';

const MODEL = `
name: shop
version: 2.0.0
default_version: 2
webhooks: {}
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
resources:
  notes:
    events: full
    schema:
      type: object
      properties:
        title: { type: string }
        tone: { type: string, enum: [ALPHA, BETA] }
        folder_id: { type: string, format: uuid, x-references: folders }
    access: { fields: { tone: { read: { scope: tone:read } } } }
  folders:
    events: full
    schema:
      type: object
      properties: { title: { type: string }, depth: { type: integer } }
    access: { fields: { depth: { read: { scope: tone:read } } } }
versions:
  1.0.0:
    changes:
      - { resource: notes, rename: { mood: tone } }
`;

const SCOPES = ['webhooks:read', 'webhooks:write', 'notes:read', 'folders:read'];
const ANN = as({ subject: 'ann', scopes: SCOPES });
const READER = as({ subject: 'bob', scopes: [...SCOPES, 'tone:read'] });
const ADMIN = as({ subject: 'root', scopes: [...SCOPES, 'webhooks:admin'] });

const open = (): Promise<ApiUnderTest> => apiUnderTest(MODEL, { tokens: callerTokens() });

interface Selection {
  readonly event_types?: readonly string[];
  readonly version?: string;
}

function create(api: ApiUnderTest, filter: object, headers = ANN, more: Selection = {}) {
  const body = { url: 'https://example.com/', event_types: ['note.*'], filter: JSON.stringify(filter), ...more };
  return api.send({ send: 'POST /api/v2/webhooks', headers, body });
}

/** The error details for a filter that names a field, with the name of the field replaced. */
async function answer(api: ApiUnderTest, name: string, value: unknown, more?: Selection): Promise<string> {
  const { status, body } = await create(api, { [name]: value }, ANN, more);
  assert.equal(status, 400, name);
  return JSON.stringify(body.details).replaceAll(name.replace(/^.*\./, ''), 'NAME');
}

describe('a field that the caller may not read, in the filter of a webhook', () => {
  it('[REP-11b] is answered as one that does not exist, whatever the value', async () => {
    await using api = await open();
    for (const value of ['x', 'ALPHA', 3, null, { exists: false }, { eq: 'x' }, { nope: 1 }, ['ALPHA']])
      assert.equal(await answer(api, 'tone', value), await answer(api, 'zzzz', value), JSON.stringify(value));
  });

  it('[REP-11b] is in no list of fields and is no suggestion', async () => {
    await using api = await open();
    for (const name of ['zzzz', 'tome', 'ton']) assert.doesNotMatch(await answer(api, name, 'x'), /tone|ALPHA/);
  });

  it('[REP-11b] is unknown in each resource of the types of events, and through relations', async () => {
    await using api = await open();
    const both = { event_types: ['*'] };
    assert.equal(await answer(api, 'depth', 1, both), await answer(api, 'zzzzz', 1, both));
    const folders = { event_types: ['folder.created'] };
    assert.equal(await answer(api, 'depth', 'x', folders), await answer(api, 'zzzzz', 'x', folders));
    assert.equal(await answer(api, 'folder.depth', 1), await answer(api, 'folder.zzzzz', 1));
  });

  it('[REP-11b] is unknown under its name in an older version', async () => {
    await using api = await open();
    const older = { version: '1' };
    assert.equal(await answer(api, 'mood', 'ALPHA', older), await answer(api, 'zzzz', 'ALPHA', older));
    assert.equal((await create(api, { mood: 'ALPHA' }, READER, older)).status, 201);
  });

  it('[REP-11b] is judged with the scopes of each request, also those that change another member', async () => {
    await using api = await open();
    const { status, body } = await create(api, { tone: 'ALPHA' }, READER);
    assert.equal(status, 201, JSON.stringify(body));
    const narrower = as({ subject: 'bob', scopes: SCOPES });
    const change = (headers: Readonly<Record<string, string>>, changes: object) =>
      api.send({ send: `PATCH /api/v2/webhooks/${body.id}`, headers, body: changes });
    const refused = await change(narrower, { description: 'x' });
    assert.equal(refused.body.details?.[0]?.field, 'filter', refused.text);
    assert.equal((await change(READER, { description: 'x' })).status, 200);
  });

  it('[EVT-4f] does not prevent an administrator who may not read it from disabling the webhook', async () => {
    await using api = await open();
    const { id } = (await create(api, { tone: 'ALPHA' }, READER)).body;
    const send = `PATCH /api/v2/webhooks/${id}`;
    const stopped = await api.send({ send, headers: ADMIN, body: { status: 'disabled' } });
    assert.deepEqual([stopped.status, stopped.body.creator?.subject], [200, 'bob'], stopped.text);
    const taken = await api.send({ send, headers: ADMIN, body: { status: 'enabled' } });
    assert.equal(taken.body.details?.[0]?.field, 'filter', taken.text);
  });
});
