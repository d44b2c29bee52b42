import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commit, createProduct, createSupplier, remove } from '../../../../store-suite/sample-writes.ts';
import { assertFound, logged, storeAt, storeShapes, withRig } from './rig.ts';

/**
 * A unit fails at its second plan. Its first one is run again to find the reason, and fails as well: the row that it
 * refers to was deleted meanwhile.
 *
 * @param isKept true where the row is not deleted
 */
function isRefusedByItsFirstPlan(isKept: boolean): Promise<void> {
  return withRig({ count: 2 }, async (rig) => {
    const [one, other] = [storeAt(rig, 0), storeAt(rig, 1)];
    await storeShapes(other.store, createProduct('other'));
    await commit(other.store, logged(createSupplier('taken')));
    const [revision = 0] = await commit(other.store, logged(createSupplier('s')));
    const alone = one.relay.hold(/^savepoint unit$/);
    const plans = [logged(createProduct('p', { supplier_id: 's' })), logged(createSupplier('t', 'taken'))];
    const outcome = one.store.writes.commit({ plans });
    await alone.reached;
    const undone = one.relay.hold(/^rollback to savepoint unit$/);
    alone.release();
    await undone.reached;
    const again = one.relay.hold('insert into "products"');
    undone.release();
    await again.reached;
    if (!isKept) await commit(other.store, logged(remove('suppliers', 's', revision)));
    again.release();
    assert.deepEqual(await outcome, { kind: 'reference', plan: 0, fields: ['supplier_id'] });
  });
}

describe('the reason for which a unit is refused', () => {
  it('[MET-10] is found again where another store changes the rows of its plans meanwhile', () =>
    isRefusedByItsFirstPlan(false));

  it('[MET-10] would be another one if the rows stayed', () => assertFound(isRefusedByItsFirstPlan(true)));
});
