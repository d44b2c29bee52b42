import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { as } from '../../pipeline/support/caller-tokens.ts';
import { startReceiver } from './receiver.ts';
import { until, webhookScene } from './scene.ts';

const MODEL = `
name: shop
webhooks: {}
auth:
  api_keys: true
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
resources:
  products: { schema: { type: object, properties: { name: { type: string } } } }
`;
const SCOPES = ['webhooks:read', 'webhooks:write', 'products:read', 'products:write', 'api-keys:write'];
const ANN = as({ subject: 'ann', scopes: SCOPES });
const ROOT = as({ subject: 'root', scopes: [...SCOPES, 'webhooks:admin', 'api-keys:admin'] });

describe('the webhooks of an API key', () => {
  it('[EVT-4f] [EVT-4g] end with it when it expires, and with a key that made it, with an event', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const makeKey = async (headers: Record<string, string>, more: object = {}) => {
      const { body } = await scene.send('POST', 'api-keys', { name: 'k', scopes: SCOPES, ...more }, headers);
      return { id: String(body.id), headers: { Authorization: `Bearer ${body.key}` } };
    };
    const expiring = await makeKey(ANN, { expires_at: new Date(scene.clock.now() + 60_000).toISOString() });
    const parent = await makeKey(ANN);
    const child = await makeKey(parent.headers);
    const hook = { url: receiver.url, event_types: ['product.created'] };
    const first = await scene.webhook(hook, expiring.headers);
    const second = await scene.webhook(hook, child.headers);
    const lasting = await scene.webhook(hook, ANN);
    await scene.send('POST', 'products', { name: 'a' }, ANN);
    await until(() => receiver.requests.length === 3);
    scene.clock.advance(60_000);
    await scene.send('DELETE', `api-keys/${parent.id}`, undefined, ROOT);
    await scene.send('POST', 'products', { name: 'b' }, ANN);
    const state = async (id: string) => {
      const { body } = await scene.send('GET', `webhooks/${id}`, undefined, ROOT);
      return [body.status, body.disabled_reason];
    };
    const states = async () => Promise.all([first, second, lasting].map(({ id }) => state(id)));
    await until(async () => (await states()).filter(([status]) => status === 'disabled').length === 2);
    assert.deepEqual(await states(), [
      ['disabled', 'key_expired'],
      ['disabled', 'key_revoked'],
      ['enabled', null],
    ]);
    await until(() => receiver.requests.length === 4);
    const events = await scene.store.events.after(0, 100);
    const disabled = events.filter(({ type }) => type === 'webhook.disabled').map(({ payload }) => payload.resource.id);
    assert.deepEqual(new Set(disabled), new Set([first.id, second.id]));
    assert.equal(disabled.length, 2);
  });
});
