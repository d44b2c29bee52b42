import process from 'node:process';

/**
 * The source of time; injected, so that a test can stop it or set it back.
 *
 * @example
 * ```ts
 * const fixed: Clock = { now: () => Date.parse('2026-01-02T03:04:05Z') };
 * ```
 */
export interface Clock {
  /** Whole milliseconds since the epoch, UTC. */
  now(): number;
}

/** The clock of the machine. It may go back when the machine's time is set. */
export const systemClock: Clock = { now: () => Date.now() };

/** A clock that never goes back: it stays at its latest time while its source is behind that. */
export class MonotonicClock implements Clock {
  readonly #source: Clock;
  #latest = Number.NEGATIVE_INFINITY;

  constructor(source: Clock) {
    this.#source = source;
  }

  now(): number {
    this.advanceTo(this.#source.now());
    return this.#latest;
  }

  /** From now on the clock is at a time, or later. */
  advanceTo(time: number): void {
    this.#latest = Math.max(this.#latest, time);
  }
}

/** Monotonic milliseconds from an arbitrary origin: for durations. */
export function monotonicNow(): number {
  return performance.now();
}

/**
 * Milliseconds of processor time that this thread has used: unlike the clock, it stops while the system runs other
 * programs.
 */
export function threadCpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The timing that a runtime has: Bun and Deno count no iterations. */
const timing: { readonly uvMetricsInfo?: unknown } | undefined = Reflect.get(performance, 'nodeTiming');

/**
 * The number of the current iteration of the event loop. One begins when the loop polls for I/O: what arrives later
 * belongs to the next.
 */
export const loopIteration: () => number =
  timing?.uvMetricsInfo === undefined ? countedIteration() : () => performance.nodeTiming.uvMetricsInfo.loopCount;

/**
 * Counts the iterations in which it is called. One ends after the loop has polled for I/O, so that timers belong to the
 * same one as what arrives next.
 */
export function countedIteration(): () => number {
  let count = 0;
  let isCounted = false;
  const end = (): void => {
    count += 1;
    isCounted = false;
  };
  return () => {
    if (!isCounted) setImmediate(end);
    isCounted = true;
    return count;
  };
}
