import process from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { boundHeap } from '../../src/platform/heap-bounds.ts';

// Tells how many MiB the young generation takes after much came and went, and a part of it stayed for a while: bounded, or not where asked so.
const release = process.argv[2] === 'bounded' ? boundHeap([]) : () => undefined;
let kept: unknown[] = [];
for (let turn = 0; turn < 600; turn += 1) {
  for (let at = 0; at < 20_000; at += 1) {
    const made = { turn, at, both: [turn, at] };
    if (at % 4 === 0) kept.push(made);
  }
  if (kept.length > 60_000) kept = [];
  await setImmediate();
}
const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
release();
process.stdout.write(String(Math.round(young / 2 ** 20)));
