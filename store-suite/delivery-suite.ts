import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeliveryChange, DeliveryPlan, ReaderProgress } from '../src/plan/delivery-plan.ts';
import type { Store } from '../src/stores/store.ts';
import { type OpenStore, withStore } from './open-store.ts';
import { commit, createProduct } from './sample-writes.ts';

const READER = 'r';

async function store(to: Store, delivery: DeliveryPlan): Promise<string> {
  return (await to.writes.commit({ plans: [], delivery })).kind;
}

function waiting(endpoint: string, sequence: number, changes: Partial<DeliveryChange> = {}): DeliveryChange {
  return { reader: READER, endpoint, sequence, state: 'waiting', attempts: 1, due: 10, resource: null, ...changes };
}

/** Registers the reader with the subscriptions `a` and `b`, and leases it to `me` until 100. */
async function leased(to: Store): Promise<void> {
  await to.deliveries.register(READER, ['a', 'b']);
  const found = await to.deliveries.reader(READER);
  assert.ok(found !== null);
  assert.equal(await to.deliveries.lease(found.lease, { reader: READER, owner: 'me', until: 100 }), true);
}

function progress(sequence: number, changes: Partial<ReaderProgress> = {}): ReaderProgress {
  return { reader: READER, owner: 'me', until: 200, sequence, positions: [], ...changes };
}

async function dueSequences(of: Store, endpoint: string, now: number, latest = 1_000): Promise<readonly number[]> {
  const found = await of.deliveries.due({ reader: READER, endpoint, now, latest, limit: 10 });
  return found.map(({ sequence }) => sequence);
}

export function deliverySuite(name: string, open: OpenStore): void {
  describe(`${name}: subscriptions`, () => {
    it(
      '[EVT-3a] starts a new subscription at the end of the log, and leaves a known one where it is',
      withStore(open, async (opened) => {
        const { deliveries } = opened;
        assert.equal(await deliveries.reader(READER), null);
        await commit(opened, createProduct('p1'));
        await deliveries.register(READER, ['a']);
        assert.deepEqual(await deliveries.reader(READER), {
          lease: { reader: READER, owner: '', until: 0 },
          sequence: 1,
        });
        await commit(opened, createProduct('p2'));
        await deliveries.register(READER, ['a', 'b']);
        const positions = await deliveries.positions(['a', 'b', 'c']);
        assert.deepEqual(
          new Map(positions.map((each) => [each.name, each.sequence])),
          new Map([
            ['a', 1],
            ['b', 2],
          ]),
        );
        assert.equal((await deliveries.reader(READER))?.sequence, 1);
      }),
    );

    it(
      '[EVT-3a] starts a subscription after the events of its unit, or after a sequence, and removes one with all its deliveries',
      withStore(open, async (opened) => {
        const starts = [
          { name: 'a', after: 'end' },
          { name: 'b', after: 0 },
        ] as const;
        await opened.writes.commit({ plans: [createProduct('p1'), createProduct('p2')], delivery: { starts } });
        assert.deepEqual(await opened.deliveries.positions(['a']), [{ name: 'a', sequence: 2 }]);
        assert.deepEqual(await opened.deliveries.positions(['b']), [{ name: 'b', sequence: 0 }]);
        await store(opened, { deliveries: [waiting('b', 1)] });
        await store(opened, { ends: ['b'] });
        assert.deepEqual(await opened.deliveries.positions(['a', 'b']), [{ name: 'a', sequence: 2 }]);
        assert.deepEqual(await opened.deliveries.list({ endpoint: 'b', limit: 9 }), []);
        assert.deepEqual(await opened.deliveries.waiting(READER), []);
      }),
    );

    it(
      '[EVT-3a] leases a reader to one process at a time, and stores nothing of one that has lost its lease',
      withStore(open, async (opened) => {
        const { deliveries } = opened;
        await leased(opened);
        const stale = { reader: READER, owner: '', until: 0 };
        assert.equal(await deliveries.lease(stale, { reader: READER, owner: 'other', until: 300 }), false);
        assert.equal(await store(opened, { progress: progress(7), deliveries: [waiting('a', 1)] }), 'committed');
        assert.deepEqual(await deliveries.reader(READER), {
          lease: { reader: READER, owner: 'me', until: 200 },
          sequence: 7,
        });
        const mine = { reader: READER, owner: 'me', until: 200 };
        assert.equal(await deliveries.lease(mine, { reader: READER, owner: 'other', until: 300 }), true);
        assert.equal(await store(opened, { progress: progress(8), deliveries: [waiting('a', 2)] }), 'stale');
        assert.equal((await deliveries.reader(READER))?.sequence, 7);
        assert.deepEqual(await dueSequences(opened, 'a', 50), [1]);
      }),
    );

    it(
      '[EVT-3a] stores positions, and shares the transaction of other units that come in time',
      withStore(open, async (opened) => {
        await leased(opened);
        const lazy = opened.writes.commit({
          plans: [],
          maxDelay: 60_000,
          delivery: {
            progress: progress(3, {
              positions: [
                { name: 'a', sequence: null },
                { name: 'b', sequence: 2 },
              ],
            }),
          },
        });
        await commit(opened, createProduct('p'));
        assert.equal((await lazy).kind, 'committed');
        assert.deepEqual(await opened.deliveries.positions(['a', 'b']), [{ name: 'b', sequence: 2 }]);
        const last = opened.writes.commit({ plans: [], maxDelay: 5, delivery: { progress: progress(4) } });
        assert.equal((await last).kind, 'committed');
        assert.equal((await opened.deliveries.reader(READER))?.sequence, 4);
      }),
    );
  });

  describe(`${name}: deliveries`, () => {
    it(
      '[EVT-6a] finds waiting deliveries that are due, the longest due first, and those that a wrong clock has stored',
      withStore(open, async (opened) => {
        await store(opened, {
          deliveries: [
            waiting('a', 1, { due: 20 }),
            waiting('a', 2, { due: 10 }),
            waiting('a', 3, { due: 30 }),
            waiting('a', 4, { due: 5_000 }),
            waiting('b', 1, { due: 15 }),
            waiting('b', 2, { due: 1, state: 'succeeded' }),
            waiting('b', 3, { due: 1, state: 'dead' }),
            waiting('c', 1, { due: 1, reader: 'other' }),
          ],
        });
        assert.deepEqual(await dueSequences(opened, 'a', 20), [2, 1, 4]);
        assert.deepEqual(await dueSequences(opened, 'a', 9, 9_999), []);
        assert.deepEqual(await dueSequences(opened, 'b', 99), [1]);
        assert.deepEqual(await opened.deliveries.waiting(READER), [
          { endpoint: 'a', due: 10 },
          { endpoint: 'b', due: 15 },
        ]);
        await store(opened, { deliveries: [waiting('a', 2, { due: 70, attempts: 2 })] });
        assert.deepEqual(await dueSequences(opened, 'a', 20), [1, 4]);
      }),
    );

    it(
      '[EVT-3c] holds deliveries of a resource back, and releases the first one',
      withStore(open, async (opened) => {
        const held = { state: 'held', resource: 'product/p' } as const;
        await store(opened, {
          deliveries: [
            waiting('a', 1, { resource: 'product/p' }),
            waiting('a', 2, held),
            waiting('a', 3, held),
            waiting('a', 4, { ...held, resource: 'product/q' }),
            waiting('b', 2, held),
          ],
        });
        assert.deepEqual(await dueSequences(opened, 'a', 99), [1]);
        const openOf = async (...names: readonly string[]): Promise<readonly string[]> =>
          (await opened.deliveries.openResources(READER, names))
            .map(({ endpoint, resource, count }) => `${endpoint} ${resource} ${count}`)
            .toSorted();
        assert.deepEqual(await openOf('a', 'b'), ['a product/p 3', 'a product/q 1', 'b product/p 1']);
        assert.deepEqual(await openOf('b', 'c'), ['b product/p 1']);
        await store(opened, {
          deliveries: [waiting('a', 1, { state: 'succeeded', resource: 'product/p' })],
          releases: [{ endpoint: 'a', resource: 'product/p', due: 40 }],
        });
        assert.deepEqual(await dueSequences(opened, 'a', 39), []);
        assert.deepEqual(await dueSequences(opened, 'a', 40), [2]);
        assert.deepEqual(await dueSequences(opened, 'b', 99), []);
      }),
    );

    it(
      '[EVT-6a] lists deliveries, the newest event first, by state and by event',
      withStore(open, async (opened) => {
        await store(opened, {
          deliveries: [1, 2, 3].map((sequence) => waiting('a', sequence, sequence === 2 ? { state: 'dead' } : {})),
        });
        const list = async (query: object): Promise<readonly number[]> =>
          (await opened.deliveries.list({ endpoint: 'a', limit: 9, ...query })).map(({ sequence }) => sequence);
        assert.deepEqual(await list({}), [3, 2, 1]);
        assert.deepEqual(await list({ before: 3, limit: 1 }), [2]);
        assert.deepEqual(await list({ states: ['waiting', 'succeeded'] }), [3, 1]);
        const found = await opened.deliveries.list({ endpoint: 'a', sequence: 2, limit: 1 });
        assert.deepEqual(found, [waiting('a', 2, { state: 'dead' })]);
      }),
    );
  });
}
