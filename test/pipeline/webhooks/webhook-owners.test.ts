import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiUnderTest, apiUnderTest, type Seen } from '../support/api-under-test.ts';
import { as, callerTokens } from '../support/caller-tokens.ts';

const MODEL = `
name: shop
webhooks: {}
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
resources:
  notes: { events: full, schema: { type: object, properties: { text: { type: string } } } }
`;

const SCOPES = ['webhooks:read', 'webhooks:write', 'notes:read', 'notes:write'];
const BOB = as({ subject: 'bob', scopes: SCOPES, claims: { tenant: 'b' } });
const ADMIN = as({ subject: 'root', scopes: [...SCOPES, 'webhooks:admin'], claims: { tenant: 'r' } });

interface Scene extends AsyncDisposable {
  readonly api: ApiUnderTest;
  /** Path of a webhook of Bob. */
  readonly path: string;
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Seen>;
  /** As whom the webhook acts, and its revision. */
  actor(): Promise<readonly unknown[]>;
}

async function open(): Promise<Scene> {
  const api = await apiUnderTest(MODEL, { tokens: callerTokens() });
  const send: Scene['send'] = (method, path, body, headers = ADMIN) =>
    api.send({ send: `${method} ${path}`, headers, ...(body === undefined ? {} : { body }) });
  const made = await send('POST', '/api/v1/webhooks', { url: 'https://example.com/', event_types: ['*'] }, BOB);
  assert.equal(made.status, 201, made.text);
  const path = `/api/v1/webhooks/${made.body.id}`;
  return {
    api,
    path,
    send,
    async actor() {
      const { owner, creator, claims, key_id } = (await send('GET', path)).body;
      return [owner, creator.subject, creator.scopes.includes('webhooks:admin'), claims, key_id];
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

const OF_BOB = ['bob', 'bob', false, '{"tenant":"b"}', null];
const OF_ADMIN = ['root', 'root', true, '{"tenant":"r"}', null];
const WINDOW = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' };

describe('an administrator and the webhook of another caller', () => {
  it('[EVT-4f] takes it over with a new secret: none is known to a caller that the webhook does not act as', async () => {
    await using scene = await open();
    const secret = await scene.send('POST', `${scene.path}/secrets`, {});
    assert.equal(secret.status, 201, secret.text);
    assert.deepEqual(await scene.actor(), OF_ADMIN);
    assert.equal((await scene.send('GET', scene.path, undefined, BOB)).status, 404);
    assert.deepEqual(await scene.api.newEvents(), []);
  });

  it('[EVT-4f] takes it over by deleting a secret', async () => {
    await using scene = await open();
    const { id } = (await scene.send('POST', `${scene.path}/secrets`, {}, BOB)).body;
    assert.deepEqual(await scene.actor(), OF_BOB);
    assert.equal((await scene.send('DELETE', `${scene.path}/secrets/${id}`)).status, 204);
    assert.deepEqual(await scene.actor(), OF_ADMIN);
  });

  it('[EVT-4f] takes it over with several secrets of one atomic batch or upload', async () => {
    await using batched = await open();
    const at = batched.path.replace('/api/v1', '');
    const operations = [
      { method: 'POST', path: `${at}/secrets`, body: {} },
      { method: 'PATCH', path: at, body: { description: 'mine' } },
      { method: 'POST', path: `${at}/secrets`, body: {} },
    ];
    const batch = await batched.send('POST', '/api/v1/batches', { atomic: true, operations });
    assert.equal(batch.body.status, 'succeeded', batch.text);
    assert.deepEqual(await batched.actor(), OF_ADMIN);
    await using uploaded = await open();
    const headers = { ...ADMIN, 'Content-Type': 'application/x-ndjson' };
    const upload = await uploaded.send('POST', `${uploaded.path}/secrets`, '{}\n{}\n', headers);
    assert.equal(upload.status, 200, upload.text);
    assert.deepEqual(await uploaded.actor(), OF_ADMIN);
  });

  it('[EVT-4f] does not take it over by a dry run, or by a request that is refused', async () => {
    await using scene = await open();
    const dry = await scene.send('POST', `${scene.path}/secrets?dry_run=true`, {});
    assert.equal(dry.status < 300, true, dry.text);
    assert.equal((await scene.send('POST', `${scene.path}/secrets`, { nope: 1 })).status, 400);
    assert.deepEqual(await scene.actor(), OF_BOB);
  });

  it('[EVT-4f] deletes it with its secrets', async () => {
    await using scene = await open();
    for (const headers of [BOB, BOB]) await scene.send('POST', `${scene.path}/secrets`, {}, headers);
    const deleted = await scene.send('DELETE', scene.path);
    assert.equal(deleted.status, 204, deleted.text);
  });

  it('[EVT-4f] requests deliveries and replays without taking it over: they go where it sends, as whom it acts', async () => {
    await using scene = await open();
    const requested = [
      await scene.send('POST', `${scene.path}/deliveries`, { type: 'webhook.ping' }),
      await scene.send('POST', `${scene.path}/replays`, WINDOW),
    ];
    assert.deepEqual(
      requested.map(({ status }) => status),
      [201, 201],
    );
    assert.deepEqual(await scene.actor(), OF_BOB);
  });
});

describe('the owner of a webhook', () => {
  it('[EVT-4f] rotates its secrets without a change of the webhook', async () => {
    await using scene = await open();
    const narrower = as({ subject: 'bob', scopes: ['webhooks:read', 'webhooks:write'] });
    const { id } = (await scene.send('POST', `${scene.path}/secrets`, {}, narrower)).body;
    assert.equal((await scene.send('DELETE', `${scene.path}/secrets/${id}`, undefined, narrower)).status, 204);
    assert.deepEqual(await scene.actor(), OF_BOB);
    assert.equal((await scene.send('GET', scene.path)).body.revision, 1);
  });
});
