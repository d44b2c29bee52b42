import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeliveryBudget } from '../../src/events/delivery-budget.ts';

/** Takes places until there are none. @returns how many */
function takeAll(budget: DeliveryBudget, isFailing: boolean): number {
  let taken = 0;
  while (budget.take(isFailing)) taken += 1;
  return taken;
}

describe('the concurrent deliveries of a process', () => {
  it('[EVT-6c] are 256, of which at most 128 are to subscriptions that fail', () => {
    const budget = new DeliveryBudget();
    assert.deepEqual([takeAll(budget, true), takeAll(budget, false), budget.used], [128, 128, 256]);
    assert.equal(takeAll(new DeliveryBudget(), false), 256);
  });

  it('[EVT-6c] are free again once they are released, for what they were taken', () => {
    const budget = new DeliveryBudget();
    takeAll(budget, true);
    budget.release(true);
    assert.deepEqual([takeAll(budget, true), budget.used], [1, 128]);
    takeAll(budget, false);
    budget.release(false);
    assert.deepEqual([budget.take(true), budget.take(false), budget.used], [false, true, 256]);
  });
});
