import assert from 'node:assert/strict';
import process from 'node:process';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { monitorDelay } from '../../src/limits/overload.ts';

it('[LIM-3] measures a delay of a busy event loop and none of an idle one', async () => {
  const monitor = monitorDelay();
  await pause(600);
  assert.ok(monitor.read() < 50, `idle: ${monitor.read()} ms`);
  for (let iteration = 0; iteration < 13; iteration += 1) {
    // By its own processor time: other programs may have most of the processor.
    const start = process.cpuUsage();
    while (processorTime(start) < 100);
    await new Promise(setImmediate);
  }
  assert.ok(monitor.read() > 50, `busy: ${monitor.read()} ms`);
  monitor.close();
});

/** Milliseconds of processor time since a reading. */
function processorTime(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
