import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventRetention } from '../../../src/events/retention/retention.ts';
import { createRandom } from '../../../src/platform/random.ts';
import { as } from '../../pipeline/support/caller-tokens.ts';
import { startReceiver } from './receiver.ts';
import { until, type WebhookScene, webhookScene } from './scene.ts';

const DAY = 24 * 3_600_000;
const MODEL = `
name: shop
events: { retention: 2d }
webhooks: {}
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
resources:
  products:
    events: full
    schema: { type: object, properties: { title: { type: string }, cost: { type: integer } } }
    access: { fields: { cost: { read: { scope: products:cost } } } }
`;

const HOOKS = ['webhooks:read', 'webhooks:write'];
const ann = (...scopes: readonly string[]) => as({ subject: 'ann', scopes: [...HOOKS, ...scopes] });
const READER = ann('products:read');
const WRITER = as({ subject: 'bob', scopes: ['products:read', 'products:write', 'products:cost'] });
const MERGE = { 'Content-Type': 'application/merge-patch+json' };

async function createProduct(scene: WebhookScene, title: string): Promise<void> {
  const made = await scene.send('POST', 'products', { title, cost: 987654321 }, WRITER);
  assert.equal(made.status, 201, made.text);
}

/** Requests an event again, and waits for its end. @returns the status of the delivery, and the error of its attempt */
async function redeliver(scene: WebhookScene, id: string, event: string): Promise<readonly unknown[]> {
  const deliveries = `webhooks/${id}/deliveries`;
  const read = async (path: string) => (await scene.send('GET', path, undefined, READER)).body;
  // Only what was delivered before can be requested again.
  await until(async () => (await read(`${deliveries}?event_id=${event}`)).data.length > 0);
  const made = await scene.send('POST', deliveries, { event_id: event }, READER);
  assert.equal(made.status, 201, made.text);
  scene.clock.advance(1_000);
  const path = `${deliveries}/${made.body.id}`;
  await until(async () => (await read(path)).status !== 'pending');
  const { status, attempts } = await read(path);
  return [status, attempts[0].error];
}

const NOT_SENT = ['dead', 'The event is not in the log, or not for this webhook.'];

describe('a delivery that is requested again', () => {
  it('[EVT-4d] [EVT-4f] has the bytes of the first one: no field that the creator may not read', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url, event_types: ['product.*'] }, READER);
    await createProduct(scene, 'bolt');
    await until(() => receiver.requests.length === 1);
    assert.deepEqual(await redeliver(scene, id, receiver.requests[0]?.event.id ?? ''), ['succeeded', null]);
    const [first, again] = receiver.requests;
    assert.equal(again?.body, first?.body);
    assert.deepEqual(again?.event.payload.changed_fields, ['title']);
    assert.doesNotMatch(again.body, /cost|987654321/);
  });

  it('[EVT-4d] [EVT-4f] has what the creator may read by now, and is not sent if that is nothing', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const webhook = { url: receiver.url, event_types: ['product.*'] };
    const { id } = await scene.webhook(webhook, ann('products:read', 'products:cost'));
    await createProduct(scene, 'bolt');
    await until(() => receiver.requests.length === 1);
    const { event } = receiver.requests[0] ?? assert.fail();
    assert.equal(event.payload.data?.['cost'], 987654321);
    // A change by its creator records the scopes that the creator has then.
    const narrow = (description: string, headers: Readonly<Record<string, string>>) =>
      scene.send('PATCH', `webhooks/${id}`, { description }, { ...headers, ...MERGE });
    assert.equal((await narrow('without costs', READER)).status, 200);
    assert.deepEqual(await redeliver(scene, id, event.id), ['succeeded', null]);
    const { body } = receiver.requests[1] ?? assert.fail();
    assert.match(body, /"title":"bolt"/);
    assert.doesNotMatch(body, /cost|987654321/);
    assert.equal((await narrow('without products', ann())).status, 200);
    assert.deepEqual(await redeliver(scene, id, event.id), NOT_SENT);
    assert.equal(receiver.requests.length, 2);
  });

  it('[EVT-4d] [EVT-8c] is not sent after its event was removed, and no later event is sent in its place', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url, event_types: ['product.*'] }, READER);
    await createProduct(scene, 'bolt');
    await until(() => receiver.requests.length === 1);
    scene.clock.advance(3 * DAY);
    const { api, store, clock } = scene;
    const observe = (): void => undefined;
    const parts = { store, settings: api.model.events, subscribers: [], clock, random: createRandom(), observe };
    await new EventRetention(parts).run();
    await createProduct(scene, 'nut');
    await until(() => receiver.requests.length === 2);
    assert.deepEqual(await redeliver(scene, id, receiver.requests[0]?.event.id ?? ''), NOT_SENT);
    assert.equal(receiver.requests.length, 2);
  });
});
