import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { countedIteration, systemClock } from '../../src/platform/clock.ts';

it('the system clock returns whole milliseconds since the epoch', () => {
  const before = Date.now();
  const now = systemClock.now();
  assert.ok(Number.isInteger(now) && now >= before && now <= Date.now());
});

it('a runtime without a count of loop iterations gets one: it changes after the loop has polled', async () => {
  const iteration = countedIteration();
  const first = iteration();
  await Promise.resolve();
  assert.equal(iteration(), first);
  await setImmediate();
  assert.equal(iteration(), first + 1);
  await setImmediate();
  assert.equal(iteration(), first + 2);
});
