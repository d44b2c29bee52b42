import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { envelope } from '../conventions/event.ts';
import type { ClaimedDelivery, Store } from '../stores/store.ts';
import { type OpenStore, withStore } from './open-store.ts';
import { commit, createProduct, eventDraft, remove, update } from './sample-writes.ts';

async function readSequences(store: Store, after = 0, limit = 1_000): Promise<readonly number[]> {
  return (await store.events.after(after, limit)).map(({ metadata }) => Number(metadata.sequence));
}

function describeDeliveries(claimed: readonly ClaimedDelivery[]): readonly string[] {
  return claimed.map(({ endpoint, event, attempts }) => `${endpoint} ${event.payload.resource.id} ${attempts}`);
}

/**
 * Creates p1, p2 and p3, and enqueues the event of p1 for the endpoints a and b, due at 10, and that of p2 for a, due at 20.
 *
 * @returns the sequences of both events
 */
async function enqueueDeliveries(store: Store): Promise<readonly [number, number]> {
  await commit(store, createProduct('p1'), createProduct('p2'), createProduct('p3'));
  const [first = 0, second = 0] = await readSequences(store);
  await store.deliveries.enqueue(second, ['a'], 20);
  await store.deliveries.enqueue(first, ['a', 'b'], 10);
  return [first, second];
}

export function eventSuite(name: string, open: OpenStore): void {
  describe(`${name}: events`, () => {
    it(
      '[EVT-1][EVT-2] appends the envelope of each change, and nothing for a plan without an event',
      withStore(open, async (store) => {
        const [first = 0] = await commit(store, createProduct('p'));
        const [second = 0] = await commit(store, { ...update('products', 'p', first, { stock: 1 }), event: null });
        await commit(store, remove('products', 'p', second));
        const [created = 0, removed = 0, ...others] = await readSequences(store);
        assert.deepEqual(others, []);
        assert.deepEqual(await store.events.after(0, 10), [
          envelope(eventDraft('created', 'products', 'p'), created),
          envelope(eventDraft('deleted', 'products', 'p'), removed),
        ]);
      }),
    );

    it(
      '[EVT-3b] numbers events in commit order, without those of refused units',
      withStore(open, async (store) => {
        const units = [['a', 'b'], ['c', 'a'], ['d'], ['e', 'f']];
        const outcomes = await Promise.all(
          units.map((ids) => store.writes.commit({ plans: ids.map((id) => createProduct(id)) })),
        );
        assert.deepEqual(
          outcomes.map(({ kind }) => kind),
          ['committed', 'exists', 'committed', 'committed'],
        );
        const events = await store.events.after(0, 100);
        assert.deepEqual(
          events.map(({ payload }) => payload.resource.id),
          ['a', 'b', 'd', 'e', 'f'],
        );
        const read = await readSequences(store);
        assert.deepEqual(
          read,
          [...new Set(read)].sort((one, other) => one - other),
        );
      }),
    );

    it(
      '[EVT-3b] reads the events after a sequence, up to a limit',
      withStore(open, async (store) => {
        await commit(store, createProduct('a'), createProduct('b'), createProduct('c'));
        const [first = 0, second, third] = await readSequences(store);
        assert.deepEqual(await readSequences(store, first, 1), [second]);
        assert.deepEqual(await readSequences(store, first), [second, third]);
        assert.deepEqual(await readSequences(store, third), []);
      }),
    );
  });

  describe(`${name}: deliveries`, () => {
    it(
      '[EVT-6a] claims due deliveries with their events, oldest first, and none twice during its lease',
      withStore(open, async (store) => {
        await enqueueDeliveries(store);
        assert.deepEqual(await store.deliveries.claim(9, 100, 10), []);
        const [first] = await store.deliveries.claim(20, 100, 1);
        assert.equal(first?.event.payload.resource.id, 'p1');
        const rest = describeDeliveries(await store.deliveries.claim(20, 100, 10));
        assert.deepEqual([...describeDeliveries(first === undefined ? [] : [first]), ...rest].sort(), [
          'a p1 0',
          'a p2 0',
          'b p1 0',
        ]);
        assert.equal(rest.at(-1), 'a p2 0');
        assert.deepEqual(await store.deliveries.claim(20, 100, 10), []);
      }),
    );

    it(
      '[EVT-6a] counts an unfinished attempt, and returns its delivery again after the lease',
      withStore(open, async (store) => {
        await enqueueDeliveries(store);
        await store.deliveries.claim(10, 100, 10);
        assert.deepEqual(describeDeliveries(await store.deliveries.claim(99, 200, 10)), ['a p2 0']);
        assert.deepEqual(describeDeliveries(await store.deliveries.claim(100, 200, 10)), ['a p1 1', 'b p1 1']);
      }),
    );

    it(
      '[EVT-6a] retries at the given time, and never after success or when dead',
      withStore(open, async (store) => {
        const [first, second] = await enqueueDeliveries(store);
        await store.deliveries.claim(20, 100, 10);
        await store.deliveries.settle('a', first, { kind: 'retry', at: 50 });
        await store.deliveries.settle('b', first, { kind: 'succeeded' });
        await store.deliveries.settle('a', second, { kind: 'dead' });
        assert.deepEqual(await store.deliveries.claim(49, 100, 10), []);
        assert.deepEqual(describeDeliveries(await store.deliveries.claim(50, 100, 10)), ['a p1 1']);
        assert.deepEqual(describeDeliveries(await store.deliveries.claim(1_000, 2_000, 10)), ['a p1 2']);
      }),
    );

    it(
      '[EVT-3a] does not change a delivery that is already enqueued',
      withStore(open, async (store) => {
        const [first] = await enqueueDeliveries(store);
        await store.deliveries.claim(20, 100, 10);
        await store.deliveries.settle('b', first, { kind: 'succeeded' });
        await store.deliveries.enqueue(first, ['a', 'b', 'c'], 5);
        assert.deepEqual(describeDeliveries(await store.deliveries.claim(30, 100, 10)), ['c p1 0']);
      }),
    );
  });

  describe(`${name}: the store`, () => {
    it(
      '[PAGE-6] stores one secret of 32 bytes',
      withStore(open, async (store) => {
        const secret = await store.secret();
        assert.equal(secret.byteLength, 32);
        assert.deepEqual(await store.secret(), secret);
      }),
    );

    it(
      '[CACHE-1] stays in a cache epoch while its name stays, and never returns to an earlier one',
      withStore(open, async (store) => {
        const first = await store.cacheEpoch('one', 10);
        assert.equal(first.since, 10);
        assert.deepEqual(await store.cacheEpoch('one', 20), first);
        assert.equal((await store.cacheEpoch('two', 30)).since, 30);
        assert.equal((await store.cacheEpoch('one', 40)).since, 40);
      }),
    );

    it(
      '[OPS-2a] answers a ping while it is open, and rejects it when closed',
      withStore(open, async (store) => {
        await store.ping();
        await store.close();
        await assert.rejects(async () => store.ping());
      }),
    );
  });
}
