import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { verifyWebhook } from '../../../src/client/verify-webhook.ts';
import { as } from '../../pipeline/support/caller-tokens.ts';
import { startReceiver } from './receiver.ts';
import { until, webhookScene } from './scene.ts';

const AUTH = `
auth:
  issuers: [{ name: test, issuer: https://id.example.com, audience: shop, hs256_secret: 0123456789abcdef0123456789abcdef }]
`;
const MODEL = `
name: shop
version: 2.1.0
default_version: 2
webhooks: {}
${AUTH}
resources:
  products:
    events: full
    schema:
      type: object
      properties: { title: { type: string }, tenant: { type: string }, cost: { type: integer }, added: { type: string } }
    access:
      rows: { read: { tenant: $caller.claims.tenant } }
      fields: { cost: { read: { scope: products:cost } } }
  secrets_of_all: { singular: hidden_thing, schema: { type: object, properties: { text: { type: string } } } }
versions:
  1.0.0:
    changes:
      - { resource: products, rename: { name: title } }
      - { resource: products, without: [added] }
`;

const SCOPES = ['webhooks:read', 'webhooks:write', 'products:read', 'products:write'];
const caller = (subject: string, tenant: string, ...more: string[]) =>
  as({ subject, scopes: [...SCOPES, ...more], claims: { tenant } });

/** The schema of the specification, without its formats and as a strict parser accepts it. */
const schema: object = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '..', '..', 'conventions', 'cloudevents.schema.json'), 'utf8'),
);
const isCloudEvent = new Ajv({ strict: false, validateFormats: false }).compile(schema);

describe('what a webhook gets', () => {
  it('[EVT-4f] are the events of rows that its creator may read, with the fields that it may read', async () => {
    await using ann = await startReceiver();
    await using bob = await startReceiver();
    await using scene = await webhookScene(MODEL);
    await scene.webhook({ url: ann.url }, caller('ann', 'a'));
    await scene.webhook({ url: bob.url }, caller('bob', 'b', 'products:cost'));
    const create = (title: string, tenant: string): Promise<unknown> =>
      scene.send(
        'POST',
        '/api/v2/products',
        { title, tenant, cost: 3, added: 'x' },
        caller('x', tenant, 'products:cost'),
      );
    await create('of a', 'a');
    await create('of b', 'b');
    await scene.send(
      'POST',
      'secrets-of-all',
      { text: 'x' },
      as({ subject: 'root', scopes: ['secrets-of-all:write'] }),
    );
    await create('end', 'a');
    await until(() => ann.requests.length === 2 && bob.requests.length === 1);
    assert.deepEqual(
      ann.requests.map(({ event }) => event.payload.data?.['title']),
      ['of a', 'end'],
    );
    const { payload } = ann.requests[0]?.event ?? assert.fail();
    assert.deepEqual(payload.changed_fields, ['title', 'tenant', 'added']);
    assert.ok(payload.data !== undefined && !('cost' in payload.data));
    assert.equal(bob.requests[0]?.event.payload.data?.['cost'], 3);
    assert.ok(bob.requests[0].event.payload.changed_fields.includes('cost'));
  });

  it('[EVT-4a] [VER-5a] has the names of its version', async () => {
    await using newest = await startReceiver();
    await using older = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const headers = caller('ann', 'a');
    await scene.webhook({ url: newest.url, event_types: ['product.created'] }, headers);
    await scene.webhook({ url: older.url, event_types: ['product.created'], version: '1' }, headers);
    await scene.send('POST', 'products', { name: 'n', tenant: 'a' }, headers);
    await until(() => newest.requests.length === 1 && older.requests.length === 1);
    const [one, other] = [newest.requests[0]?.event ?? assert.fail(), older.requests[0]?.event ?? assert.fail()];
    assert.deepEqual([one.payload.data?.['title'], one.metadata.schema_version], ['n', '2.1']);
    assert.match(one.payload.resource.url, /^https:\/\/api\.example\.com\/api\/v2\/products\//);
    assert.deepEqual([other.payload.data?.['name'], other.metadata.schema_version], ['n', '1.0']);
    assert.match(other.payload.resource.url, /^https:\/\/api\.example\.com\/api\/v1\/products\//);
    assert.ok(other.payload.data !== undefined && !('title' in other.payload.data) && !('added' in other.payload.data));
    assert.ok(other.payload.changed_fields.includes('name') && !other.payload.changed_fields.includes('title'));
    assert.equal(one.id, other.id);
  });

  it('[EVT-10b] is a CloudEvent in structured mode, where the webhook has that format', async () => {
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const headers = caller('ann', 'a');
    const { secret } = await scene.webhook({ url: receiver.url, format: 'cloudevents' }, headers);
    await scene.send('POST', 'products', { name: 'n', tenant: 'a' }, headers);
    await until(() => receiver.requests.length === 1);
    const request = receiver.requests[0] ?? assert.fail();
    const event = await verifyWebhook<Record<string, unknown>>(request, { secret, now: () => scene.clock.now() });
    assert.ok(isCloudEvent(event), JSON.stringify(isCloudEvent.errors));
    const [logged] = await scene.store.events.after(0, 1);
    assert.ok(logged !== undefined);
    const { data, ...attributes } = event;
    assert.deepEqual(attributes, {
      specversion: '1.0',
      id: logged.id,
      source: 'https://api.example.com/api',
      type: 'shop.product.created',
      subject: `/api/v2/products/${logged.payload.resource.id}`,
      time: logged.payload.timestamp,
      datacontenttype: 'application/json',
      dataschema: 'https://api.example.com/asyncapi.json?api_version=2#/components/schemas/ProductCreatedPayload',
      schemaversion: '2.1',
      callersubject: 'ann',
      callerissuer: 'test',
      traceparent: request.headers['traceparent'],
      correlationid: logged.metadata.correlation_id,
      sequence: logged.metadata.sequence,
    });
    const schemas = (await scene.send('GET', '/asyncapi.json?api_version=2', undefined, headers)).body;
    assert.ok('ProductCreatedPayload' in schemas.components.schemas);
    assert.deepEqual(Object.keys(Object(data)), ['timestamp', 'resource', 'parents', 'changed_fields', 'data']);
    assert.match(String(request.headers['content-type']), /^application\/cloudevents\+json/);
  });
});
