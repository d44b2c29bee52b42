import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Store } from '../../../src/stores/store.ts';
import { startReceiver } from './receiver.ts';
import { until, webhookScene } from './scene.ts';
import { watchLists } from './watched-lists.ts';

const MODEL = `
name: shop
webhooks: {}
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

/** Whole rows that were read by lists, by the name of their resource. */
type Counts = Map<string, number>;

function counting(counts: Counts): (store: Store) => Store {
  return (store) =>
    watchLists(store, ({ resource, columns }, { rows }) => {
      counts.set(resource, (counts.get(resource) ?? 0) + (columns === undefined ? rows.length : 0));
    });
}

describe('many webhooks', () => {
  it('[EVT-4a] are not read again when one of them changes', async () => {
    await using receiver = await startReceiver();
    const counts: Counts = new Map();
    await using scene = await webhookScene(MODEL, counting(counts));
    const ids: string[] = [];
    for (let count = 0; count < 40; count += 1) {
      const { id } = await scene.webhook({ url: receiver.url, event_types: ['note.created'] });
      ids.push(id);
    }
    await scene.send('PUT', 'notes/a', { text: 'x' });
    await until(() => receiver.requests.length === 40);
    counts.clear();
    const change = { headers: { 'content-type': 'application/merge-patch+json', 'if-match': '*' } };
    await scene.send('PATCH', `webhooks/${ids[0]}`, { event_types: ['note.deleted'] }, change.headers);
    await scene.send('DELETE', `webhooks/${ids[1]}`, undefined, change.headers);
    await scene.send('PUT', 'notes/b', { text: 'x' });
    await until(() => receiver.requests.length === 78);
    assert.ok((counts.get('webhooks') ?? 0) <= 4, 'those that the requests and their delivery need');
    await scene.send('DELETE', 'notes/b', undefined, change.headers);
    await until(() => receiver.requests.length === 79);
    assert.equal(receiver.types().filter((type) => type === 'note.deleted').length, 1);
  });

  it('[EVT-4d] cost nothing while nothing is requested of them', async () => {
    await using receiver = await startReceiver();
    const counts: Counts = new Map();
    await using scene = await webhookScene(MODEL, counting(counts));
    const { id } = await scene.webhook({ url: receiver.url });
    await scene.send('PUT', 'notes/a', { text: 'x' });
    await until(async () => (await scene.deliveries(id)).length === 1);
    const requests = scene.api.webhooks?.requests;
    await requests?.run();
    counts.clear();
    await requests?.run();
    await requests?.run();
    assert.deepEqual([...counts.keys()], [], 'no collection was read');
    await scene.send('POST', `webhooks/${id}/deliveries`, { type: 'webhook.ping' });
    await requests?.run();
    await until(() => receiver.requests.length === 2);
    assert.equal(receiver.types().at(-1), 'webhook.ping');
  });
});
