import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LoopIteration } from '../../src/limits/loop-iteration.ts';

/** Asks by so many requests, each of which takes so many milliseconds. */
function played(longest = 1_000): {
  at: { now: number; turn: number };
  ask: (requests: number, each: number) => number | null;
} {
  const at = { now: 0, turn: 1 };
  const turn = new LoopIteration(longest, { now: () => at.now, iteration: () => at.turn });
  const ask = (requests: number, each: number): number | null => {
    let told: number | null = null;
    for (let request = 0; request < requests; request += 1) {
      told = turn.recordRequest();
      at.now += each;
    }
    return told;
  };
  return { at, ask };
}

describe('a turn of answering', () => {
  it('[LIM-3] has lasted since its first request', () => {
    const { ask } = played();
    assert.equal(ask(21, 10), 200);
  });

  it('[LIM-3] begins anew with the turn of the event loop', () => {
    const { at, ask } = played();
    ask(50, 10);
    at.turn += 1;
    assert.deepEqual([ask(8, 10), ask(1, 10)], [null, 80]);
  });

  it('[LIM-3] is not late by one long task, whatever came before or with it', () => {
    const { at, ask } = played();
    at.now = 5_000;
    assert.equal(ask(1, 900), null);
    assert.equal(ask(7, 1), null);
  });

  it('[LIM-3] counts as another one once it has lasted too long, so that there is room again', () => {
    const { ask } = played(1_000);
    assert.equal(ask(101, 10), 1_000);
    assert.equal(ask(1, 10), null);
  });
});
