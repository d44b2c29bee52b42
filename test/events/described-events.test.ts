import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../src/model/compile/load-model.ts';
import { DescribedEvents } from '../describe/asyncapi/described-events.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { startReceiver, type TestReceiver } from './webhooks/receiver.ts';
import { until, type WebhookScene, webhookScene } from './webhooks/scene.ts';

/** A model whose events have every type of value. */
const MODEL = `
name: shop
version: 2.1.0
default_version: 2
webhooks: {}
resources:
  products:
    events: full
    schema:
      type: object
      required: [name]
      properties:
        name: { type: string, maxLength: 20 }
        status: { type: string, enum: [A, B], default: A }
        price: { type: string, format: decimal, x-precision: 8, x-scale: 2 }
        count: { type: integer }
        weight: { type: number }
        done: { type: boolean }
        at: { type: string, format: date-time }
        big: { type: string, format: int64 }
        photo: { type: string, contentEncoding: base64 }
        tags: { type: array, items: { type: string } }
        place: { type: object, required: [city], properties: { city: { type: string }, shelf: { type: integer } } }
        labels: { type: object, additionalProperties: { type: string } }
        cost: { type: number, writeOnly: true }
  reviews: { parent: products, on_parent_delete: cascade, schema: { type: object, properties: { text: { type: string } } } }
versions:
  1.0.0:
    changes:
      - { resource: products, collection: articles, singular: article }
      - { resource: products, rename: { title: name } }
      - { resource: products, without: [tags] }
`;

const FULL = {
  name: 'n',
  status: 'B',
  price: '1.50',
  count: 1,
  weight: 0.5,
  done: true,
  at: '2026-01-02T03:04:05Z',
  big: '9007199254740993',
  photo: 'AQID',
  tags: ['x'],
  place: { city: 'c', shelf: 1 },
  labels: { a: 'b' },
  cost: 1,
};

/** Writes events of every type. */
async function writeAll(scene: WebhookScene): Promise<void> {
  const full = await scene.send('POST', '/api/v2/products', FULL);
  assert.equal(full.status, 201, full.text);
  const least = await scene.send('POST', '/api/v2/products', { name: 'm' });
  await scene.send('PATCH', `/api/v2/products/${least.body.id}`, { count: 2, tags: null });
  await scene.send('POST', `/api/v2/products/${full.body.id}/reviews`, { text: 'x' });
  await scene.send('DELETE', `/api/v2/products/${full.body.id}`);
}

const COUNT = 6;

describe('delivered events', () => {
  it('[EVT-10c] are as AsyncAPI describes them, in each format and version', async () => {
    const { model } = loadModel({ text: MODEL });
    await using scene = await webhookScene(MODEL);
    const rows: readonly (readonly [format: 'native' | 'cloudevents', version: string, described: string])[] = [
      ['native', '2', '2.1.0'],
      ['cloudevents', '2', '2.1.0'],
      ['native', '1', '1.0.0'],
      ['cloudevents', '1', '1.0.0'],
    ];
    const receivers: TestReceiver[] = [];
    await using stack = new AsyncDisposableStack();
    for (const [format, version] of rows) {
      const receiver = stack.use(await startReceiver());
      receivers.push(receiver);
      await scene.webhook({ url: receiver.url, format, version });
    }
    await writeAll(scene);
    for (const [index, [format, , described]] of rows.entries()) {
      const receiver = receivers[index] ?? assert.fail();
      await until(() => receiver.requests.length === COUNT);
      const events = new DescribedEvents(model, described);
      for (const { body, headers } of receiver.requests) {
        const message: { readonly type: string } = JSON.parse(body);
        const name = format === 'native' ? message.type : `${message.type.slice('shop.'.length)}.cloudevent`;
        events.check(name, message, headers);
      }
    }
  });

  it('[EVT-10c] have an example in each message, which is as the message is described', () => {
    const { model } = loadModel({ text: MODEL });
    for (const version of ['2.1.0', '1.0.0']) {
      const events = new DescribedEvents(model, version);
      const examples = events.examples();
      for (const [name, payload, headers] of examples) events.check(name, payload, headers);
      const names = ['created', 'updated', 'deleted'].map((verb) => `review.${verb}`);
      const found = new Set(examples.map(([name]) => name));
      for (const name of names) for (const form of ['', '.cloudevent', '.feed']) assert.ok(found.has(`${name}${form}`));
      assert.ok(found.has('webhook.ping') && found.has('feed.error'));
    }
  });

  it('[EVT-10c] [EVT-4d] are described, also the ping and the disabled webhook', async () => {
    const { model } = loadModel({ text: MODEL });
    await using receiver = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const { id } = await scene.webhook({ url: receiver.url });
    const other = await scene.webhook({ url: receiver.url, event_types: ['product.created'] });
    await scene.send('POST', `webhooks/${id}/deliveries`, { type: 'webhook.ping' });
    await scene.send('PATCH', `webhooks/${other.id}`, { status: 'disabled' });
    await until(() => receiver.requests.length === 2);
    const events = new DescribedEvents(model);
    for (const { event, headers } of receiver.requests) events.check(event.type, event, headers);
    assert.deepEqual(receiver.types().toSorted(), ['webhook.disabled', 'webhook.ping']);
  });
});

const older = (version: string, rest = ''): string => `
name: shop
version: ${version}
webhooks: {}
resources:
  products:
    events: full
    schema: { type: object, properties: { name: { type: string }${version === '1.0.0' ? '' : ', color: { type: string }'} } }
${rest}`;

describe('the schema version of events', () => {
  it('[EVT-10a] has a greater minor after an addition, for those who get the latest; an endpoint that names the old one has it', async (context) => {
    await using latest = await startReceiver();
    await using pinned = await startReceiver();
    const database = `${temporaryDirectory(context)}/shop.db`;
    const before = await webhookScene(older('1.0.0'), undefined, database);
    await before.webhook({ url: latest.url, event_types: ['product.*'], version: '1' });
    await before.webhook({ url: pinned.url, event_types: ['product.*'], version: '1.0' });
    await before.send('POST', 'products', { name: 'a' });
    await until(() => latest.requests.length === 1 && pinned.requests.length === 1);
    await before[Symbol.asyncDispose]();
    const versions = 'versions: { 1.0.0: { changes: [{ resource: products, without: [color] }] } }\n';
    await using after = await webhookScene(older('1.1.0', versions), undefined, database);
    await after.send('POST', 'products', { name: 'b', color: 'red' });
    await until(() => latest.requests.length === 2 && pinned.requests.length === 2);
    const seen = ({ requests }: TestReceiver): unknown =>
      requests.map(({ event }) => [event.metadata.schema_version, Object.keys(event.payload.data ?? {})]);
    assert.deepEqual(seen(latest), [
      ['1.0', ['id', 'name']],
      ['1.1', ['id', 'name', 'color']],
    ]);
    assert.deepEqual(seen(pinned), [
      ['1.0', ['id', 'name']],
      ['1.0', ['id', 'name']],
    ]);
  });
});
