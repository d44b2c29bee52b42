import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MaybePromise } from '../../src/platform/maybe-promise.ts';
import { inTimeSlices, runSteps, type Steps, TimeSlices } from '../../src/platform/time-slices.ts';

/**
 * Items that are in memory, and cost the given milliseconds each.
 *
 * @returns how many were consumed between two turns of other work
 */
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

describe('runSteps', () => {
  /** Steps that cost the given milliseconds each. @returns with the number of steps as their result */
  function* takeSteps(costs: readonly number[], step: (cost: number) => void): Steps<number> {
    for (const cost of costs) {
      step(cost);
      yield;
    }
    return costs.length;
  }

  it('[LIM-1] ends in the same tick where the steps take no longer than one slice', () => {
    let time = 0;
    const work = takeSteps([3, 3, 3], (cost) => (time += cost));
    assert.equal(
      runSteps(work, () => time),
      3,
    );
  });

  it('[LIM-1] lets other work run after a time, and runs one slice of all work in an iteration of the event loop', async () => {
    const order: string[] = [];
    let time = 0;
    const run = (name: string): MaybePromise<number> =>
      runSteps(
        takeSteps([6, 6, 6, 6, 6], (cost) => {
          time += cost;
          order.push(name);
        }),
        () => time,
      );
    const results = Promise.all([run('a'), run('b')]);
    setImmediate(() => order.push('(other work)')).unref();
    await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
    order.push('(more)');
    assert.deepEqual(await results, [5, 5]);
    assert.equal(order.join(' '), 'a a b b a a (other work) b b (more) a b');
  });

  it('[LIM-1] rejects with what a later step throws', async () => {
    let time = 0;
    function* failing(): Steps<never> {
      for (; time < 30; time += 6) yield;
      throw new Error('late');
    }
    await assert.rejects(async () => runSteps(failing(), () => time), /late/);
  });
});
