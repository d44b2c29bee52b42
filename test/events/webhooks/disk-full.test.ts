import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Store, StoreUnavailable } from '../../../src/stores/store.ts';
import { startReceiver, status } from './receiver.ts';
import { until, webhookScene } from './scene.ts';

const MODEL = `
name: shop
webhooks: { retry: [0s, 5s, 5s] }
resources:
  notes: { id: client, schema: { type: object, properties: { text: { type: string } } } }
`;

/** A store whose disk can be full. */
function filling(): { isFull: boolean; readonly wrap: (store: Store) => Store } {
  const disk = {
    isFull: false,
    wrap: (store: Store): Store => ({
      ...store,
      writes: {
        pending: store.writes.pending,
        commit: (...given) => (disk.isFull ? Promise.reject(full()) : store.writes.commit(...given)),
      },
    }),
  };
  return disk;
}

function full(): StoreUnavailable {
  return new StoreUnavailable('The disk of the database is full', { reason: 'full' });
}

describe('webhooks while the disk is full', () => {
  it('[EVT-3a] [OPS-7b] get what was committed; the results are stored once there is space, and nothing is sent again', async () => {
    const disk = filling();
    const committed = Promise.withResolvers<void>();
    await using receiver = await startReceiver((request, response) => {
      void committed.promise.then(() => status(204)(request, response));
    });
    await using scene = await webhookScene(MODEL, disk.wrap);
    const { id } = await scene.webhook({ url: receiver.url });
    const before = await scene.store.events.lastSequence();
    const lines = Array.from({ length: 20 }, (_, index) => JSON.stringify({ id: `n${index}`, text: 'x' })).join('\n');
    const type = { 'Content-Type': 'application/x-ndjson' };
    const written = await scene.send('POST', 'notes', lines, type);
    assert.equal(written.status, 200, written.text);
    disk.isFull = true;
    committed.resolve();
    await until(() => receiver.requests.length === 20);
    assert.equal((await scene.send('PUT', 'notes/late', { text: 'x' })).status, 503);
    assert.deepEqual(await scene.deliveries(id), []);
    disk.isFull = false;
    await until(async () => (await scene.deliveries(id)).length === 20);
    await until(async () => (await scene.store.deliveries.reader('webhooks'))?.sequence === before + 20);
    assert.deepEqual(await scene.store.deliveries.positions([`webhook:${id}`]), []);
    await scene.send('PUT', 'notes/after', { text: 'x' });
    await until(() => receiver.requests.length === 21);
    assert.equal(new Set(receiver.requests.map(({ event }) => event.id)).size, 21);
    const reports = scene.observations.filter(({ kind }) => kind === 'store-unavailable');
    assert.ok(reports.length >= 1 && reports.length <= 5, `${reports.length} reports`);
  });

  it('[EVT-3a] [EVT-6a] retry what failed meanwhile, and what could not be claimed', async () => {
    const disk = filling();
    await using receiver = await startReceiver(status(500));
    await using scene = await webhookScene(MODEL, disk.wrap);
    const { id } = await scene.webhook({ url: receiver.url });
    await scene.send('PUT', 'notes/a', { text: 'x' });
    await scene.waiting(id, 1, 5_000);
    // The retry is due, and cannot be counted before it begins.
    disk.isFull = true;
    receiver.respond = status(204);
    scene.clock.advance(6_000);
    await until(() => scene.observations.some(({ kind }) => kind === 'store-unavailable'));
    assert.equal(receiver.requests.length, 1);
    disk.isFull = false;
    await until(() => receiver.requests.length === 2);
    await until(async () => (await scene.deliveries(id))[0].status === 'succeeded');
    const [{ attempts }] = await scene.deliveries(id);
    assert.equal(attempts.length, 2);
  });
});
