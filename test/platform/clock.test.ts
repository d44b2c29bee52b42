import assert from 'node:assert/strict';
import { it } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';

it('the system clock returns whole milliseconds since the epoch', () => {
  const before = Date.now();
  const told = systemClock.now();
  assert.ok(Number.isInteger(told) && told >= before && told <= Date.now());
});
