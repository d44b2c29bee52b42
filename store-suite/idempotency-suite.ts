import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page, WritePlan } from '../src/plan/plan.ts';
import type { IdempotencyRecord, WriteUnit } from '../src/plan/write-unit.ts';
import type { Store } from '../src/stores/store.ts';
import { type OpenStore, withStore } from './open-store.ts';
import { sampleModel } from './sample-model.ts';
import {
  commit,
  createProduct,
  createReview,
  createSupplier,
  listIds,
  listPlan,
  remove,
  readRow,
  update,
} from './sample-writes.ts';

/** Before the time of any clock. */
const EXPIRED = -1;
/** After the time of any clock. */
const LATER = Number.MAX_SAFE_INTEGER;

function record(name: string, changes: Partial<IdempotencyRecord> = {}): IdempotencyRecord {
  return { name, request: 'digest', outcome: '{"a":"é"}', expiresAt: LATER, ...changes };
}

/** The visible state of a store: rows, totals, events and the bookmark `b`. */
async function snapshot({ rows, events, bookmarks }: Store): Promise<unknown> {
  const collections = [...sampleModel().resources.keys()];
  const pages = await Promise.all(
    collections.map(async (resource) => rows.list(listPlan({ resource, count: { kind: 'exact' } }))),
  );
  return [pages, await events.after(0, 1_000), await bookmarks.get('b')];
}

async function eventTypes({ events }: Store): Promise<readonly string[]> {
  return (await events.after(0, 1_000)).map(({ type }) => type);
}

/** The exact total of products, which the store maintains on writes. */
async function exactTotal({ rows }: Store): Promise<Page['total']> {
  return (await rows.list(listPlan({ count: { kind: 'exact' } }))).total;
}

/** Tests of idempotency records, dry runs, and plans that depend on earlier plans of their unit. */
export function idempotencySuite(name: string, open: OpenStore): void {
  describe(`${name}: idempotency records`, () => {
    it(
      '[MET-12] stores the outcome of a unit with the revisions that it assigned',
      withStore(open, async (store) => {
        const outcome = await store.writes.commit({
          plans: [createProduct('p'), createProduct('q')],
          records: [record('m')],
        });
        assert.ok(outcome.kind === 'committed');
        const { name: _name, ...stored } = record('m');
        assert.deepEqual(await store.idempotencyRecords.find('m', 0), { ...stored, revisions: outcome.revisions });
        assert.equal(await store.idempotencyRecords.find('n', 0), null);
      }),
    );

    it(
      '[MET-12] stores no record of a refused unit, but stores one of a unit without plans',
      withStore(open, async (store) => {
        await commit(store, createProduct('p'));
        const refused = await store.writes.commit({ plans: [createProduct('p')], records: [record('m')] });
        assert.equal(refused.kind, 'exists');
        assert.equal(await store.idempotencyRecords.find('m', 0), null);
        await store.writes.commit({ plans: [], records: [record('m')] });
        assert.deepEqual((await store.idempotencyRecords.find('m', 0))?.revisions, []);
      }),
    );

    it(
      '[MET-12] commits one of several concurrent units with the same record',
      withStore(open, async (store) => {
        const unit: WriteUnit = { plans: [createProduct('p')], records: [record('m')] };
        const outcomes = await Promise.all([store.writes.commit(unit), store.writes.commit(unit)]);
        assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['committed', 'recorded']);
        assert.deepEqual(await store.writes.commit(unit), { kind: 'recorded', name: 'm' });
        assert.equal((await store.events.after(0, 10)).length, 1);
      }),
    );

    it(
      '[MET-12] ignores an expired record, and allows another one with its name',
      withStore(open, async (store) => {
        const expired = record('m', { expiresAt: EXPIRED });
        await store.writes.commit({ plans: [], records: [expired] });
        assert.equal(await store.idempotencyRecords.find('m', 0), null);
        const again = await store.writes.commit({ plans: [], records: [record('m', { outcome: '2' })] });
        assert.equal(again.kind, 'committed');
        assert.equal((await store.idempotencyRecords.find('m', 0))?.outcome, '2');
      }),
    );

    it(
      '[MET-12] purges expired records when new ones are stored',
      withStore(open, async (store) => {
        const old = Array.from({ length: 150 }, (_, index) => record(`old-${index}`, { expiresAt: EXPIRED }));
        await store.writes.commit({ plans: [], records: old });
        for (const each of ['x', 'y']) await store.writes.commit({ plans: [], records: [record(each)] });
        const left = await Promise.all(
          old.map(async ({ name: each }) => store.idempotencyRecords.find(each, EXPIRED - 1)),
        );
        assert.ok(left.every((each) => each === null));
        assert.notEqual(await store.idempotencyRecords.find('x', 0), null);
      }),
    );
  });

  describe(`${name}: dry runs`, () => {
    it(
      '[MET-14] return the outcome of the unit and store nothing',
      withStore(open, async (store) => {
        const [, revision = 0] = await commit(store, createSupplier('s'), createProduct('p'));
        const before = await snapshot(store);
        const plans = [
          createProduct('q', { related_ids: ['p', 'q'] }),
          update('products', 'p', revision, { stock: 9 }),
          createReview('r', 'q'),
          remove('suppliers', 's', 1),
        ];
        const unit = { plans, bookmark: { name: 'b', value: '1' }, records: [record('m')], dry: true };
        const outcome = await store.writes.commit(unit);
        const revisions = outcome.kind === 'committed' ? outcome.revisions : [];
        assert.deepEqual(revisions.slice(-1), [0]);
        // They ascend, and may leave some out.
        assert.ok([revision, ...revisions.slice(0, 3)].every((each, at, all) => at === 0 || each > (all[at - 1] ?? 0)));
        assert.deepEqual(await snapshot(store), before);
        assert.equal(await store.idempotencyRecords.find('m', 0), null);
        const written = await store.writes.commit({ ...unit, dry: false });
        assert.deepEqual([written.kind, outcome.kind], ['committed', 'committed']);
      }),
    );

    it(
      '[MET-14] are refused like the unit',
      withStore(open, async (store) => {
        await commit(store, createProduct('p'));
        assert.equal((await store.writes.commit({ plans: [createProduct('p')], dry: true })).kind, 'exists');
        assert.equal((await store.writes.commit({ plans: [remove('products', 'p', 0)], dry: true })).kind, 'stale');
        await store.writes.commit({ plans: [], records: [record('m')] });
        const again = await store.writes.commit({ plans: [createProduct('q')], records: [record('m')], dry: true });
        assert.deepEqual(again, { kind: 'recorded', name: 'm' });
        assert.deepEqual(await store.writes.commit({ plans: [], dry: true }, EXPIRED), { kind: 'expired' });
      }),
    );

    it(
      '[MET-14] are invisible to concurrent units',
      withStore(open, async (store) => {
        const dry = { plans: [createProduct('p')], dry: true };
        const real = { plans: [createProduct('p', { stock: 2 })] };
        const outcomes = await Promise.all([dry, real, dry].map((unit) => store.writes.commit(unit)));
        assert.deepEqual(
          outcomes.map(({ kind }) => kind),
          ['committed', 'committed', 'exists'],
        );
        assert.equal((await readRow(store, 'products', 'p'))['stock'], 2);
        assert.deepEqual(await listIds(store, {}), ['p']);
      }),
    );
  });

  describe(`${name}: plans that depend on earlier plans of their unit`, () => {
    it(
      '[MET-13] expect the revision that an earlier plan assigns to the row',
      withStore(open, async (store) => {
        const revisions = await commit(
          store,
          createProduct('p'),
          { ...update('products', 'p', 0, { stock: 1 }), revision: { plan: 0 } },
          { ...update('products', 'p', 0, { stock: 2 }), revision: { plan: 1 } },
        );
        const row = await readRow(store, 'products', 'p');
        assert.deepEqual([row['stock'], row.revision], [2, revisions[2]]);
        assert.equal(new Set(revisions).size, 3);
        assert.deepEqual(await eventTypes(store), ['created', 'updated', 'updated']);
        assert.deepEqual(await exactTotal(store), { count: 1, exact: true });
      }),
    );

    it(
      '[MET-13] delete the row that an earlier plan created',
      withStore(open, async (store) => {
        const removal = { ...remove('products', 'p', 0), revision: { plan: 0 } };
        const [created = 0, removed, again = 0] = await commit(store, createProduct('p'), removal, createProduct('p'));
        assert.equal(removed, 0);
        assert.ok(again > created);
        assert.equal((await readRow(store, 'products', 'p')).revision, again);
        assert.deepEqual(await eventTypes(store), ['created', 'deleted', 'created']);
        assert.deepEqual(await exactTotal(store), { count: 1, exact: true });
      }),
    );

    it(
      '[MET-13] are stale if the row was not written by the unit',
      withStore(open, async (store) => {
        await commit(store, createProduct('q'));
        const outcome = await store.writes.commit({
          plans: [createProduct('p'), { ...update('products', 'q', 0, { stock: 1 }), revision: { plan: 0 } }],
        });
        assert.deepEqual(outcome, { kind: 'stale', plan: 1 });
      }),
    );

    const ahead = { ...update('products', 'p', 0, { stock: 1 }), revision: { plan: 1 } };
    const selfReference = { ...update('products', 'p', 0, { stock: 1 }), revision: { plan: 0 } };
    const removal = { ...remove('products', 'p', 0), revision: { plan: 0 } };
    const invalid: readonly (readonly [title: string, plans: readonly WritePlan[]])[] = [
      ['itself', [selfReference]],
      ['a later plan', [createProduct('p'), ahead, createProduct('q')]],
      ['a plan that deleted its row', [createProduct('p'), removal, ahead]],
    ];
    for (const [title, plans] of invalid) {
      it(
        `[MET-13] are rejected as a bug if they depend on ${title}; concurrent units commit`,
        withStore(open, async (store) => {
          const outcomes = await Promise.allSettled([
            store.writes.commit({ plans, records: [record('m')] }),
            store.writes.commit({ plans: [createProduct('other')] }),
          ]);
          assert.deepEqual(
            outcomes.map(({ status }) => status),
            ['rejected', 'fulfilled'],
          );
          assert.deepEqual(await listIds(store, {}), ['other']);
          assert.equal(await store.idempotencyRecords.find('m', 0), null);
        }),
      );
    }
  });
}
