import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { monitorDelay, type OverloadMonitor, monitorOverload } from '../../src/limits/overload.ts';
import type { Observation } from '../../src/observe/observation.ts';

/** Milliseconds between two looks at whether it is over. */
const LOOK = 250;

interface Watched {
  readonly watch: OverloadMonitor;
  readonly load: { delay: number; turn: number | null; waiting: number };
  readonly observed: readonly Observation[];
}

function watched(): Watched {
  const load: Watched['load'] = { delay: 0, turn: null, waiting: 0 };
  const observed: Observation[] = [];
  const watch = monitorOverload({
    limits: { eventLoopDelay: 100, queueDepth: 40 },
    delay: () => load.delay,
    recordRequest: () => load.turn,
    queuedWrites: () => load.waiting,
    observe: (observation) => observed.push(observation),
  });
  return { watch, load, observed };
}

describe('overload', () => {
  for (const [delay, waiting, reason] of [
    [0, 0, null],
    [100, 40, null],
    [100.6, 0, 'the event loop is delayed by 101 ms'],
    [0, 41, '41 writes are queued'],
    [Number.NaN, 0, null],
  ] as const) {
    it(`[LIM-3] is ${reason ?? 'not seen'} at ${delay} ms and ${waiting} writes`, () => {
      const { watch, load } = watched();
      Object.assign(load, { delay, waiting });
      assert.deepEqual([watch.overloaded(), watch.reason()], [reason !== null, reason]);
      watch.close();
    });
  }

  it('[LIM-3] is over only when both measures are well below their limits', (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const { watch, load } = watched();
    const told = (delay: number): boolean => {
      load.delay = delay;
      return watch.overloaded();
    };
    assert.deepEqual([101, 99, 76, 75, 76].map(told), [true, true, true, false, true]);
    load.delay = 75;
    context.mock.timers.tick(LOOK * 2);
    assert.deepEqual([76, 100].map(told), [false, false]);
    load.delay = 101;
    watch.overloaded();
    Object.assign(load, { delay: 0, waiting: 31 });
    assert.equal(watch.overloaded(), true);
    watch.close();
  });

  it('[LIM-3] is announced when it begins and when it ends, not in between', (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const { watch, load, observed } = watched();
    for (const waiting of [0, 41, 60, 0, 41, 10, 0]) {
      load.waiting = waiting;
      watch.overloaded();
    }
    context.mock.timers.tick(LOOK);
    assert.equal(observed.length, 1, 'requests were refused meanwhile');
    context.mock.timers.tick(LOOK);
    assert.deepEqual(observed, [
      { kind: 'overload', overloaded: true, reason: '41 writes are queued' },
      { kind: 'overload', overloaded: false, reason: null },
    ]);
  });

  it('[LIM-3] is announced as over even when no request comes', (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const { watch, load, observed } = watched();
    load.delay = 500;
    watch.overloaded();
    load.delay = 0;
    context.mock.timers.tick(LOOK * 2);
    assert.deepEqual([observed.length, watch.reason()], [2, null]);
  });

  it('[LIM-3] refuses what comes after half the limit of answering in one go, and takes what comes in the next', () => {
    const { watch, load } = watched();
    const told = [null, 50, 51, 80, 0, 30, 38].map((turn) => {
      load.turn = turn;
      return watch.overloaded();
    });
    assert.deepEqual(told, [false, false, true, true, false, false, true], 'three quarters of it until it is over');
    watch.close();
  });

  it('[LIM-3] judges many requests in one go by that, and not by how late others were', () => {
    const { watch, load } = watched();
    Object.assign(load, { delay: 500, turn: 10 });
    assert.equal(watch.overloaded(), false);
    load.turn = null;
    assert.equal(watch.overloaded(), true);
    watch.close();
  });

  it('[LIM-3] announces by turns, whatever the load', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(200), fc.nat(80))), (loads) => {
        const { watch, load, observed } = watched();
        for (const [delay, waiting] of loads) {
          Object.assign(load, { delay, waiting });
          if (delay > 100 || waiting > 40) assert.equal(watch.overloaded(), true);
          else if (delay <= 75 && waiting <= 30) assert.equal(watch.overloaded(), false);
        }
        watch.close();
        for (const [index, observation] of observed.entries()) {
          assert.ok(observation.kind === 'overload');
          assert.equal(observation.overloaded, index % 2 === 0);
        }
      }),
    );
  });

  it('[LIM-3] is never seen after the watch is closed', () => {
    const { watch, load, observed } = watched();
    load.delay = 500;
    watch.close();
    assert.deepEqual([watch.overloaded(), watch.reason(), observed], [false, null, []]);
  });
});

describe('the delay of the event loop', () => {
  it('[LIM-3] is nothing before the first span is over', () => {
    const meter = monitorDelay();
    assert.equal(meter.read(), 0);
    meter.close();
  });
});
