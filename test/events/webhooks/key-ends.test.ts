import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { as } from '../../pipeline/support/caller-tokens.ts';
import { startReceiver, status as answer } from './receiver.ts';
import { START, until, type WebhookScene, webhookScene } from './scene.ts';

const MODEL = `
name: shop
webhooks: {}
auth:
  api_keys: true
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
resources:
  products: { schema: { type: object, properties: { name: { type: string } } } }
`;
const SCOPES = [
  'webhooks:read',
  'webhooks:write',
  'products:read',
  'products:write',
  'api-keys:read',
  'api-keys:write',
];
const ANN = as({ subject: 'ann', scopes: SCOPES });
const ROOT = as({ subject: 'root', scopes: [...SCOPES, 'webhooks:admin', 'api-keys:admin'] });
const MERGE = { 'Content-Type': 'application/merge-patch+json' };

interface Key {
  readonly id: string;
  readonly headers: Record<string, string>;
}

/** Makes an API key. @param seconds until it expires; null for none */
async function makeKey(scene: WebhookScene, headers: Record<string, string>, seconds: number | null): Promise<Key> {
  const expires = seconds === null ? {} : { expires_at: new Date(scene.clock.now() + seconds * 1_000).toISOString() };
  const { body } = await scene.send('POST', 'api-keys', { name: 'k', scopes: SCOPES, ...expires }, headers);
  return { id: String(body.id), headers: { Authorization: `Bearer ${body.key}` } };
}

async function readState(scene: WebhookScene, id: string): Promise<readonly unknown[]> {
  const { body } = await scene.send('GET', `webhooks/${id}`, undefined, ROOT);
  return [body.status, body.disabled_reason];
}

async function untilDisabled(scene: WebhookScene, id: string): Promise<void> {
  await until(async () => (await readState(scene, id))[0] === 'disabled');
}

/** Finds the ids of the webhooks of which an event says that they were disabled. */
async function listDisabled(scene: WebhookScene): Promise<readonly string[]> {
  const events = await scene.store.events.after(0, 100);
  return events.filter(({ type }) => type === 'webhook.disabled').map(({ payload }) => payload.resource.id);
}

describe('the webhooks of an API key', () => {
  it('[EVT-4f] [EVT-4g] end with it when it expires, and with a key that made it, without another event', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const expiring = await makeKey(scene, ANN, 60);
    const parent = await makeKey(scene, ANN, null);
    const child = await makeKey(scene, parent.headers, null);
    const hook = { url: receiver.url, event_types: ['product.created'] };
    const first = await scene.webhook(hook, expiring.headers);
    const second = await scene.webhook(hook, child.headers);
    const lasting = await scene.webhook(hook, ANN);
    await scene.send('POST', 'products', { name: 'a' }, ANN);
    await until(() => receiver.requests.length === 3);
    scene.clock.advance(59_999);
    await scene.send('DELETE', `api-keys/${parent.id}`, undefined, ROOT);
    assert.deepEqual(await readState(scene, second.id), ['disabled', 'key_revoked']);
    assert.deepEqual(await readState(scene, first.id), ['enabled', null]);
    scene.clock.advance(1);
    await untilDisabled(scene, first.id);
    assert.deepEqual(await readState(scene, first.id), ['disabled', 'key_expired']);
    assert.deepEqual(await readState(scene, lasting.id), ['enabled', null]);
    assert.deepEqual(await listDisabled(scene), [second.id, first.id]);
    await scene.send('POST', 'products', { name: 'b' }, ANN);
    await until(() => receiver.requests.length === 4);
  });

  it('[EVT-4f] end at the new time when the time of the key is changed, earlier or later', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const key = await makeKey(scene, ANN, 60);
    const { id } = await scene.webhook({ url: receiver.url }, key.headers);
    const change = async (seconds: number): Promise<void> => {
      const expires = new Date(scene.clock.now() + seconds * 1_000).toISOString();
      const headers = { ...ROOT, ...MERGE };
      const { status, text } = await scene.send('PATCH', `api-keys/${key.id}`, { expires_at: expires }, headers);
      assert.equal(status, 200, text);
    };
    await change(600);
    scene.clock.advance(599_999);
    // A later round has ended all that ended before.
    const other = await scene.webhook({ url: receiver.url }, (await makeKey(scene, ANN, 0.001)).headers);
    scene.clock.advance(0);
    await change(30);
    scene.clock.advance(29_999);
    await untilDisabled(scene, other.id);
    assert.deepEqual(await readState(scene, id), ['enabled', null]);
    scene.clock.advance(1);
    await untilDisabled(scene, id);
  });

  it('[EVT-4f] are all disabled with it, however few rows a page may have', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL.replace('name: shop', 'name: shop\nlimits: { page: { max: 20 } }'));
    const key = await makeKey(scene, ANN, null);
    const made = [];
    for (let index = 0; index < 41; index += 1)
      made.push(await scene.webhook({ url: receiver.url, event_types: ['product.created'] }, key.headers));
    await scene.send('DELETE', `api-keys/${key.id}`, undefined, ROOT);
    for (const { id } of made) assert.deepEqual(await readState(scene, id), ['disabled', 'key_revoked']);
  });

  it('[EVT-4f] stay where another caller has taken them over', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const key = await makeKey(scene, ANN, 60);
    const taken = await scene.webhook({ url: receiver.url }, key.headers);
    const left = await scene.webhook({ url: receiver.url }, key.headers);
    const changed = await scene.send('PATCH', `webhooks/${taken.id}`, { ordered: true }, { ...ROOT, ...MERGE });
    assert.equal(changed.status, 200, changed.text);
    scene.clock.advance(60_000);
    await untilDisabled(scene, left.id);
    assert.deepEqual(await readState(scene, taken.id), ['enabled', null]);
  });

  for (const [title, end] of [
    ['expired', async (scene: WebhookScene) => scene.clock.advance(60_000)],
    [
      'was revoked',
      async (scene: WebhookScene, { id }: Key) => scene.send('DELETE', `api-keys/${id}`, undefined, ROOT),
    ],
  ] as const)
    it(`[EVT-4d] [EVT-4e] of one that ${title} get no ping, no event again and no replay: 409`, async () => {
      await using receiver = await startReceiver();
      await using scene = await webhookScene(MODEL);
      const key = await makeKey(scene, ANN, 60);
      const { id } = await scene.webhook({ url: receiver.url }, key.headers);
      await scene.send('POST', 'products', { name: 'a' }, ANN);
      await until(() => receiver.requests.length === 1);
      const event = receiver.requests[0]?.event.id;
      const from = new Date(START).toISOString();
      await end(scene, key);
      const request = (what: string, body: object) => scene.send('POST', `webhooks/${id}/${what}`, body, ROOT);
      for (const [what, body] of [
        ['deliveries', { type: 'webhook.ping' }],
        ['deliveries', { event_id: event }],
        ['replays', { from, to: from }],
      ] as const) {
        const { status, body: error, text } = await request(what, body);
        assert.equal(status, 409, text);
        assert.match(error.errorMessage, /API key .* enable the webhook with other credentials/);
      }
      await untilDisabled(scene, id);
      const enabled = await scene.send('PATCH', `webhooks/${id}`, { status: 'enabled' }, { ...ROOT, ...MERGE });
      assert.equal(enabled.status, 200, enabled.text);
      assert.equal((await request('deliveries', { type: 'webhook.ping' })).status, 201);
      await until(() => receiver.requests.length === 2);
    });

  it('[EVT-4d] [EVT-4e] make no delivery that was requested before it expired, and their replay is finished', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const key = await makeKey(scene, ANN, 60);
    const { id } = await scene.webhook({ url: receiver.url, event_types: ['product.created'] }, key.headers);
    await scene.send('POST', 'products', { name: 'a' }, ANN);
    await until(() => receiver.requests.length === 1);
    const window = { from: new Date(START).toISOString(), to: new Date(START + 1_000).toISOString() };
    receiver.respond = answer(500);
    const replay = await scene.send('POST', `webhooks/${id}/replays`, window, key.headers);
    assert.equal(replay.status, 201, replay.text);
    await until(() => receiver.requests.length === 2);
    // The places of the caller are taken until the key has expired: the last pings start after that.
    const release: (() => void)[] = [];
    receiver.respond = (_request, response) => void release.push(() => response.writeHead(204).end());
    const pings = [];
    for (let index = 0; index < 20; index += 1)
      pings.push(await scene.send('POST', `webhooks/${id}/deliveries`, { type: 'webhook.ping' }, key.headers));
    await until(() => release.length > 0);
    scene.clock.advance(60_000);
    await untilDisabled(scene, id);
    receiver.respond = answer(204);
    for (const each of release) each();
    const read = async (path: string) => (await scene.send('GET', `webhooks/${id}/${path}`, undefined, ROOT)).body;
    await until(async () => (await read(`replays/${replay.body.id}`)).status === 'finished');
    const last = `deliveries/${pings.at(-1)?.body.id}`;
    await until(async () => (await read(last)).status === 'dead');
    assert.equal((await read(last)).attempts[0].error, 'The webhook cannot be used now.');
  });
});

describe('API keys that were made with a revoked key', () => {
  it('[AUTH-8b] are revoked with it, at any distance and whatever their number: no list has them', async () => {
    await using scene = await webhookScene(MODEL.replace('name: shop', 'name: shop\nlimits: { page: { max: 20 } }'));
    const parent = await makeKey(scene, ANN, null);
    const other = await makeKey(scene, ANN, null);
    const children = [];
    for (let index = 0; index < 45; index += 1) children.push(await makeKey(scene, parent.headers, null));
    const grandchild = await makeKey(scene, children[44]?.headers ?? {}, 60);
    await makeKey(scene, grandchild.headers, null);
    const removed = await scene.send('DELETE', `api-keys/${parent.id}`, undefined, ROOT);
    assert.equal(removed.status, 204, removed.text);
    const { body } = await scene.send('GET', 'api-keys?limit=20', undefined, ROOT);
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      [other.id],
    );
    const events = await scene.store.events.after(0, 200);
    assert.equal(events.filter(({ type }) => type === 'api_key.deleted').length, 48);
  });

  it('[AUTH-8b] may be deleted in one atomic batch with it', async () => {
    await using scene = await webhookScene(MODEL);
    const parent = await makeKey(scene, ANN, null);
    const child = await makeKey(scene, parent.headers, null);
    const operations = [child, parent].map(({ id }) => ({ method: 'DELETE', path: `/api-keys/${id}` }));
    const { status, text } = await scene.send('POST', 'batches', { atomic: true, operations }, ROOT);
    assert.equal(status, 201, text);
    assert.equal((await scene.send('GET', 'api-keys', undefined, ROOT)).body.data.length, 0);
  });
});
