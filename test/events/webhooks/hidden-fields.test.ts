import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { temporaryDirectory } from '../../temporary-directory.ts';
import { as } from '../../pipeline/support/caller-tokens.ts';
import { startReceiver } from './receiver.ts';
import { until, webhookScene } from './scene.ts';

const model = (access: string): string => `
name: shop
webhooks: {}
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
resources:
  notes:
    events: full
    schema: { type: object, properties: { text: { type: string }, tone: { type: string, enum: [ALPHA, BETA] } } }
${access}`;

const ANN = as({ subject: 'ann', scopes: ['webhooks:read', 'webhooks:write', 'notes:read', 'notes:write'] });
const WRITER = as({ subject: 'bob', scopes: ['notes:read', 'notes:write', 'tone:read'] });

describe('a filter on a field that its webhook may no longer read', () => {
  it('[REP-11b] [EVT-4f] is judged as if the field had no value', async (context) => {
    await using equal = await startReceiver();
    await using absent = await startReceiver();
    const database = `${temporaryDirectory(context)}/shop.db`;
    const before = await webhookScene(model(''), undefined, database);
    const selected = { event_types: ['note.created'] };
    await before.webhook({ ...selected, url: equal.url, filter: '{"tone":"ALPHA"}' }, ANN);
    await before.webhook({ ...selected, url: absent.url, filter: '{"tone":{"exists":false}}' }, ANN);
    await before.send('POST', 'notes', { text: 'one', tone: 'ALPHA' }, WRITER);
    await until(() => equal.requests.length === 1);
    await before[Symbol.asyncDispose]();
    const hidden = '    access: { fields: { tone: { read: { scope: tone:read } } } }';
    await using after = await webhookScene(model(hidden), undefined, database);
    for (const tone of ['ALPHA', 'BETA']) await after.send('POST', 'notes', { text: tone, tone }, WRITER);
    await until(() => absent.requests.length === 2);
    assert.ok(absent.requests.every(({ body }) => !body.includes('"tone"')));
    assert.equal(equal.requests.length, 1);
  });
});
