/** Where the time comes from; handed in, so that a test can hold it still or turn it back. */
export interface Clock {
  /** Whole milliseconds since the epoch, UTC. */
  now(): number;
}

/** The clock of the machine. It may go back when the machine's time is set. */
export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds from a beginning that means nothing, which never go back: for how long something takes. */
export function monotonicNow(): number {
  return performance.now();
}

/** Tells turns of the event loop apart. One begins when the system is asked what has arrived: what comes later belongs to the next. */
export function loopIteration(): number {
  return performance.nodeTiming.uvMetricsInfo.loopCount;
}
