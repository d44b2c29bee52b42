import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The heap of this process, as far as it is bounded. */
export interface Heap {
  /** Bytes that its young generation takes from the system. */
  readonly young: () => number;
  /** Runs something after each collection. @returns ends that */
  readonly afterCollections: (run: () => void) => () => void;
  /** Sets an option of V8 that it looks at in each collection: `--name=value`. */
  readonly set: (option: string) => void;
}

/** Bytes beyond which the young generation does not double again. By itself V8 takes four times as many. */
const MOST_YOUNG = 16 * 1024 * 1024;
const DOUBLING = 2;
const STEADY = 1;
/** Percent of what was alive by which the old generation grows before it is collected, 8 MiB at least. By itself V8 lets it grow to several times that. */
const OLD_GROWTH = 25;
/** V8's own value: it decides by itself. */
const BY_ITSELF = 0;

/** Options of whoever started the process that say how much is kept, or that none is set any more: V8 would end the process. */
const LEFT_ALONE = /semi.space|heap.growing|optimize.for.size|freeze.flags/;

/**
 * Has V8 keep less beside what is alive, in a process that does nothing but serve (decision 16).
 *
 * @param options that Node was started with, which may have nothing changed
 * @returns gives V8 back what it was, for what the process does afterwards
 */
export function boundHeap(options: readonly string[], heap: Heap = heapOfProcess): () => void {
  if (options.some((option) => LEFT_ALONE.test(option))) return () => undefined;
  let factor = DOUBLING;
  const grow = (by: number): void => {
    if (by !== factor) heap.set(`--semi-space-growth-factor=${by}`);
    factor = by;
  };
  const look = (): void => grow(heap.young() * DOUBLING > MOST_YOUNG ? STEADY : DOUBLING);
  heap.set(`--heap-growing-percent=${OLD_GROWTH}`);
  look();
  const end = heap.afterCollections(look);
  return () => {
    end();
    grow(DOUBLING);
    heap.set(`--heap-growing-percent=${BY_ITSELF}`);
  };
}

const heapOfProcess: Heap = {
  young: () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0,
  afterCollections(run) {
    const observer = new PerformanceObserver(run);
    observer.observe({ entryTypes: ['gc'] });
    return () => observer.disconnect();
  },
  set: setFlagsFromString,
};
