import assert from 'node:assert/strict';
import process from 'node:process';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { monitorDelay } from '../../src/limits/overload.ts';

it('[LIM-3] measures a delay of a busy event loop and none of an idle one', async () => {
  const monitor = monitorDelay();
  await pause(600);
  assert.ok(monitor.read() < 50, `idle: ${monitor.read()} ms`);
  await occupy(100, 13);
  assert.ok(monitor.read() > 50, `busy: ${monitor.read()} ms`);
  monitor.close();
});

it('[LIM-3] measures a delay where an iteration takes longer than the interval of the measurement', async () => {
  const monitor = monitorDelay();
  await occupy(700, 1);
  await pause(20);
  assert.ok(monitor.read() < 50, `one long task: ${monitor.read()} ms`);
  await occupy(700, 3);
  assert.ok(monitor.read() > 50, `busy: ${monitor.read()} ms`);
  monitor.close();
});

/**
 * Iterations of the event loop that take so many milliseconds each: by their own processor time, for other programs may
 * have most of the processor.
 */
async function occupy(milliseconds: number, iterations: number): Promise<void> {
  for (let iteration = 0; iteration < iterations; iteration += 1) {
    const start = process.cpuUsage();
    while (processorTime(start) < milliseconds);
    await new Promise(setImmediate);
  }
}

/** Milliseconds of processor time since a reading. */
function processorTime(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
