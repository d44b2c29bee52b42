import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, it } from 'node:test';
import { atEndOfTick } from '../../src/platform/end-of-tick.ts';

describe('the end of an iteration of the event loop', () => {
  let done: string[];
  const plan = (phase: 'flush' | 'work', name: string): void => atEndOfTick(phase, () => done.push(name));

  beforeEach(() => {
    done = [];
  });

  it('flushes before it begins work, each in the order of the calls', async () => {
    plan('work', 'commit');
    plan('flush', 'first');
    plan('work', 'another');
    plan('flush', 'second');
    assert.deepEqual(done, []);
    await setImmediate();
    assert.deepEqual(done, ['first', 'second', 'commit', 'another']);
  });

  it('runs a callback once', async () => {
    plan('flush', 'first');
    await setImmediate();
    await setImmediate();
    plan('work', 'second');
    await setImmediate();
    assert.deepEqual(done, ['first', 'second']);
  });

  for (const during of ['flush', 'work'] as const) {
    it(`runs every callback that another one adds during ${during}`, async () => {
      plan('work', 'commit');
      atEndOfTick(during, () => {
        plan('flush', 'late');
        plan('work', 'later');
      });
      for (let iteration = 0; iteration < 3; iteration += 1) await setImmediate();
      assert.deepEqual(done.toSorted(), ['commit', 'late', 'later']);
    });
  }
});
