import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SubscriptionStarts } from '../../../src/events/webhooks/subscription-starts.ts';
import type { Store } from '../../../src/stores/store.ts';
import { startReceiver, status, type TestReceiver } from './receiver.ts';
import { until, type WebhookScene, webhookScene } from './scene.ts';

const MODEL = `
name: shop
webhooks: { retry: [0s, 5s, 5m] }
resources:
  products: { events: full, schema: { type: object, properties: { name: { type: string } } } }
`;
const WINDOW = { from: '2026-05-01T00:00:00Z', to: '2026-05-02T00:00:00Z' };

interface Replayed {
  /** Path of the webhook. */
  readonly webhook: string;
  readonly replay: string;
  /** Names of the subscriptions of the webhook and of its replay. */
  readonly names: readonly [string, string];
}

/** A webhook with two events delivered, and a replay whose deliveries wait after a failed attempt. */
async function pendingReplay(scene: WebhookScene, receiver: TestReceiver): Promise<Replayed> {
  const { id } = await scene.webhook({ url: receiver.url });
  for (const name of ['a', 'b']) await scene.send('POST', 'products', { name });
  await until(() => receiver.requests.length === 2);
  receiver.respond = status(500);
  const replay = await scene.send('POST', `webhooks/${id}/replays`, WINDOW);
  assert.equal(replay.status, 201, replay.text);
  const names = [`webhook:${id}`, `webhook:${id}:${replay.body.id}`] as const;
  await until(async () => (await scene.store.deliveries.list({ endpoint: names[1], limit: 9 })).length === 2);
  return { webhook: `webhooks/${id}`, replay: replay.body.id, names };
}

/** The kinds of rows that are stored of a subscription. */
async function listStored({ bookmarks, deliveries }: Store, name: string): Promise<readonly string[]> {
  const positions = await deliveries.positions([name]);
  const listed = await deliveries.list({ endpoint: name, limit: 9 });
  return [
    ...((await bookmarks.get(`start ${name}`)) === null ? [] : ['bookmark']),
    ...(positions.length === 0 ? [] : ['position']),
    ...(listed.length === 0 ? [] : ['deliveries']),
  ];
}

async function untilNothingIsStored({ store }: WebhookScene, names: readonly string[]): Promise<void> {
  await until(async () => {
    const stored = await Promise.all(names.map((name) => listStored(store, name)));
    return stored.flat().length === 0;
  });
}

describe('what is stored of the subscriptions of webhooks', () => {
  it('[EVT-4g] goes with a webhook, also of its replays that are not finished', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const { webhook, names } = await pendingReplay(scene, receiver);
    assert.deepEqual(await listStored(scene.store, names[1]), ['bookmark', 'deliveries']);
    assert.equal((await scene.send('DELETE', webhook)).status, 204);
    await untilNothingIsStored(scene, names);
  });

  it('[EVT-4g] goes with a webhook that was disabled before', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const { webhook, names } = await pendingReplay(scene, receiver);
    assert.equal((await scene.send('PATCH', webhook, { status: 'disabled' })).status, 200);
    assert.equal((await scene.send('DELETE', webhook)).status, 204);
    await untilNothingIsStored(scene, names);
  });

  it('[EVT-4e] goes with a replay that is deleted, and of its webhook it stays', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const { webhook, replay, names } = await pendingReplay(scene, receiver);
    assert.equal((await scene.send('DELETE', `${webhook}/replays/${replay}`)).status, 204);
    await untilNothingIsStored(scene, [names[1]]);
    assert.ok((await listStored(scene.store, names[0])).includes('bookmark'));
  });

  it('[EVT-4e] goes with a replay that is finished, which a change of its webhook does not start again', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const { webhook, names } = await pendingReplay(scene, receiver);
    receiver.respond = status(204);
    scene.clock.advance(6_000);
    await untilNothingIsStored(scene, [names[1]]);
    const count = receiver.requests.length;
    assert.equal((await scene.send('PATCH', webhook, { description: 'x' })).status, 200);
    await scene.send('POST', 'products', { name: 'c' });
    await until(() => receiver.requests.length > count);
    assert.equal(receiver.requests.at(-1)?.event.payload.data?.['name'], 'c');
    assert.deepEqual(await listStored(scene.store, names[1]), []);
  });

  it('[EVT-4e] stays while the webhook of a replay is disabled', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const { webhook, replay, names } = await pendingReplay(scene, receiver);
    assert.equal((await scene.send('PATCH', webhook, { status: 'disabled' })).status, 200);
    assert.ok((await listStored(scene.store, names[1])).includes('bookmark'));
    receiver.respond = status(204);
    assert.equal((await scene.send('PATCH', webhook, { status: 'enabled' })).status, 200);
    scene.clock.advance(6_000);
    await until(async () => (await scene.send('GET', `${webhook}/replays/${replay}`)).body.status === 'finished');
  });

  it('[EVT-4e] is not made of a replay that may have ended since it was read', async () => {
    await using scene = await webhookScene(MODEL);
    const starts = new SubscriptionStarts(scene.store);
    const [stamp = 0] = await scene.store.stamps.resourceStamps(['webhook_replays']);
    const replay = { name: 'webhook:w:r', after: 0 };
    const seen = { resource: 'webhook_replays', stamp };
    assert.equal(await starts.start([replay], { ...seen, stamp: stamp + 1 }), false);
    assert.deepEqual(await listStored(scene.store, replay.name), []);
    assert.equal(await starts.start([replay], seen), true);
    assert.deepEqual(await listStored(scene.store, replay.name), ['bookmark', 'position']);
    await starts.end([replay.name]);
    assert.deepEqual(await listStored(scene.store, replay.name), []);
    assert.equal(await starts.isStarted(replay), false);
  });
});
