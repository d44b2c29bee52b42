import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, it } from 'node:test';
import { atEndOfTick } from '../../src/platform/end-of-tick.ts';

describe('the end of a turn of the event loop', () => {
  let done: string[];
  const plan = (step: 'flush' | 'work', name: string): void => atEndOfTick(step, () => done.push(name));

  beforeEach(() => {
    done = [];
  });

  it('lets leave what is ready before it begins what is work, each in its order', async () => {
    plan('work', 'commit');
    plan('flush', 'first');
    plan('work', 'another');
    plan('flush', 'second');
    assert.deepEqual(done, []);
    await setImmediate();
    assert.deepEqual(done, ['first', 'second', 'commit', 'another']);
  });

  it('comes once for each turn', async () => {
    plan('flush', 'first');
    await setImmediate();
    await setImmediate();
    plan('work', 'second');
    await setImmediate();
    assert.deepEqual(done, ['first', 'second']);
  });

  for (const during of ['flush', 'work'] as const) {
    it(`leaves nothing undone that is added while it is at what is ${during === 'flush' ? 'leaving' : 'work'}`, async () => {
      plan('work', 'commit');
      atEndOfTick(during, () => {
        plan('flush', 'late');
        plan('work', 'later');
      });
      for (let turn = 0; turn < 3; turn += 1) await setImmediate();
      assert.deepEqual(done.toSorted(), ['commit', 'late', 'later']);
    });
  }
});
