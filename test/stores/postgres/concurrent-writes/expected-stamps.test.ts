import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WriteUnit } from '../../../../src/plan/write-unit.ts';
import { commit, createProduct, createSupplier } from '../../../../store-suite/sample-writes.ts';
import { FAULTS, NO_FAULT } from './faults.ts';
import { assertFound, doneOrBlocked, logged, type RelayedStore, storeAt, withRig } from './rig.ts';
import type { Rewrite } from './statement-relay.ts';

/** A unit that creates a row of a resource if another one is as it is now. */
async function expecting({ store }: RelayedStore, resource: 'products' | 'suppliers'): Promise<WriteUnit> {
  const [stamp = 0] = await store.stamps.resourceStamps([resource]);
  const plan = resource === 'products' ? createSupplier('s') : createProduct('p');
  return { plans: [logged(plan)], expectStamps: [{ resource, stamp }] };
}

/** Two units each expect unchanged what the other one changes. */
function oneIsRefused(fault: Rewrite): Promise<void> {
  return withRig({ count: 2, faults: [fault, fault] }, async (rig) => {
    const [one, other] = [storeAt(rig, 0), storeAt(rig, 1)];
    const units = [await expecting(one, 'suppliers'), await expecting(other, 'products')];
    const held = one.relay.hold('insert into "products"');
    const first = one.store.writes.commit(units[0] ?? assert.fail());
    await held.reached;
    const second = other.store.writes.commit(units[1] ?? assert.fail());
    await doneOrBlocked(rig, second);
    held.release();
    assert.deepEqual([(await first).kind, (await second).kind].sort(), ['committed', 'stale']);
  });
}

/** A unit expects a resource unchanged that is changed after its check. */
function isRefusedOrEarlier(fault: Rewrite): Promise<void> {
  return withRig({ count: 2, faults: [fault, fault] }, async (rig) => {
    const [one, other] = [storeAt(rig, 0), storeAt(rig, 1)];
    const unit = await expecting(one, 'suppliers');
    const held = one.relay.hold('insert into "products"');
    const first = one.store.writes.commit(unit);
    await held.reached;
    const second = commit(other.store, logged(createSupplier('s')));
    await doneOrBlocked(rig, second);
    held.release();
    await Promise.all([first, second]);
    const log = await other.store.events.after(0, 100);
    const ids = log.map(({ payload }) => payload.resource.id);
    assert.deepEqual(ids, (await first).kind === 'committed' ? ['p', 's'] : ['s']);
  });
}

describe('a unit that expects a resource unchanged', () => {
  it('[CACHE-3] is refused where another one committed that expects its own resource unchanged', () =>
    oneIsRefused(NO_FAULT));

  it('[CACHE-3] would be committed with it if resources were not locked', () =>
    assertFound(oneIsRefused(FAULTS.noPartLocks)));

  it('[CACHE-3] is committed before the change, or refused', () => isRefusedOrEarlier(NO_FAULT));
});
