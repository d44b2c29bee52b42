import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { IdleTimer } from '../../src/cache/idle-timer.ts';

const AFTER = 1_000;

describe('what is told when it was not used for a while', () => {
  let runs = 0;
  let unused: IdleTimer;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    runs = 0;
    unused = new IdleTimer(AFTER, () => void (runs += 1));
  });

  afterEach(() => mock.timers.reset());

  it('is told so after its time, and before twice as long', () => {
    unused.touch();
    mock.timers.tick(AFTER);
    assert.equal(runs, 0);
    mock.timers.tick(AFTER);
    assert.equal(runs, 1);
  });

  it('is not told as long as it is used', () => {
    for (let step = 0; step < 100; step += 1) {
      unused.touch();
      mock.timers.tick(AFTER / 2);
    }
    assert.equal(runs, 0);
  });

  it('is told once for each time that it is used no more', () => {
    for (const round of [1, 2, 3]) {
      unused.touch();
      unused.touch();
      for (let step = 0; step < 10; step += 1) mock.timers.tick(AFTER);
      assert.equal(runs, round);
    }
  });

  it('is not told where it was never used', () => {
    mock.timers.tick(100 * AFTER);
    assert.equal(runs, 0);
  });
});
