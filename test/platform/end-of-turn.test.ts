import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, it } from 'node:test';
import { atEndOfTurn } from '../../src/platform/end-of-turn.ts';

describe('the end of a turn of the event loop', () => {
  let done: string[];
  const plan = (step: 'leave' | 'work', name: string): void => atEndOfTurn(step, () => done.push(name));

  beforeEach(() => {
    done = [];
  });

  it('lets leave what is ready before it begins what is work, each in its order', async () => {
    plan('work', 'commit');
    plan('leave', 'first');
    plan('work', 'another');
    plan('leave', 'second');
    assert.deepEqual(done, []);
    await setImmediate();
    assert.deepEqual(done, ['first', 'second', 'commit', 'another']);
  });

  it('comes once for each turn', async () => {
    plan('leave', 'first');
    await setImmediate();
    await setImmediate();
    plan('work', 'second');
    await setImmediate();
    assert.deepEqual(done, ['first', 'second']);
  });

  for (const during of ['leave', 'work'] as const) {
    it(`leaves nothing undone that is added while it is at what is ${during === 'leave' ? 'leaving' : 'work'}`, async () => {
      plan('work', 'commit');
      atEndOfTurn(during, () => {
        plan('leave', 'late');
        plan('work', 'later');
      });
      for (let turn = 0; turn < 3; turn += 1) await setImmediate();
      assert.deepEqual(done.toSorted(), ['commit', 'late', 'later']);
    });
  }
});
