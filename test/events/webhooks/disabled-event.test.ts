import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadModel } from '../../../src/model/compile/load-model.ts';
import { DescribedEvents } from '../../describe/asyncapi/described-events.ts';
import { startReceiver } from './receiver.ts';
import { until, webhookScene } from './scene.ts';

const MODEL = `
name: shop
version: 2.0.0
default_version: 2
webhooks: {}
resources:
  products: { schema: { type: object, properties: { name: { type: string }, color: { type: string } } } }
versions: { 1.0.0: { changes: [{ resource: products, without: [color] }] } }
`;

const URL_OF_OTHER = 'https://93.184.215.14/';

describe('the event of a disabled webhook', () => {
  it('[EVT-4g] has four members of the webhook as data, wherever it is read; no other is null there', async () => {
    await using native = await startReceiver();
    await using older = await startReceiver();
    await using cloud = await startReceiver();
    await using scene = await webhookScene(MODEL);
    const disabled = { event_types: ['webhook.disabled'] };
    await scene.webhook({ ...disabled, url: native.url });
    await scene.webhook({ ...disabled, url: older.url, version: '1' });
    await scene.webhook({ ...disabled, url: cloud.url, format: 'cloudevents' });
    const { id } = await scene.webhook({ url: URL_OF_OTHER, description: 'x', ordered: true });
    await scene.send('PATCH', `webhooks/${id}`, { status: 'disabled' });
    await until(() => [native, older, cloud].every(({ requests }) => requests.length === 1));
    const expected = { id, url: URL_OF_OTHER, status: 'disabled', disabled_reason: null, owner: null };
    for (const receiver of [native, older])
      assert.deepEqual(receiver.requests[0]?.event.payload.data, expected, receiver === older ? 'older' : 'newest');
    assert.deepEqual(JSON.parse(cloud.requests[0]?.body ?? '{}').data.data, expected);
    const page = await scene.send('GET', 'events?type=webhook.disabled');
    assert.deepEqual(page.body.data[0]?.payload.data, expected, page.text);
  });

  it('[EVT-10c] is described with them alone, each of which it has', async () => {
    const { model } = loadModel({ text: MODEL });
    const described = new DescribedEvents(model);
    const [, example] = described.examples().find(([name]) => name === 'webhook.disabled') ?? assert.fail();
    const members = ['id', 'url', 'status', 'disabled_reason', 'owner'];
    assert.deepEqual(Object.keys(Object(Object(Object(example).payload).data)).toSorted(), members.toSorted());
  });
});
