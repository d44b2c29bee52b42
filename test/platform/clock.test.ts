import assert from 'node:assert/strict';
import { it } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';

it('the system clock returns whole milliseconds since the epoch', () => {
  const before = Date.now();
  const now = systemClock.now();
  assert.ok(Number.isInteger(now) && now >= before && now <= Date.now());
});
