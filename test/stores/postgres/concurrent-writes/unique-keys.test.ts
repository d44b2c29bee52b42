import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commit, createSupplier, remove } from '../../../../store-suite/sample-writes.ts';
import { assertFound, doneOrBlocked, dropRules, logged, storeAt, storeShapes, withRig } from './rig.ts';

/** @param isPlanted true where the key is not unique in the database */
function haveOneWinner(isPlanted: boolean): Promise<void> {
  return withRig({ count: 2 }, async (rig) => {
    if (isPlanted) await dropRules(rig, 'suppliers');
    const [one, other] = [storeAt(rig, 0), storeAt(rig, 1)];
    await storeShapes(one.store, createSupplier('other'));
    const held = one.relay.hold('update restwright_slots');
    const first = one.store.writes.commit({ plans: [logged(createSupplier('a', 'name'))] });
    await held.reached;
    const second = other.store.writes.commit({ plans: [logged(createSupplier('b', 'name'))] });
    await doneOrBlocked(rig, second);
    held.release();
    assert.equal((await first).kind, 'committed');
    assert.deepEqual(await second, { kind: 'unique', plan: 0, fields: ['name'] });
  });
}

describe('two stores that create one unique key', () => {
  it('[MET-10] have one winner, and one refusal that names the field', () => haveOneWinner(false));

  it('[MET-10] would have two winners without the index', () => assertFound(haveOneWinner(true)));

  it('[MET-10] have a refusal or a commit, and no error, while the winner deletes its row', () =>
    withRig({ count: 2 }, async (rig) => {
      const [one, other] = [storeAt(rig, 0), storeAt(rig, 1)];
      for (const [at, moment] of [
        /^rollback to savepoint unit$/,
        /^select 1 from "suppliers" where .*"name" =/,
      ].entries()) {
        const name = `name ${at}`;
        const [revision = 0] = await commit(one.store, logged(createSupplier(`a${at}`, name)));
        // The unit failed, and runs again alone.
        const alone = other.relay.hold(/^savepoint unit$/);
        const created = other.store.writes.commit({ plans: [logged(createSupplier(`b${at}`, name))] });
        await alone.reached;
        const held = other.relay.hold(moment);
        alone.release();
        await held.reached;
        await commit(one.store, logged(remove('suppliers', `a${at}`, revision)));
        held.release();
        assert.equal((await created).kind, 'committed');
      }
    }));
});
