import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { OnceAnIteration } from '../../src/platform/once-an-iteration.ts';

/** Waits for the next iteration. After the answer of a poll, the first immediate runs in the same one. */
async function nextIteration(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

describe('something that runs once in an iteration of the event loop', () => {
  it('has one result for all callers in it, and another one in the next', async () => {
    await stat(import.meta.filename);
    let count = 0;
    const counted = new OnceAnIteration(() => Promise.resolve(++count));
    assert.deepEqual(await Promise.all([counted.run(), counted.run()]), [1, 1]);
    await nextIteration();
    assert.equal(await counted.run(), 2);
  });

  it('runs again within it once it is renewed', async () => {
    const iterations: number[] = [];
    const counted = new OnceAnIteration((iteration) => Promise.resolve(iterations.push(iteration)));
    const first = counted.run();
    counted.renew();
    assert.deepEqual(await Promise.all([first, counted.run(), counted.run()]), [1, 2, 2]);
    assert.equal(new Set(iterations).size, 1);
  });

  it('fails for all callers in it alone', async () => {
    let fails = true;
    const failing = new OnceAnIteration(() => (fails ? Promise.reject(new Error('away')) : Promise.resolve('here')));
    const settled = await Promise.allSettled([failing.run(), failing.run()]);
    assert.ok(settled.every(({ status }) => status === 'rejected'));
    fails = false;
    await nextIteration();
    assert.equal(await failing.run(), 'here');
  });
});
