import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LoopIteration } from '../../src/limits/loop-iteration.ts';

/** `send` records the given number of requests, each of which takes the given milliseconds. */
function simulate(maxDuration = 1_000): {
  at: { now: number; iteration: number };
  send: (requests: number, each: number) => number | null;
} {
  const at = { now: 0, iteration: 1 };
  const iteration = new LoopIteration(maxDuration, { now: () => at.now, iteration: () => at.iteration });
  const send = (requests: number, each: number): number | null => {
    let duration: number | null = null;
    for (let request = 0; request < requests; request += 1) {
      duration = iteration.recordRequest();
      at.now += each;
    }
    return duration;
  };
  return { at, send };
}

describe('LoopIteration', () => {
  it('[LIM-3] measures since the first request of the iteration', () => {
    const { send } = simulate();
    assert.equal(send(21, 10), 200);
  });

  it('[LIM-3] starts again with the next iteration', () => {
    const { at, send } = simulate();
    send(50, 10);
    at.iteration += 1;
    assert.deepEqual([send(8, 10), send(1, 10)], [null, 80]);
  });

  it('[LIM-3] reports no delay for one long task among few requests', () => {
    const { at, send } = simulate();
    at.now = 5_000;
    assert.equal(send(1, 900), null);
    assert.equal(send(7, 1), null);
  });

  it('[LIM-3] counts as a new iteration after its maximum duration, so that requests are accepted again', () => {
    const { send } = simulate(1_000);
    assert.equal(send(101, 10), 1_000);
    assert.equal(send(1, 10), null);
  });
});
