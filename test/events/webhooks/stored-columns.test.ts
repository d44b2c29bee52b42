import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { as } from '../../pipeline/support/caller-tokens.ts';
import { startReceiver } from './receiver.ts';
import { until, webhookScene } from './scene.ts';

const MODEL = `
name: shop
webhooks: {}
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
resources:
  products:
    id: client
    schema: { type: object, properties: { title: { type: string }, tenant: { type: string } } }
    access: { rows: { read: { tenant: $caller.claims.tenant }, update: true } }
`;

const SCOPES = ['webhooks:read', 'webhooks:write', 'products:read', 'products:write'];
const of = (tenant: string) => as({ subject: `of ${tenant}`, scopes: SCOPES, claims: { tenant } });

describe('a webhook for events without data', () => {
  it('[EVT-4f] [EVT-8d] gets those of rows that its creator could see before or after, by the values that are stored with them', async () => {
    await using ann = await startReceiver();
    await using bob = await startReceiver();
    await using scene = await webhookScene(MODEL);
    await scene.webhook({ url: ann.url }, of('a'));
    await scene.webhook({ url: bob.url }, of('b'));
    const send = async (method: string, id: string, body: unknown, tenant: string): Promise<void> => {
      const path = method === 'POST' ? 'products' : `products/${id}`;
      const { status, text } = await scene.send(method, path, body, of(tenant));
      assert.ok(status < 300, text);
    };
    await send('POST', 'x', { id: 'x', title: 'of a', tenant: 'a' }, 'a');
    await send('POST', 'y', { id: 'y', title: 'of b', tenant: 'b' }, 'b');
    // It leaves the sight of a.
    await send('PATCH', 'x', { tenant: 'b' }, 'a');
    await send('PATCH', 'x', { title: 'later' }, 'b');
    await send('DELETE', 'x', undefined, 'b');
    await send('POST', 'end', { id: 'end', tenant: 'a' }, 'a');
    await until(() => ann.requests.length === 3 && bob.requests.length === 4);
    const seen = ({ requests }: typeof ann): readonly string[] =>
      requests.map(({ event }) => `${event.type} ${event.payload.resource.id}`).sort();
    assert.deepEqual(seen(ann), ['product.created end', 'product.created x', 'product.updated x']);
    assert.deepEqual(seen(bob), ['product.created y', 'product.deleted x', 'product.updated x', 'product.updated x']);
    for (const { event } of [...ann.requests, ...bob.requests]) assert.equal(event.payload.data, undefined);
  });
});
