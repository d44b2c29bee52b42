import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boundHeap, type Heap } from '../../src/platform/heap-bounds.ts';

const MIB = 1024 * 1024;
const STEADY = '--semi-space-growth-factor=1';
const DOUBLING = '--semi-space-growth-factor=2';

function heapUnderTest(): { heap: Heap; set: string[]; collect: (young: number) => void; watched: () => boolean } {
  const set: string[] = [];
  let young = MIB;
  let watcher: (() => void) | null = null;
  const heap: Heap = {
    young: () => young,
    afterCollections(run) {
      watcher = run;
      return () => {
        watcher = null;
      };
    },
    set: (option) => void set.push(option),
  };
  const collect = (bytes: number): void => {
    young = bytes;
    watcher?.();
  };
  return { heap, set, collect, watched: () => watcher !== null };
}

describe('the heap of a process that serves', () => {
  it('has a young generation that doubles as long as it stays within 16 MiB, and again once V8 has shrunk it', () => {
    const { heap, set, collect } = heapUnderTest();
    boundHeap([], heap);
    assert.deepEqual(set.splice(0), ['--heap-growing-percent=25']);
    for (const [young, told] of [
      [4, []],
      [8, []],
      [16, [STEADY]],
      [15, []],
      [1, [DOUBLING]],
      [64, [STEADY]],
    ] as const) {
      collect(young * MIB);
      assert.deepEqual(set.splice(0), told, `${young} MiB`);
    }
  });

  it('is what V8 makes of it again in the end', () => {
    const { heap, set, collect, watched } = heapUnderTest();
    const release = boundHeap([], heap);
    collect(16 * MIB);
    set.length = 0;
    release();
    assert.deepEqual(set, [DOUBLING, '--heap-growing-percent=0']);
    assert.equal(watched(), false);
  });

  for (const options of [
    ['--max-semi-space-size=64'],
    ['--inspect', '--max_semi_space_size=64'],
    ['--heap-growing-percent=100 --trace-gc'],
    ['--optimize-for-size'],
    ['--freeze-flags-after-init'],
  ]) {
    it(`is left alone where ${options.join(' ')} says so`, () => {
      const { heap, set, watched } = heapUnderTest();
      boundHeap(options, heap)();
      assert.deepEqual(set, []);
      assert.equal(watched(), false);
    });
  }
});
