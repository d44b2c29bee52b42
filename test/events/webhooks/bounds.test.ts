import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startReceiver, status } from './receiver.ts';
import { START, until, webhookScene } from './scene.ts';

const MODEL = `
name: shop
webhooks: { retry: [0s, 1h], max_per_owner: 3, keep_deliveries: 2h }
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

const WINDOW = { from: new Date(START - 1_000).toISOString(), to: new Date(START + 1_000).toISOString() };

describe('the bounds of webhooks', () => {
  it('[LIM-1] are a number of webhooks for each owner: one more is 409', async () => {
    await using receiver = await startReceiver(status(204));
    await using scene = await webhookScene(MODEL);
    const made = [];
    for (let index = 0; index < 3; index += 1) made.push(await scene.webhook({ url: receiver.url }));
    const refused = await scene.send('POST', 'webhooks', { url: receiver.url, event_types: ['*'] });
    assert.deepEqual([refused.status, refused.body.errorCode], [409, 'WEBHOOK_CONFLICT'], refused.text);
    assert.match(refused.body.errorMessage, /at most 3 webhooks; delete one/);
    assert.equal((await scene.send('PATCH', `webhooks/${made[0].id}`, { ordered: true })).status, 200);
    assert.equal((await scene.send('DELETE', `webhooks/${made[0].id}`)).status, 204);
    await scene.webhook({ url: receiver.url });
  });

  it('[EVT-4e] are one pending replay for each webhook: another is 409 until it is finished', async () => {
    await using receiver = await startReceiver(status(204));
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url });
    const { id: other } = await scene.webhook({ url: receiver.url });
    await scene.send('PUT', 'notes/a', { text: 'x' });
    await until(() => receiver.requests.length === 2);
    receiver.respond = status(500);
    const first = await scene.send('POST', `webhooks/${id}/replays`, WINDOW);
    assert.equal(first.status, 201, first.text);
    const second = await scene.send('POST', `webhooks/${id}/replays`, WINDOW);
    assert.equal(second.status, 409, second.text);
    assert.match(second.body.errorMessage, new RegExp(first.body.id));
    assert.equal((await scene.send('POST', `webhooks/${other}/replays`, WINDOW)).status, 201);
    assert.equal((await scene.send('DELETE', `webhooks/${id}/replays/${first.body.id}`)).status, 204);
    assert.equal((await scene.send('POST', `webhooks/${id}/replays`, WINDOW)).status, 201);
  });

  it('[EVT-8c] are the time for which successful deliveries are stored', async () => {
    await using receiver = await startReceiver(status(204));
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url });
    await scene.send('PUT', 'notes/a', { text: 'x' });
    await until(async () => (await scene.deliveries(id)).length === 1);
    scene.clock.advance(7_100_000);
    assert.equal((await scene.deliveries(id)).length, 1);
    scene.clock.advance(200_000);
    await until(async () => (await scene.deliveries(id)).length === 0);
  });
});
