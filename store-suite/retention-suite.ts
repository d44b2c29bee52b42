import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DeliveryPlan, type ReaderProgress, RETENTION_READER } from '../src/plan/delivery-plan.ts';
import type { ExpiryQuery, Store } from '../src/stores/store.ts';
import { type OpenStore, withStore } from './open-store.ts';
import { commit, createProduct, eventDraft } from './sample-writes.ts';

const EVER: ExpiryQuery = { before: 0, now: 1_000_000, maxRows: null };

/** Writes events, all at one time: milliseconds since the epoch. */
async function writeEvents(store: Store, count: number, at: number): Promise<void> {
  const first = await store.events.lastSequence();
  const plans = Array.from({ length: count }, (_, index) => {
    const draft = eventDraft('created', 'products', `p${first + index}`);
    const payload = { ...draft.payload, timestamp: new Date(at).toISOString() };
    return { ...createProduct(`p${first + index}`), event: { ...draft, payload } };
  });
  await commit(store, ...plans);
}

function progress(sequence: number, changes: Partial<ReaderProgress> = {}): ReaderProgress {
  return { reader: RETENTION_READER, owner: 'me', until: 200, sequence, positions: [], ...changes };
}

/** Removes a step as the one that has the lease. */
async function remove(store: Store, through: number, plan: DeliveryPlan = {}): Promise<string> {
  const found = await store.deliveries.reader(RETENTION_READER);
  assert.ok(found !== null);
  const taken = { reader: RETENTION_READER, owner: 'me', until: 100 };
  if (found.lease.owner !== 'me') assert.equal(await store.deliveries.lease(found.lease, taken), true);
  const delivery = { progress: progress(through), removeThrough: through, ...plan };
  return (await store.writes.commit({ plans: [], delivery })).kind;
}

/** Removes all that is expired. @returns the ends of the steps */
async function removeAll(store: Store, query: Partial<ExpiryQuery>): Promise<number[]> {
  const steps: number[] = [];
  for (;;) {
    const through = await store.events.nextExpired({ ...EVER, ...query });
    if (through === null) return steps;
    assert.equal(await remove(store, through), 'committed');
    steps.push(through);
  }
}

async function firstSequence(store: Store): Promise<number | null> {
  const [first] = await store.events.list({ after: 0, limit: 1 });
  return first?.sequence ?? null;
}

export function retentionSuite(name: string, open: OpenStore): void {
  describe(`${name}: the removal of events`, () => {
    it(
      '[EVT-8c] removes by age, up to the last event, and says how far',
      withStore(open, async (store) => {
        await writeEvents(store, 3_000, 1_000);
        assert.deepEqual(await store.events.range(), { removed: 0, last: 3_000, since: 1_000 });
        assert.equal(await store.events.nextExpired({ ...EVER, before: 1_000 }), null);
        const steps = await removeAll(store, { before: 1_001 });
        assert.equal(steps.at(-1), 3_000);
        assert.ok(steps.length > 1, 'in steps');
        assert.deepEqual(await store.events.range(), { removed: 3_000, last: 3_000, since: null });
        assert.equal(await firstSequence(store), null);
        await writeEvents(store, 1, 2_000);
        assert.equal(await firstSequence(store), 3_001);
        assert.deepEqual(await store.events.range(), { removed: 3_000, last: 3_001, since: 2_000 });
        assert.equal((await store.events.list({ after: 0, limit: 9, from: 2_000 })).length, 1);
        assert.equal(await store.events.nextExpired({ ...EVER, before: 2_000 }), null);
        assert.equal(await store.events.nextExpired({ ...EVER, before: 2_001 }), 3_001);
      }),
    );

    it(
      '[EVT-8c] removes by number, and leaves at least so many',
      withStore(open, async (store) => {
        await writeEvents(store, 5_000, 1_000);
        assert.equal(await store.events.nextExpired({ ...EVER, maxRows: 5_000 }), null);
        await removeAll(store, { maxRows: 2_000 });
        const { removed, last } = await store.events.range();
        assert.ok(last - removed >= 2_000 && last - removed < 2_000 + 1_024, `${last - removed}`);
        assert.equal(await firstSequence(store), removed + 1);
        assert.equal((await store.events.list({ after: 0, limit: 10_000 })).length, last - removed);
      }),
    );

    it(
      '[EVT-8c] leaves what the clock of an earlier or later time wrote among newer events',
      withStore(open, async (store) => {
        // A clock that was far behind: what it wrote is not older than the events before it.
        await writeEvents(store, 1_024, 5_000);
        await writeEvents(store, 1_024, 1);
        assert.equal(await store.events.nextExpired({ before: 3_000, now: 9_000, maxRows: null }), null);
        assert.equal(await store.events.nextExpired({ before: 6_000, now: 9_000, maxRows: null }), 1_024);
      }),
    );

    it(
      '[EVT-8c] removes what a clock wrote that was ahead, once the events after it are old',
      withStore(open, async (store) => {
        await writeEvents(store, 1_024, 90_000);
        assert.equal(await store.events.nextExpired({ before: 6_000, now: 9_000, maxRows: null }), null);
        await writeEvents(store, 1_024, 5_000);
        assert.equal(await store.events.nextExpired({ before: 4_000, now: 9_000, maxRows: null }), null);
        assert.equal(await store.events.nextExpired({ before: 6_000, now: 9_000, maxRows: null }), 1_024);
      }),
    );

    it(
      '[EVT-8c] is refused without the lease, and removes nothing',
      withStore(open, async (store) => {
        await writeEvents(store, 10, 1);
        assert.equal(await remove(store, 10, { progress: progress(10, { owner: 'another' }) }), 'stale');
        assert.equal((await store.events.range()).removed, 0);
        assert.equal(await firstSequence(store), 1);
      }),
    );

    it(
      '[EVT-8c] leaves the events that were written meanwhile, in the same transaction too',
      withStore(open, async (store) => {
        await writeEvents(store, 10, 1_000);
        const through = await store.events.nextExpired({ ...EVER, before: 2_000 });
        assert.equal(through, 10);
        await writeEvents(store, 1, 3_000);
        await Promise.all([
          store.writes.commit({ plans: [createProduct('before')] }),
          remove(store, 10),
          store.writes.commit({ plans: [createProduct('after')] }),
        ]);
        const left = await store.events.list({ after: 0, limit: 10, from: 0 });
        assert.deepEqual(
          left.map(({ sequence }) => sequence),
          [11, 12, 13],
        );
        assert.equal((await store.events.find(left[1]?.event.id ?? ''))?.sequence, 12);
        assert.equal((await store.events.list({ after: 0, limit: 10, types: ['created'] })).length, 3);
      }),
    );
  });

  describe(`${name}: the removal of deliveries`, () => {
    const delivery = (sequence: number, state: 'waiting' | 'succeeded' | 'dead', due: number) =>
      ({ reader: 'r', endpoint: 'e', sequence, state, attempts: 1, due, resource: null }) as const;

    it(
      '[EVT-8c] names those of removed events, and those that succeeded long ago',
      withStore(open, async (store) => {
        const deliveries = [delivery(1, 'waiting', 9), delivery(2, 'dead', 1), delivery(3, 'succeeded', 5)];
        await store.writes.commit({ plans: [], delivery: { deliveries } });
        const names = async (through: number, succeededBefore: number, limit = 9): Promise<readonly number[]> => {
          const found = await store.deliveries.expired({ readers: ['r'], through, succeededBefore, limit });
          return found.map(({ sequence }) => sequence);
        };
        assert.deepEqual(await names(0, 5), []);
        assert.deepEqual(await names(0, 6), [3]);
        assert.deepEqual(await names(2, 5), [1, 2]);
        assert.deepEqual(await names(2, 5, 1), [1]);
        const cleared = await store.deliveries.expired({ readers: [], through: 2, succeededBefore: 6, limit: 9 });
        // One that has another state by now stays.
        const changed = { deliveries: [delivery(2, 'waiting', 9)] };
        await store.writes.commit({ plans: [], delivery: changed });
        await store.writes.commit({ plans: [], delivery: { cleared } });
        const left = await store.deliveries.list({ endpoint: 'e', limit: 9 });
        assert.deepEqual(
          left.map(({ sequence }) => sequence),
          [2],
        );
      }),
    );

    it(
      '[EVT-8c] does not name those for which later events wait, where their reader runs',
      withStore(open, async (store) => {
        const ordered = (['waiting', 'held', 'dead', 'succeeded'] as const).map((state, index) => ({
          ...delivery(index + 1, 'waiting', 9),
          state,
          resource: 'product/a',
        }));
        await store.writes.commit({ plans: [], delivery: { deliveries: ordered } });
        for (const [readers, sequences] of [
          [
            ['other', 'r'],
            [3, 4],
          ],
          [['other'], [1, 2, 3, 4]],
        ] as const) {
          const found = await store.deliveries.expired({ readers, through: 9, succeededBefore: 0, limit: 9 });
          assert.deepEqual(
            found.map(({ sequence }) => sequence),
            sequences,
          );
        }
      }),
    );

    it(
      '[EVT-8c] knows whether any reader or subscription is behind',
      withStore(open, async (store) => {
        assert.equal(await store.deliveries.isBehind(1), false);
        await store.deliveries.register('r', []);
        await writeEvents(store, 2, 1);
        assert.equal(await store.deliveries.isBehind(2), true);
        assert.equal(await store.deliveries.isBehind(0), false);
      }),
    );
  });
}
