import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventRetention } from '../../../src/events/retention/retention.ts';
import { createRandom } from '../../../src/platform/random.ts';
import type { Seen } from '../../pipeline/support/api-under-test.ts';
import { startReceiver, status } from './receiver.ts';
import { until, type WebhookScene, webhookScene } from './scene.ts';

const DAY = 24 * 3_600_000;
const MODEL = `
name: shop
events: { retention: 10d }
webhooks: { retry: [0s, 5s] }
resources: { notes: { id: client, schema: { type: object, properties: { text: { type: string } } } } }
`;

/** Removes what the model says is too old. */
function removeOld({ api, store, clock }: WebhookScene): Promise<void> {
  const { events: settings } = api.model;
  const observe = (): void => undefined;
  return new EventRetention({ store, settings, subscribers: [], clock, random: createRandom(), observe }).run();
}

describe('webhooks, when events were removed', () => {
  it('[EVT-4e] [EVT-8c] have no replay of a window that may have lost events', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url });
    const replay = (from: string): Promise<Seen> =>
      scene.send('POST', `webhooks/${id}/replays`, { from, to: '2026-07-01T00:00:00Z' });
    await scene.send('PUT', 'notes/a', {});
    await until(() => receiver.requests.length === 1);
    scene.clock.advance(11 * DAY);
    await removeOld(scene);
    // Nothing is left; a window that begins in the time of the retention is complete all the same.
    assert.equal((await replay('2026-05-02T00:00:00Z')).status, 410);
    const pending = await replay('2026-05-02T12:00:00Z');
    assert.equal(pending.status, 201);
    await scene.send('DELETE', `webhooks/${id}/replays/${pending.body.id}`);
    await scene.send('PUT', 'notes/b', {});
    await until(() => receiver.requests.length === 2);
    const expired = await replay('2026-05-01T00:00:00Z');
    assert.deepEqual([expired.status, expired.body.errorCode], [410, 'EVENT_POSITION_EXPIRED'], expired.text);
    assert.equal((await replay('2026-05-12T12:00:00Z')).status, 201);
    await until(() => receiver.requests.length === 3);
    assert.equal(receiver.requests[2]?.event.payload.resource.id, 'b');
  });

  it('[EVT-8c] list dead deliveries as long as their events are stored', async () => {
    await using receiver = await startReceiver(status(500));
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url });
    await scene.send('PUT', 'notes/a', {});
    await scene.waiting(id, 1, 5_000);
    scene.clock.advance(6_000);
    await until(async () => (await scene.deliveries(id))[0]?.status === 'dead');
    scene.clock.advance(9 * DAY);
    assert.equal((await scene.deliveries(id)).length, 1);
    scene.clock.advance(2 * DAY);
    await until(async () => (await scene.deliveries(id)).length === 0);
  });
});
