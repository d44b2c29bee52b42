import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { IdleTimer } from '../../src/cache/idle-timer.ts';

const TIMEOUT = 1_000;

describe('an idle timer', () => {
  let runs = 0;
  let timer: IdleTimer;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    runs = 0;
    timer = new IdleTimer(TIMEOUT, () => void (runs += 1));
  });

  afterEach(() => mock.timers.reset());

  it('runs after its timeout, and before twice as long', () => {
    timer.touch();
    mock.timers.tick(TIMEOUT);
    assert.equal(runs, 0);
    mock.timers.tick(TIMEOUT);
    assert.equal(runs, 1);
  });

  it('does not run while it is touched', () => {
    for (let step = 0; step < 100; step += 1) {
      timer.touch();
      mock.timers.tick(TIMEOUT / 2);
    }
    assert.equal(runs, 0);
  });

  it('runs once for each period of use', () => {
    for (const round of [1, 2, 3]) {
      timer.touch();
      timer.touch();
      for (let step = 0; step < 10; step += 1) mock.timers.tick(TIMEOUT);
      assert.equal(runs, round);
    }
  });

  it('does not run where it was never touched', () => {
    mock.timers.tick(100 * TIMEOUT);
    assert.equal(runs, 0);
  });
});
