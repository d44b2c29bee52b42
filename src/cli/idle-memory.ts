import { performance } from 'node:perf_hooks';
import v8 from 'node:v8';

/** A heap, and whether anything goes on in it. */
export interface Heap {
  /** Share of the time since the last look that the event loop was at work, from 0 to 1. */
  readonly busy: () => number;
  /** Bytes that it takes, with what nobody refers to any more. */
  readonly size: () => number;
  /** Gives back what nobody refers to. @returns milliseconds that nothing was answered for, or null where it cannot be done */
  readonly collect: () => Promise<number | null>;
}

/**
 * Milliseconds between two looks. V8 forgets with what is collected some of what it has learnt of the load, and compiles it anew: a load that
 * comes in bursts should not pay for that with each of them.
 */
export const LOOK = 60_000;
/** Share of the time between two looks up to which nothing goes on. */
const IDLE = 0.02;
/** Bytes by which a heap must have grown for its collection to be worth the time. */
const WORTH = 32 * 2 ** 20;
/** Milliseconds that a request may wait which comes during a collection; a heap that takes longer is left to V8. */
const LONGEST = 250;

/**
 * Gives memory back once a load is over. V8 collects when there is no room for what is allocated: what a load has left stays for as long
 * as nothing is. For a process of our own alone, for all that is in it is collected; keeps none alive.
 *
 * @returns a function that ends it
 */
export function giveBackMemory(heap: Heap = heapOfProcess()): () => void {
  let least = heap.size();
  const timer = setInterval(() => void look(), LOOK).unref();
  const end = (): void => clearInterval(timer);
  async function look(): Promise<void> {
    if (heap.busy() > IDLE || heap.size() < least + WORTH) return;
    const took = await heap.collect();
    least = heap.size();
    if (took === null || took > LONGEST) end();
  }
  return end;
}

function heapOfProcess(): Heap {
  let last = performance.eventLoopUtilization();
  return {
    busy() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    size: () => v8.getHeapStatistics().total_heap_size,
    collect,
  };
}

/** Node offers this in its debugging protocol alone, which it can be built without. */
async function collect(): Promise<number | null> {
  const inspector = await import('node:inspector').catch(() => null);
  if (inspector === null) return null;
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const session = new inspector.Session();
  session.connect();
  const begun = performance.now();
  session.post('HeapProfiler.collectGarbage', (error) => resolve(error === null ? performance.now() - begun : null));
  try {
    return await promise;
  } finally {
    session.disconnect();
  }
}
