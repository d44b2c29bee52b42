import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { giveBackMemory, LOOK } from '../../src/cli/idle-memory.ts';

const MEBIBYTE = 2 ** 20;

/** Told of what is collected. */
const LEFT = new FinalizationRegistry((collected: () => void) => collected());

interface Process {
  busy: number;
  /** MiB. */
  size: number;
  /** Milliseconds. */
  takes: number | null;
  collections: number;
  /** Lets the time between two looks pass. */
  readonly look: () => Promise<void>;
  end: () => void;
}

/** Whose heap is 40 MiB at first and after each collection. */
function processOf(context: TestContext): Process {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const process: Process = {
    busy: 0,
    size: 40,
    takes: 70,
    collections: 0,
    async look() {
      context.mock.timers.tick(LOOK);
      await new Promise(setImmediate);
    },
    end: () => undefined,
  };
  process.end = giveBackMemory({
    busy: () => process.busy,
    size: () => process.size * MEBIBYTE,
    collect() {
      process.collections += 1;
      process.size = 40;
      return Promise.resolve(process.takes);
    },
  });
  return process;
}

describe('memory of an idle process', () => {
  it('is given back once a load that grew it is over', async (context) => {
    const process = processOf(context);
    Object.assign(process, { busy: 0.9, size: 200 });
    await process.look();
    assert.equal(process.collections, 0);
    process.busy = 0.01;
    await process.look();
    await process.look();
    assert.equal(process.collections, 1);
    process.size = 150;
    await process.look();
    assert.equal(process.collections, 2);
    process.end();
  });

  it('is left as it is where little would be gained', async (context) => {
    const process = processOf(context);
    process.size = 71;
    await process.look();
    assert.equal(process.collections, 0);
    process.end();
  });

  for (const takes of [251, null]) {
    it(`is left to V8 after a collection that ${takes === null ? 'could not be done' : `took ${takes} ms`}`, async (context) => {
      const process = processOf(context);
      Object.assign(process, { size: 200, takes });
      await process.look();
      process.size = 200;
      await process.look();
      assert.equal(process.collections, 1);
      process.end();
    });
  }

  it('is not looked at any more once that has ended', async (context) => {
    const process = processOf(context);
    process.end();
    process.size = 200;
    await process.look();
    assert.equal(process.collections, 0);
  });

  it('is that of this process, unless told otherwise', { timeout: 10_000 }, async (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    context.mock.method(performance, 'eventLoopUtilization', () => ({ utilization: 0 }));
    const end = giveBackMemory();
    const { promise: collected, resolve } = Promise.withResolvers<void>();
    LEFT.register(leaveMuch(), resolve);
    context.mock.timers.tick(LOOK);
    await collected;
    end();
  });
});

/** Of the heap: more than is worth a collection, to which nobody refers afterwards. */
function leaveMuch(): object {
  return Array.from({ length: 2_000_000 }, (_, index) => ({ index }));
}
