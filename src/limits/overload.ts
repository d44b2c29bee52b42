import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Limits } from '../model/model.ts';
import type { Observe } from '../observe/observation.ts';
import { monotonicNow, threadCpuTime } from '../platform/clock.ts';

export interface OverloadOptions {
  /** Maximum event-loop delay in milliseconds, and maximum number of queued writes. */
  readonly limits: Pick<Limits, 'eventLoopDelay' | 'queueDepth'>;
  /**
   * The recent event-loop delay of requests that waited for each other, as far as the work of this process explains it,
   * in milliseconds.
   */
  readonly delay: () => number;
  /**
   * Called for each request, with the number of those in flight.
   *
   * @returns the processor time for which the event-loop iteration has been handling many requests, in milliseconds;
   *   else null
   */
  readonly recordRequest: (inFlight: number) => number | null;
  /** The number of writes that wait for their commit. */
  readonly queuedWrites: () => number;
  readonly observe: Observe;
}

export interface OverloadMonitor {
  /**
   * True if to reject the next request (LIM-3). Call it exactly once per request, with the number of those in flight.
   */
  readonly overloaded: (inFlight: number) => boolean;
  /** The cause of the overload; null without one. */
  readonly reason: () => string | null;
  /** Stops monitoring: from then on no request is rejected. */
  readonly close: () => void;
}

/** Share of a limit below which a value must fall before the overload ends (hysteresis). */
const RECOVERED = 0.75;
/**
 * Milliseconds between two checks during an overload. It ends if no request was rejected in between and all values have
 * recovered.
 */
const CHECK_INTERVAL = 250;
/** Share of the delay limit after which the remaining requests of an event-loop iteration are rejected. */
const ACCEPTED_SHARE = 0.5;
/**
 * Share of the delay limit after which a running iteration counts as a new one: by then thousands of requests were
 * rejected.
 */
export const MAX_ITERATION = 0.625;

/**
 * Detects overload, and reports when it begins and ends (LIM-3). Every request is checked. A queue that fills up within
 * one event-loop iteration affects the next request. In an iteration that takes too long only the remaining requests
 * are rejected.
 */
export function monitorOverload(options: OverloadOptions): OverloadMonitor {
  return new Monitor(options);
}

class Monitor implements OverloadMonitor {
  readonly #options: OverloadOptions;
  #reason: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #rejected = false;
  #closed = false;

  constructor(options: OverloadOptions) {
    this.#options = options;
  }

  readonly overloaded = (inFlight: number): boolean => {
    if (this.#closed) return false;
    const { recordRequest, delay } = this.#options;
    const inIteration = recordRequest(inFlight);
    // With many requests in one iteration its duration so far is their delay: the measured one is that of earlier
    // requests.
    const delayed = inIteration === null ? delay() : inIteration / ACCEPTED_SHARE;
    const found = this.#excess(delayed, this.#reason === null ? 1 : RECOVERED);
    if (found === null) return false;
    this.#rejected = true;
    if (this.#reason === null) this.#announce(found);
    this.#reason = found;
    return true;
  };

  readonly reason = (): string | null => this.#reason;

  readonly close = (): void => {
    this.#closed = true;
    this.#reason = null;
    this.#clearTimer();
  };

  #recheck(): void {
    if (!this.#rejected && this.#excess(this.#options.delay(), RECOVERED) === null) this.#announce(null);
    this.#rejected = false;
  }

  #excess(delayed: number, share: number): string | null {
    const { queuedWrites, limits } = this.#options;
    return excess(delayed, queuedWrites(), limits, share);
  }

  #announce(found: string | null): void {
    this.#clearTimer();
    this.#reason = found;
    if (found !== null) this.#timer = setInterval(() => this.#recheck(), CHECK_INTERVAL).unref();
    this.#options.observe({ kind: 'overload', overloaded: found !== null, reason: found });
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

/** The value that exceeds that share of its limit, in words; null if none does. */
function excess(delayed: number, queued: number, limits: OverloadOptions['limits'], share: number): string | null {
  if (delayed > limits.eventLoopDelay * share) return `the event loop is delayed by ${Math.round(delayed)} ms`;
  return queued > limits.queueDepth * share ? `${queued} writes are queued` : null;
}

/** The event-loop delay of this process. */
export interface DelayMonitor {
  /**
   * The mean delay of the last 500 ms, in milliseconds: one long task is no overload, many are. It counts by the share
   * of the time in which this thread had the processor: as the delay on a processor of its own. A loop that other
   * programs or the disk keep from running is not overloaded by its requests.
   */
  read(): number;
  readonly close: () => void;
}

const RESOLUTION = 10;
const INTERVAL = 500;
const NANOSECONDS = 1e6;

/** The measure of a delay. */
interface DelayMeter {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Milliseconds of processor time that this thread has used. */
  readonly cpu: () => number;
  /** Starts to record the event-loop delay. */
  readonly record: () => RecordedDelay;
}

/** The event-loop delay since it was read last. */
interface RecordedDelay {
  /** The mean in milliseconds, of two iterations at least. */
  readonly read: () => number;
  readonly close: () => void;
}

/** Starts to measure the event-loop delay. It does not keep the process alive. */
export function monitorDelay(
  { now, cpu, record }: DelayMeter = { now: monotonicNow, cpu: threadCpuTime, record: recordDelay },
): DelayMonitor {
  const recorded = record();
  let before = { now: now(), cpu: cpu() };
  let delay = 0;
  const timer = setInterval(() => {
    const after = { now: now(), cpu: cpu() };
    delay = recorded.read() * Math.min(1, (after.cpu - before.cpu) / Math.max(1, after.now - before.now));
    before = after;
  }, INTERVAL).unref();
  return {
    read: () => delay,
    close() {
      clearInterval(timer);
      recorded.close();
    },
  };
}

/**
 * Records the delay with a histogram of Node.js. It is never reset. The first tick after a reset is not recorded, so
 * that iterations longer than the interval would leave no record at all.
 */
function recordDelay(): RecordedDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  histogram.enable();
  let before = { count: 0, total: 0 };
  let mean = 0;
  return {
    read() {
      const { count } = histogram;
      const ticks = count - before.count;
      // A single tick is one long task: it counts together with what follows.
      if (ticks < 2) return mean;
      const total = histogram.mean * count;
      // The histogram records the time between two ticks, which includes the resolution.
      mean = Math.max(0, (total - before.total) / ticks / NANOSECONDS - RESOLUTION);
      before = { count, total };
      return mean;
    },
    close: () => void histogram.disable(),
  };
}
