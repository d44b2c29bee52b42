import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WriteOutcome, WriteUnit } from '../../../../src/plan/write-unit.ts';
import { type Store, WriteOutcomeUnknown } from '../../../../src/stores/store.ts';
import { commit, createProduct, createSupplier, listIds } from '../../../../store-suite/sample-writes.ts';
import { FAULTS, NO_FAULT } from './faults.ts';
import { assertFound, doneOrBlocked, logged, type Rig, storeAt, withRig } from './rig.ts';
import type { Rewrite } from './statement-relay.ts';

const EXPIRES = Date.parse('2100-01-01T00:00:00Z');

/** A request with one idempotency key, which creates a row with an id of the server. */
function request(id: string): WriteUnit {
  const record = { name: 'key', request: 'r', outcome: '{}', expiresAt: EXPIRES };
  return { plans: [logged(createProduct(id))], records: [record] };
}

/** Asserts that the request of the key was made once. @param outcomes of its attempts that were answered */
async function assertOneEffect({ store }: { readonly store: Store }, outcomes: readonly WriteOutcome[]): Promise<void> {
  const rows = await listIds(store, {});
  assert.equal(rows.length, 1);
  const log = await store.events.after(0, 100);
  assert.deepEqual(
    log.map(({ payload }) => payload.resource.id),
    rows,
  );
  const { revisions } = (await store.idempotencyRecords.find('key', 0)) ?? assert.fail('there is no record');
  assert.equal(revisions.length, 1);
  for (const outcome of outcomes)
    if (outcome.kind === 'committed') assert.deepEqual(outcome.revisions, revisions);
    else assert.deepEqual(outcome, { kind: 'recorded', name: 'key' });
}

/** Two stores get the request at the same time: both look for the record before either has stored it. */
function hasOneEffect(fault: Rewrite): Promise<void> {
  return withRig({ count: 2, faults: [fault, fault] }, async (rig) => {
    const [one, other] = [storeAt(rig, 0), storeAt(rig, 1)];
    const held = one.relay.hold('insert into "products"');
    const first = one.store.writes.commit(request('one'));
    await held.reached;
    const second = other.store.writes.commit(request('other'));
    await doneOrBlocked(rig, second);
    held.release();
    await assertOneEffect(other, await Promise.all([first, second]));
  });
}

/** The connection of a store is cut at its commit, and the client repeats its request to another one. */
async function isMadeOnce({ stores }: Rig, cut: 'cutBefore' | 'cutAfter'): Promise<void> {
  const [one, other] = stores;
  assert.ok(one !== undefined && other !== undefined);
  // The first write of a database begins its timeline.
  await commit(one.store, { ...createSupplier('s'), event: null });
  const reached = one.relay[cut](/^commit$/);
  await assert.rejects(one.store.writes.commit(request('one')), WriteOutcomeUnknown);
  await reached;
  const outcome = await other.store.writes.commit(request('other'));
  assert.equal(outcome.kind, cut === 'cutAfter' ? 'recorded' : 'committed');
  await assertOneEffect(other, [outcome, await one.store.writes.commit(request('third'))]);
}

describe('a request with an Idempotency-Key, on two stores', () => {
  it('[MET-12] has one effect where both get it at the same time', () => hasOneEffect(NO_FAULT));

  it('[MET-12] would have two if its name were not locked', () => assertFound(hasOneEffect(FAULTS.noPartLocks)));

  it('[MET-12] has one effect where the answer to a commit is lost', () =>
    withRig({ count: 2 }, (rig) => isMadeOnce(rig, 'cutAfter')));

  it('[MET-12] has one effect where a commit is lost', () =>
    withRig({ count: 2 }, (rig) => isMadeOnce(rig, 'cutBefore')));
});
