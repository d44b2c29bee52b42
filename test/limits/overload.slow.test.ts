import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { monitorDelay } from '../../src/limits/overload.ts';

it('[LIM-3] measures a loop that is busy as late and one that is free as on time', async () => {
  const meter = monitorDelay();
  await pause(600);
  assert.ok(meter.read() < 50, `free: ${meter.read()} ms`);
  for (let turn = 0; turn < 13; turn += 1) {
    const end = performance.now() + 100;
    while (performance.now() < end);
    await new Promise(setImmediate);
  }
  assert.ok(meter.read() > 50, `busy: ${meter.read()} ms`);
  meter.close();
});
