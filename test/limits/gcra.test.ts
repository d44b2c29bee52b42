import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fullAfterReturning, fullAfterTaking, unitsIn, waitFor } from '../../src/limits/gcra.ts';

const quotas = fc.record({
  requests: fc.integer({ min: 1, max: 1_000_000 }),
  per: fc.integer({ min: 1_000, max: 86_400_000 }),
});
const steps = fc.array(fc.record({ after: fc.nat(5_000), units: fc.integer({ min: 1, max: 3 }) }), { maxLength: 300 });

describe('the generic cell rate algorithm', () => {
  it('[LIM-2a] admits at most the quota and what is refilled, in any time', () => {
    fc.assert(
      fc.property(
        fc.record({ requests: fc.integer({ min: 3, max: 50 }), per: fc.integer({ min: 1_000, max: 60_000 }) }),
        steps,
        (quota, sent) => {
          const taken: { readonly at: number; readonly units: number }[] = [];
          let [now, fullAt] = [1_000, 0];
          for (const { after, units } of sent) {
            now += after;
            if (waitFor(fullAt, now, units, quota) > 0) continue;
            fullAt = fullAfterTaking(fullAt, now, units, quota);
            taken.push({ at: now, units });
          }
          for (const [from, first] of taken.entries()) {
            let sum = 0;
            for (const { at, units } of taken.slice(from)) {
              sum += units;
              const refilled = ((at - first.at) / quota.per) * quota.requests;
              assert.ok(sum <= quota.requests + refilled + 0.01, `${sum} in ${at - first.at} ms`);
            }
          }
        },
      ),
    );
  });

  it('[LIM-2a] admits the whole quota together, and then none until one is refilled', () => {
    fc.assert(
      fc.property(quotas, fc.double({ min: 0, max: 1e9, noNaN: true }), (quota, now) => {
        assert.equal(waitFor(0, now, quota.requests, quota), 0);
        const fullAt = fullAfterTaking(0, now, quota.requests, quota);
        assert.equal(unitsIn(fullAt, now, quota), 0);
        const wait = waitFor(fullAt, now, 1, quota);
        assert.ok(wait > 0);
        assert.equal(waitFor(fullAt, now + wait, 1, quota), 0);
      }),
    );
  });

  it('[LIM-2a] admits every unit of a quota one by one', () => {
    for (const quota of [
      { requests: 7, per: 60_000 },
      { requests: 600, per: 60_000 },
      { requests: 1_000, per: 3_333 },
    ]) {
      let fullAt = 0;
      for (let left = quota.requests; left > 0; left -= 1) {
        assert.equal(unitsIn(fullAt, 987_654.321, quota), left);
        assert.equal(waitFor(fullAt, 987_654.321, 1, quota), 0);
        fullAt = fullAfterTaking(fullAt, 987_654.321, 1, quota);
      }
      assert.ok(waitFor(fullAt, 987_654.321, 1, quota) > 0);
    }
  });

  it('[LIM-2a] has never more after taking, nor less as time passes', () => {
    fc.assert(
      fc.property(quotas, fc.nat(1e9), fc.nat(1e9), fc.nat(1e6), (quota, fullAt, now, later) => {
        assert.ok(unitsIn(fullAfterTaking(fullAt, now, 1, quota), now, quota) <= unitsIn(fullAt, now, quota));
        assert.ok(unitsIn(fullAt, now + later, quota) >= unitsIn(fullAt, now, quota));
        assert.ok(waitFor(fullAt, now + later, 1, quota) <= waitFor(fullAt, now, 1, quota));
      }),
    );
  });

  it('[LIM-2a] is empty at most for its time where the clock goes back', () => {
    fc.assert(
      fc.property(quotas, fc.integer({ min: 1, max: 1e9 }), (quota, back) => {
        const now = 2e9;
        const fullAt = fullAfterTaking(0, now, quota.requests, quota);
        assert.ok(waitFor(fullAt, now - back, quota.requests, quota) <= quota.per);
        const after = fullAfterTaking(fullAt, now - back, 1, quota);
        assert.equal(waitFor(after, now - back + quota.per, quota.requests, quota), 0);
      }),
    );
  });

  it('[LIM-2a] has a unit again that was put back', () => {
    const quota = { requests: 2, per: 60_000 };
    const fullAt = fullAfterTaking(0, 1_000, 2, quota);
    assert.equal(unitsIn(fullAfterReturning(fullAt, 1, quota), 1_000, quota), 1);
  });
});
