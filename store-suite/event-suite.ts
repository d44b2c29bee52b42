import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { envelope } from '../src/conventions/events/event.ts';
import type { Store } from '../src/stores/store.ts';
import { type OpenStore, withStore } from './open-store.ts';
import { commit, createProduct, eventDraft, remove, update } from './sample-writes.ts';

async function readSequences(store: Store, after = 0, limit = 1_000): Promise<readonly number[]> {
  return (await store.events.after(after, limit)).map(({ metadata }) => Number(metadata.sequence));
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
      '[EVT-8a] names the types of the events of a window, each once',
      withStore(open, async (store) => {
        const [first = 0] = await commit(store, createProduct('a'), createProduct('b'));
        await commit(store, update('products', 'a', first, { stock: 1 }));
        await commit(store, remove('products', 'b', first + 1));
        const [one = 0, two = 0, three = 0, last = 0] = await readSequences(store);
        assert.deepEqual((await store.events.types(0, last)).toSorted(), ['created', 'deleted', 'updated']);
        assert.deepEqual(await store.events.types(0, two), ['created']);
        assert.deepEqual(await store.events.types(two, three), ['updated']);
        assert.deepEqual(await store.events.types(last, last + 9), []);
        assert.deepEqual(await store.events.types(one, one), []);
      }),
    );

    it(
      '[EVT-3b] reads the events after a sequence, up to a limit',
      withStore(open, async (store) => {
        await commit(store, createProduct('a'), createProduct('b'), createProduct('c'));
        const [first = 0, second, third = 0] = await readSequences(store);
        assert.deepEqual(await readSequences(store, first, 1), [second]);
        assert.deepEqual(await readSequences(store, first), [second, third]);
        assert.deepEqual(await readSequences(store, third), []);
        const [logged] = await store.events.list({ after: first, limit: 1 });
        assert.deepEqual(logged?.sequence, second);
        const looked = await store.events.lookup([third, first, third + 1]);
        assert.deepEqual(
          looked.map(({ sequence }) => sequence),
          [first, third],
        );
        assert.equal(await store.events.lastSequence(), third);
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
