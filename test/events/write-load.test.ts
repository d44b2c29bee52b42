import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeliveryPace } from '../../src/events/delivery-pace.ts';
import { WriteLoad } from '../../src/events/write-load.ts';

/** A load with a clock and a utilization that the test sets. */
function scene(utilization: number) {
  let time = 0;
  const elapsed = (): number => time;
  const load = new WriteLoad({ elapsed, utilization: () => utilization });
  return {
    load,
    elapsed,
    advance: (milliseconds: number) => void (time += milliseconds),
    commit(count: number) {
      for (let index = 0; index < count; index += 1) load.committed();
    },
  };
}

/** The number of attempts that start within some milliseconds, where there is always one to start. */
function startsWithin(
  milliseconds: number,
  at: ReturnType<typeof scene>,
  busyRate: number | null,
  commits = 5,
): number {
  const pace = new DeliveryPace({ ...at, busyRate });
  let starts = 0;
  for (let passed = 0; passed < milliseconds; passed += 1) {
    at.commit(commits);
    at.advance(1);
    for (let count = 0; count < 10 && pace.wait === 0; count += 1) {
      pace.started();
      starts += 1;
    }
  }
  return starts;
}

describe('the load of a process by writes', () => {
  const cases: readonly (readonly [utilization: number, commits: number, isHigh: boolean])[] = [
    [1, 50, true],
    [0.5, 50, false],
    // Deliveries alone use the time.
    [1, 1, false],
  ];
  for (const [utilization, commits, isHigh] of cases) {
    it(`is ${isHigh ? '' : 'not '}high at a utilization of ${utilization} with ${commits} commits in 100 ms`, () => {
      const at = scene(utilization);
      at.commit(commits);
      assert.equal(at.load.isHigh, false);
      at.advance(100);
      assert.equal(at.load.isHigh, isHigh);
      at.advance(100);
      assert.equal(at.load.isHigh, false);
    });
  }
});

describe('the pace of deliveries', () => {
  it('is limited while writes need the time of the process, so that they cost writes little', () => {
    const starts = startsWithin(1_000, scene(1), 400);
    // In the first 50 ms, nothing is measured yet.
    assert.ok(starts >= 490 + 370 && starts <= 490 + 390, String(starts));
  });

  it('is one for ten writes where writes are slow', () => {
    const starts = startsWithin(1_000, scene(1), 400, 1);
    assert.ok(starts >= 490 + 92 && starts <= 490 + 100, String(starts));
  });

  it('is not limited while the process has time, nor for a subscriber that costs nothing', () => {
    assert.equal(startsWithin(1_000, scene(0.5), 400), 10_000);
    assert.equal(startsWithin(1_000, scene(1), null), 10_000);
  });
});
