import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeliveryPace } from '../../src/events/delivery-pace.ts';
import { WriteLoad } from '../../src/events/write-load.ts';

/** A load with a clock and a utilization that the test sets. */
function scene(utilization: number | (() => number)) {
  let time = 0;
  const elapsed = (): number => time;
  const used = typeof utilization === 'number' ? () => utilization : utilization;
  const load = new WriteLoad({ elapsed, utilization: used });
  return {
    load,
    elapsed,
    advance: (milliseconds: number) => void (time += milliseconds),
    commit(count: number) {
      for (let index = 0; index < count; index += 1) load.committed();
    },
  };
}

interface Paced {
  readonly pace: DeliveryPace;
  /**
   * Passes some milliseconds with writes, where there is always an attempt to start: at most four in a millisecond.
   *
   * @returns the number of attempts that started
   */
  readonly pass: (milliseconds: number, writesPerMillisecond?: number) => number;
}

function paced(at: ReturnType<typeof scene>, busyRate: number | null = 200): Paced {
  const pace = new DeliveryPace({ ...at, busyRate });
  return {
    pace,
    pass(milliseconds, writesPerMillisecond = 5) {
      let starts = 0;
      for (let passed = 0; passed < milliseconds; passed += 1) {
        at.commit(writesPerMillisecond);
        at.advance(1);
        for (let count = 0; count < 4 && pace.wait === 0; count += 1) {
          pace.started();
          starts += 1;
        }
      }
      return starts;
    },
  };
}

describe('the load of a process by writes', () => {
  const cases: readonly (readonly [utilization: number, commits: number, isWriting: boolean, isSaturated: boolean])[] =
    [
      [1, 50, true, true],
      [0.5, 50, true, false],
      // Deliveries alone use the time.
      [1, 1, false, true],
    ];
  for (const [utilization, commits, isWriting, isSaturated] of cases) {
    it(`is measured: ${commits} commits in 100 ms at a utilization of ${utilization}`, () => {
      const at = scene(utilization);
      at.commit(commits);
      assert.deepEqual(at.load.last, { writes: 0, isWriting: false, isSaturated: false });
      at.advance(100);
      assert.deepEqual(at.load.last, { writes: commits * 10, isWriting, isSaturated });
      assert.equal(at.load.last, at.load.last);
      at.advance(100);
      assert.equal(at.load.last.writes, 0);
    });
  }
});

describe('the pace of deliveries', () => {
  it('falls to a twentieth of the writes while they need the time of the process, and to a number', () => {
    for (const [writesPerMillisecond, rate] of [
      [5, 200],
      [2, 100],
    ] as const) {
      const { pass } = paced(scene(1));
      pass(1_000, writesPerMillisecond);
      const starts = pass(1_000, writesPerMillisecond);
      assert.ok(Math.abs(starts - rate) <= rate * 0.05, `${writesPerMillisecond}: ${starts}`);
    }
  });

  it('is no limit while the process has time, nor for a subscriber that costs nothing', () => {
    for (const { pace, pass } of [paced(scene(0.5)), paced(scene(1), null)]) {
      assert.equal(pass(1_000), 4_000);
      assert.equal(pace.isLimited, false);
    }
  });

  it('follows the time that writes leave: deliveries that use all of it do not stop themselves', () => {
    // Writes take half of the time, and an attempt 0.25 ms.
    let starts = 0;
    const at = scene(() => {
      const used = 0.5 + (starts * 0.25) / 50;
      starts = 0;
      return Math.min(1, used);
    });
    const { pass } = paced(at);
    let total = 0;
    for (let passed = 0; passed < 2_000; passed += 1) {
      const started = pass(1, 1);
      starts += started;
      total += started;
    }
    // The half that is left is enough for 2,000 attempts a second.
    assert.ok(total >= 2 * 1_400, String(total));
  });

  it('has no limit as soon as writes end, and grows step by step where they leave time', () => {
    let utilization = 1;
    const at = scene(() => utilization);
    const { pace, pass } = paced(at);
    pass(1_000);
    assert.equal(pace.isLimited, true);
    utilization = 0.6;
    const grown = [pass(50), pass(50), pass(50), pass(50)];
    assert.deepEqual(
      grown,
      grown.toSorted((one, other) => one - other),
    );
    assert.ok((grown.at(-1) ?? 0) >= 4 * (grown[0] ?? 0), grown.join());
    utilization = 1;
    pass(1_000);
    assert.equal(pace.isLimited, true);
    pass(100, 0);
    assert.equal(pace.isLimited, false);
  });
});
