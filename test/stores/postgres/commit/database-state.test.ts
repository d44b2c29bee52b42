import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  countChanges,
  type DatabaseState,
  hasSameCommits,
  includesState,
  joinStates,
  NO_STATE,
  readState,
} from '../../../../src/stores/postgres/commit/database-state.ts';
import { runs } from '../../../extent.ts';

/** A state of few slots with few changes, so that some include others. Slots without changes are left out, or not. */
const state: fc.Arbitrary<DatabaseState> = fc
  .uniqueArray(fc.tuple(fc.nat(3), fc.nat(3)), { selector: ([slot]) => slot, maxLength: 4 })
  .map((pairs) => ({ server: 'one', slots: new Map(pairs) }));

/** The changes of each slot, by another way than the states compare them. */
function listChanges({ slots }: DatabaseState): readonly number[] {
  return [0, 1, 2, 3].map((slot) => slots.get(slot) ?? 0);
}

function checkLaw(law: (one: DatabaseState, other: DatabaseState, third: DatabaseState) => void): void {
  fc.assert(fc.property(state, state, state, law), { numRuns: runs(500, 5_000) });
}

describe('the states of a database', () => {
  it('[law] [OPS-5] include those that have no more of any slot', () => {
    checkLaw((one, other) => {
      const [more, fewer] = [listChanges(one), listChanges(other)];
      assert.equal(
        includesState(one, other),
        fewer.every((changes, slot) => changes <= (more[slot] ?? 0)),
      );
    });
  });

  it('[law] [OPS-5] are partially ordered', () => {
    checkLaw((one, other, third) => {
      assert.ok(includesState(one, one));
      assert.ok(includesState(one, NO_STATE));
      if (includesState(one, other) && includesState(other, third)) assert.ok(includesState(one, third));
      assert.equal(includesState(one, other) && includesState(other, one), hasSameCommits(one, other));
    });
  });

  it('[law] [OPS-5] are the same in both directions, and for each that is the same', () => {
    checkLaw((one, other, third) => {
      assert.ok(hasSameCommits(one, one));
      assert.ok(hasSameCommits(one, { ...one, server: 'two' }), 'whatever server shows them');
      assert.equal(hasSameCommits(one, other), hasSameCommits(other, one));
      assert.equal(hasSameCommits(one, other), listChanges(one).join() === listChanges(other).join());
      if (hasSameCommits(one, other)) assert.equal(hasSameCommits(one, third), hasSameCommits(other, third));
    });
  });

  it('[law] [OPS-5] have a join, the least state that includes both', () => {
    checkLaw((one, other, third) => {
      const join = joinStates(one, other);
      assert.ok(includesState(join, one) && includesState(join, other));
      if (includesState(third, one) && includesState(third, other)) assert.ok(includesState(third, join));
      const greatest = listChanges(one).map((changes, slot) => Math.max(changes, listChanges(other)[slot] ?? 0));
      assert.deepEqual(listChanges(join), greatest);
      assert.equal(
        countChanges(join),
        greatest.reduce((sum, each) => sum + each),
      );
    });
  });

  it('[law] [OPS-5] are joined in any order and grouping, any number of times', () => {
    checkLaw((one, other, third) => {
      assert.ok(hasSameCommits(joinStates(one, other), joinStates(other, one)));
      assert.ok(hasSameCommits(joinStates(joinStates(one, other), third), joinStates(one, joinStates(other, third))));
      assert.ok(hasSameCommits(joinStates(one, one), one));
      assert.ok(hasSameCommits(joinStates(one, NO_STATE), one));
      assert.equal(includesState(one, other), hasSameCommits(joinStates(one, other), one));
    });
  });

  it('[law] [OPS-5] are left as they are by a join', () => {
    checkLaw((one, other) => {
      const before = [one, other].map((each) => structuredClone(each));
      joinStates(one, other);
      assert.deepEqual([one, other], before);
    });
  });

  it('[law] [OPS-5] are read from a row', () => {
    checkLaw((one) => {
      const slots = [...one.slots].filter(([, changes]) => changes > 0).map((pair) => pair.join(':'));
      const row = { server: 'one', slots: slots.length === 0 ? null : slots.join(',') };
      assert.ok(hasSameCommits(readState(row), one));
      assert.equal(readState(row).server, 'one');
    });
  });

  it('[OPS-5] are read without a row as the one that has nothing', () => {
    assert.deepEqual(readState(null), NO_STATE);
  });
});
