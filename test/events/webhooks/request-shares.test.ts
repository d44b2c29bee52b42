import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { as } from '../../pipeline/support/caller-tokens.ts';
import { type Respond, startReceiver, status } from './receiver.ts';
import { until, type WebhookScene, webhookScene } from './scene.ts';

const MODEL = `
name: shop
webhooks: { timeout: 10s }
limits: { rate: false }
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;
const SCOPES = ['webhooks:read', 'webhooks:write', 'notes:read', 'notes:write'];
const ANN = as({ subject: 'ann', scopes: SCOPES });
const BOB = as({ subject: 'bob', scopes: SCOPES });
const PING = { type: 'webhook.ping' };
const hang: Respond = () => undefined;

/** Requests pings of a webhook, in batches. */
async function requestPings(scene: WebhookScene, id: string, count: number): Promise<void> {
  const operation = { method: 'POST', path: `/webhooks/${id}/deliveries`, body: PING };
  for (let left = count; left > 0; left -= 100) {
    const operations = Array.from({ length: Math.min(left, 100) }, () => operation);
    const { status: code, text } = await scene.send('POST', 'batches', { atomic: true, operations }, ANN);
    assert.equal(code, 201, text);
  }
}

const created = { event_types: ['note.created'] };

describe('deliveries that callers request', () => {
  for (const [title, webhooks, each] of [
    ['40 of one webhook', 1, 40],
    ['100 of 20 webhooks of one caller', 20, 5],
    ['1,200 of one webhook', 1, 1_200],
  ] as const)
    it(`[EVT-6c] do not wait for those of another caller whose receivers hang: ${title}`, async () => {
      await using slow = await startReceiver(hang);
      await using quick = await startReceiver();
      await using scene = await webhookScene(MODEL);
      for (let index = 0; index < webhooks; index += 1)
        await requestPings(scene, (await scene.webhook({ ...created, url: slow.url }, ANN)).id, each);
      await until(() => slow.requests.length > 0);
      const { id } = await scene.webhook({ ...created, url: quick.url }, BOB);
      await scene.send('PUT', 'notes/a', { text: 'x' }, BOB);
      await until(() => quick.requests.length === 1);
      await until(async () => {
        const { body } = await scene.send('GET', `webhooks/${id}/deliveries`, undefined, BOB);
        return body.data.length === 1;
      });
      const event = quick.requests[0]?.event.id;
      for (const body of [PING, { event_id: event }]) {
        const made = await scene.send('POST', `webhooks/${id}/deliveries`, body, BOB);
        assert.equal(made.status, 201, made.text);
        scene.clock.advance(100);
      }
      await until(() => quick.requests.length === 3);
      const pings = slow.types().filter((type) => type === PING.type);
      assert.ok(pings.length <= 16, `${pings.length} attempts hang`);
    });

  it('[EVT-6c] are all attempted, once each, however many there are of a caller alone', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ ...created, url: receiver.url }, ANN);
    await requestPings(scene, id, 60);
    await until(() => receiver.requests.length === 60);
    scene.clock.advance(6_000);
    const pending = `webhooks/${id}/deliveries?status=pending`;
    await until(async () => (await scene.send('GET', pending, undefined, ANN)).body.data.length === 0);
    assert.equal(new Set(receiver.requests.map(({ event }) => event.id)).size, 60);
    assert.equal(receiver.requests.length, 60);
  });

  it('[EVT-6c] are attempted in the end where each one fails', async () => {
    await using receiver = await startReceiver(status(500));
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ ...created, url: receiver.url }, ANN);
    await requestPings(scene, id, 30);
    const dead = `webhooks/${id}/deliveries?status=dead&limit=100`;
    await until(async () => (await scene.send('GET', dead, undefined, ANN)).body.data.length === 30);
    assert.equal(receiver.requests.length, 30);
  });
});
