import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commit, createProduct, createSupplier, remove } from '../../../../store-suite/sample-writes.ts';
import { assertFound, doneOrBlocked, dropRules, logged, storeAt, storeShapes, withRig } from './rig.ts';

/**
 * A row is deleted while another one is written that refers to it.
 *
 * @param isPlanted true where the database does not know references
 */
function refersToRow(isPlanted: boolean): Promise<void> {
  return withRig({ count: 2 }, async (rig) => {
    if (isPlanted) await dropRules(rig, 'products');
    const [one, other] = [storeAt(rig, 0), storeAt(rig, 1)];
    await storeShapes(other.store, createProduct('other'));
    for (const field of ['supplier_id', 'related_ids'] as const) {
      const isLink = field === 'related_ids';
      const target = isLink ? createProduct('target') : createSupplier('target');
      const { resource } = target;
      const [revision = 0] = await commit(other.store, logged(target));
      const held = one.relay.hold('update restwright_slots');
      const values = isLink ? { related_ids: ['target'] } : { supplier_id: 'target' };
      const created = one.store.writes.commit({ plans: [logged(createProduct(`of ${field}`, values))] });
      await held.reached;
      const removed = other.store.writes.commit({ plans: [logged(remove(resource, 'target', revision))] });
      await doneOrBlocked(rig, removed);
      held.release();
      assert.equal((await created).kind, 'committed');
      assert.deepEqual(await removed, { kind: 'dependents', plan: 0 });
    }
  });
}

/** A row is written with a reference to one whose deletion is not committed yet. */
function refersToNoDeletedRow(isPlanted: boolean): Promise<void> {
  return withRig({ count: 2 }, async (rig) => {
    if (isPlanted) await dropRules(rig, 'products');
    const [one, other] = [storeAt(rig, 0), storeAt(rig, 1)];
    await storeShapes(other.store, createProduct('other'));
    await storeShapes(other.store, createSupplier('other'));
    const [revision = 0] = await commit(other.store, logged(createSupplier('s')));
    const held = one.relay.hold('update restwright_slots');
    const removed = one.store.writes.commit({ plans: [logged(remove('suppliers', 's', revision))] });
    await held.reached;
    const created = other.store.writes.commit({ plans: [logged(createProduct('p', { supplier_id: 's' }))] });
    await doneOrBlocked(rig, created);
    held.release();
    assert.equal((await removed).kind, 'committed');
    assert.deepEqual(await created, { kind: 'reference', plan: 0, fields: ['supplier_id'] });
  });
}

describe('a reference, while transactions overlap', () => {
  it('[MET-10] keeps its row, which cannot be deleted', () => refersToRow(false));

  it('[MET-10] would lose its row without foreign keys', () => assertFound(refersToRow(true)));

  it('[MET-10] is refused where its row is being deleted', () => refersToNoDeletedRow(false));

  it('[MET-10] would be kept without foreign keys', () => assertFound(refersToNoDeletedRow(true)));
});
