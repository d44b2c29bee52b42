import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeliveryBudget, type Speed } from '../../src/events/delivery-budget.ts';

/** Takes places for owners in turn until there are none. @returns how many each has taken */
function takeAll(
  budget: DeliveryBudget,
  { speed, owners, isContended = false }: { speed: Speed; owners: readonly string[]; isContended?: boolean },
): readonly number[] {
  const taken = owners.map(() => 0);
  for (let before = -1; before < budget.used; ) {
    before = budget.used;
    for (const [index, owner] of owners.entries()) {
      if (!budget.admits({ speed, owner }, isContended)) continue;
      budget.take({ speed, owner });
      taken[index] = (taken[index] ?? 0) + 1;
    }
  }
  return taken;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

const MANY = Array.from({ length: 1_000 }, (_, index) => `owner ${index}`);

describe('the concurrent deliveries of a process', () => {
  it('[EVT-6c] are 256, of which at most 128 are to slow endpoints, and 192 to those that are not quick', () => {
    const budget = new DeliveryBudget();
    const taken = (['slow', 'unknown', 'quick'] as const).map((speed) => sum(takeAll(budget, { speed, owners: MANY })));
    assert.deepEqual([...taken, budget.used], [128, 64, 64, 256]);
    assert.equal(sum(takeAll(new DeliveryBudget(), { speed: 'quick', owners: MANY })), 256);
  });

  it('[EVT-6c] leave a place for another owner, however many those have that there are', () => {
    for (const speed of ['quick', 'unknown', 'slow'] as const)
      for (const count of [1, 2, 20, 60]) {
        const budget = new DeliveryBudget();
        const taken = takeAll(budget, { speed, owners: MANY.slice(0, count) });
        assert.ok(Math.max(...taken) - Math.min(...taken) <= 1, taken.join());
        assert.ok(budget.admits({ speed, owner: 'another' }, true), `${speed} beside ${count}`);
      }
  });

  it('[EVT-6c] are at most an eighth to one owner while others wait', () => {
    const budget = new DeliveryBudget();
    assert.deepEqual(takeAll(budget, { speed: 'quick', owners: ['a', 'b'], isContended: true }), [32, 32]);
    assert.deepEqual(takeAll(budget, { speed: 'quick', owners: ['a'] }), [80]);
  });

  it('[EVT-6c] are free again once they are released, for what they were taken', () => {
    const budget = new DeliveryBudget();
    takeAll(budget, { speed: 'slow', owners: MANY });
    assert.equal(budget.isCrowded, false);
    budget.release({ speed: 'slow', owner: 'owner 0' });
    assert.deepEqual(takeAll(budget, { speed: 'slow', owners: MANY.slice(0, 1) }), [1]);
    takeAll(budget, { speed: 'quick', owners: MANY });
    assert.deepEqual([budget.used, budget.isCrowded, budget.isFull('quick')], [256, true, true]);
  });
});
