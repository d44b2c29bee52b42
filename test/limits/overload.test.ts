import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { monitorDelay, type OverloadMonitor, monitorOverload } from '../../src/limits/overload.ts';
import type { Observation } from '../../src/observe/observation.ts';

/** Milliseconds between two checks during an overload. */
const CHECK_INTERVAL = 250;

interface Monitored {
  readonly monitor: OverloadMonitor;
  readonly load: { delay: number; iteration: number | null; waiting: number };
  readonly observed: readonly Observation[];
}

function monitored(): Monitored {
  const load: Monitored['load'] = { delay: 0, iteration: null, waiting: 0 };
  const observed: Observation[] = [];
  const monitor = monitorOverload({
    limits: { eventLoopDelay: 100, queueDepth: 40 },
    delay: () => load.delay,
    recordRequest: () => load.iteration,
    queuedWrites: () => load.waiting,
    observe: (observation) => observed.push(observation),
  });
  return { monitor, load, observed };
}

describe('overload', () => {
  for (const [delay, waiting, reason] of [
    [0, 0, null],
    [100, 40, null],
    [100.6, 0, 'the event loop is delayed by 101 ms'],
    [0, 41, '41 writes are queued'],
    [Number.NaN, 0, null],
  ] as const) {
    it(`[LIM-3] is ${reason ?? 'not reported'} at ${delay} ms and ${waiting} writes`, () => {
      const { monitor, load } = monitored();
      Object.assign(load, { delay, waiting });
      assert.deepEqual([monitor.overloaded(1), monitor.reason()], [reason !== null, reason]);
      monitor.close();
    });
  }

  it('[LIM-3] ends only when both values are well below their limits', (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const { monitor, load } = monitored();
    const overloadedAt = (delay: number): boolean => {
      load.delay = delay;
      return monitor.overloaded(1);
    };
    assert.deepEqual([101, 99, 76, 75, 76].map(overloadedAt), [true, true, true, false, true]);
    load.delay = 75;
    context.mock.timers.tick(CHECK_INTERVAL * 2);
    assert.deepEqual([76, 100].map(overloadedAt), [false, false]);
    load.delay = 101;
    monitor.overloaded(1);
    Object.assign(load, { delay: 0, waiting: 31 });
    assert.equal(monitor.overloaded(1), true);
    monitor.close();
  });

  it('[LIM-3] is reported when it begins and when it ends, not in between', (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const { monitor, load, observed } = monitored();
    for (const waiting of [0, 41, 60, 0, 41, 10, 0]) {
      load.waiting = waiting;
      monitor.overloaded(1);
    }
    context.mock.timers.tick(CHECK_INTERVAL);
    assert.equal(observed.length, 1, 'requests were rejected meanwhile');
    context.mock.timers.tick(CHECK_INTERVAL);
    assert.deepEqual(observed, [
      { kind: 'overload', overloaded: true, reason: '41 writes are queued' },
      { kind: 'overload', overloaded: false, reason: null },
    ]);
  });

  it('[LIM-3] is reported as over even without requests', (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const { monitor, load, observed } = monitored();
    load.delay = 500;
    monitor.overloaded(1);
    load.delay = 0;
    context.mock.timers.tick(CHECK_INTERVAL * 2);
    assert.deepEqual([observed.length, monitor.reason()], [2, null]);
  });

  it('[LIM-3] rejects requests after half the limit in one iteration, and accepts those of the next', () => {
    const { monitor, load } = monitored();
    const rejected = [null, 50, 51, 80, 0, 30, 38].map((iteration) => {
      load.iteration = iteration;
      return monitor.overloaded(1);
    });
    assert.deepEqual(
      rejected,
      [false, false, true, true, false, false, true],
      'three quarters of it during an overload',
    );
    monitor.close();
  });

  it('[LIM-3] uses the duration of the iteration, not the measured delay, for many requests in one iteration', () => {
    const { monitor, load } = monitored();
    Object.assign(load, { delay: 500, iteration: 10 });
    assert.equal(monitor.overloaded(1), false);
    load.iteration = null;
    assert.equal(monitor.overloaded(1), true);
    monitor.close();
  });

  it('[LIM-3] reports begin and end alternately, whatever the load', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(200), fc.nat(80))), (loads) => {
        const { monitor, load, observed } = monitored();
        for (const [delay, waiting] of loads) {
          Object.assign(load, { delay, waiting });
          if (delay > 100 || waiting > 40) assert.equal(monitor.overloaded(1), true);
          else if (delay <= 75 && waiting <= 30) assert.equal(monitor.overloaded(1), false);
        }
        monitor.close();
        for (const [index, observation] of observed.entries()) {
          assert.ok(observation.kind === 'overload');
          assert.equal(observation.overloaded, index % 2 === 0);
        }
      }),
    );
  });

  it('[LIM-3] is never reported after close', () => {
    const { monitor, load, observed } = monitored();
    load.delay = 500;
    monitor.close();
    assert.deepEqual([monitor.overloaded(1), monitor.reason(), observed], [false, null, []]);
  });
});

describe('monitorDelay', () => {
  /** Shares of an interval in which this thread had the processor, and the delay that results from a mean of 800 ms. */
  for (const [title, share, expected] of [
    ['counts in full where this thread used the processor', 1, 800],
    ['counts by its share of a processor that other programs use, too', 0.1, 80],
    ['is none where other programs or the disk kept this thread from running', 0, 0],
    ['never counts more than once', 1.2, 800],
  ] as const) {
    it(`[LIM-3] ${title}`, (context) => {
      context.mock.timers.enable({ apis: ['setInterval'] });
      const at = { now: 1_000, cpu: 70 };
      let closed = false;
      const record = () => ({ read: () => 800, close: () => void (closed = true) });
      const monitor = monitorDelay({ now: () => at.now, cpu: () => at.cpu, record });
      assert.equal(monitor.read(), 0, 'before the first interval is over');
      for (let interval = 0; interval < 3; interval += 1) {
        at.now += 900;
        at.cpu += 900 * share;
        context.mock.timers.tick(500);
        assert.equal(Math.round(monitor.read()), expected);
      }
      monitor.close();
      assert.equal(closed, true);
    });
  }
});
