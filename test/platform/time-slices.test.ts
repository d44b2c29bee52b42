import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inTimeSlices, TimeSlices } from '../../src/platform/time-slices.ts';

/** Items that are in memory, and cost the given milliseconds each. @returns how many were consumed between two turns of other work */
async function slices(costs: readonly number[], limit: { items: number; milliseconds: number }): Promise<number[]> {
  let time = 0;
  let running = true;
  const counts = [0];
  const otherWork = (): void => {
    if (!running) return;
    counts.push(0);
    setImmediate(otherWork);
  };
  async function* inMemory(): AsyncGenerator<number> {
    yield* costs;
  }
  setImmediate(otherWork);
  for await (const cost of inTimeSlices(inMemory(), new TimeSlices(limit, () => time))) {
    time += cost;
    counts.push((counts.pop() ?? 0) + 1);
  }
  running = false;
  return counts;
}

describe('inTimeSlices', () => {
  it('[LIM-1] lets other work run after a number of items', async () => {
    assert.deepEqual(
      await slices(
        Array.from({ length: 10 }, () => 0),
        { items: 4, milliseconds: 10 },
      ),
      [4, 4, 2],
    );
  });

  it('[LIM-1] lets other work run after a time, whatever the number of items', async () => {
    assert.deepEqual(await slices([3, 3, 3, 3, 30, 1], { items: 100, milliseconds: 10 }), [4, 1, 1]);
  });
});
