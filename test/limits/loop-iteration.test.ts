import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LoopIteration } from '../../src/limits/loop-iteration.ts';

/** `send` records the given number of requests, each of which takes the given milliseconds of processor time. */
function simulate(maxDuration = 1_000): {
  at: { cpu: number; iteration: number };
  iteration: LoopIteration;
  send: (requests: number, each: number, inFlight?: number) => number | null;
} {
  const at = { cpu: 0, iteration: 1 };
  const iteration = new LoopIteration(maxDuration, { cpu: () => at.cpu, iteration: () => at.iteration });
  const send = (requests: number, each: number, inFlight = 1): number | null => {
    let duration: number | null = null;
    for (let request = 0; request < requests; request += 1) {
      duration = iteration.recordRequest(inFlight);
      at.cpu += each;
    }
    return duration;
  };
  return { at, iteration, send };
}

describe('LoopIteration', () => {
  it('[LIM-3] measures processor time since the first request of the iteration', () => {
    const { send } = simulate();
    assert.equal(send(21, 10), 200);
  });

  it('[LIM-3] measures no time in which other programs had the processor', () => {
    const { send } = simulate();
    // Each request takes a second of the clock, and none of the processor.
    assert.equal(send(21, 0), 0);
  });

  it('[LIM-3] starts again with the next iteration', () => {
    const { at, send } = simulate();
    send(50, 10);
    at.iteration += 1;
    assert.deepEqual([send(8, 10), send(1, 10)], [null, 80]);
  });

  it('[LIM-3] reports no delay for one long task among few requests', () => {
    const { at, send } = simulate();
    at.cpu = 5_000;
    assert.equal(send(1, 900), null);
    assert.equal(send(7, 1), null);
  });

  it('[LIM-3] counts as a new iteration after its maximum duration, so that requests are accepted again', () => {
    const { send } = simulate(1_000);
    assert.equal(send(102, 10), 1_010);
    assert.equal(send(1, 10), null);
  });

  it('[LIM-3] has no queue where requests come one at a time, however long each takes', () => {
    const { at, iteration, send } = simulate();
    for (let request = 0; request < 100; request += 1) {
      at.iteration += 1;
      send(1, 900);
      assert.equal(iteration.hasQueue, false);
    }
  });

  it('[LIM-3] has a queue while an iteration, or the one before it, has many requests', () => {
    const { at, iteration, send } = simulate();
    const queuedAfter = (requests: number): boolean => {
      at.iteration += 1;
      send(requests, 1);
      return iteration.hasQueue;
    };
    assert.deepEqual([8, 9, 1, 1].map(queuedAfter), [false, true, true, false]);
  });

  it('[LIM-3] has a queue while many requests have no response', () => {
    const { at, iteration, send } = simulate();
    at.iteration += 1;
    send(1, 1, 9);
    assert.equal(iteration.hasQueue, true);
    at.iteration += 1;
    send(1, 1, 8);
    assert.equal(iteration.hasQueue, false);
  });
});
