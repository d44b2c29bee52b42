import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Limits } from '../model/model.ts';
import type { Observe } from '../observe/observation.ts';

export interface OverloadOptions {
  /** Milliseconds of delay and writes waiting that are still borne. */
  readonly limits: Pick<Limits, 'eventLoopDelay' | 'queueDepth'>;
  /** How late the event loop runs, in milliseconds; asked once for each request. */
  readonly delay: () => number;
  /** How many writes wait for their commit; asked once for each request. */
  readonly waiting: () => number;
  readonly observe: Observe;
}

export interface OverloadWatch {
  /** Whether new requests are to be refused (LIM-3). */
  readonly overloaded: () => boolean;
  /** What is too much, in plain words; null while nothing is. */
  readonly reason: () => string | null;
  /** Ends the watch; from then on nothing is too much. */
  readonly close: () => void;
}

/** Share of a limit below which a measure must fall before its overload is over, so that the answer does not flicker. */
const RECOVERED = 0.75;
/** Milliseconds between two looks while overloaded, so that its end is told even when no request comes. */
const LOOK_AGAIN = 250;

/**
 * Tells overload by two measures and announces when it begins and ends (LIM-3). It looks whenever it is asked, so a queue that
 * fills within one turn of the event loop is seen by the next request.
 */
export function watchOverload({ limits, delay, waiting, observe }: OverloadOptions): OverloadWatch {
  let reason: string | null = null;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  function look(): boolean {
    if (closed) return false;
    const before = reason;
    reason = excess(delay(), waiting(), limits, before === null ? 1 : RECOVERED);
    if ((before === null) !== (reason === null)) announce();
    return reason !== null;
  }

  function announce(): void {
    clearTimer();
    if (reason !== null) timer = setInterval(look, LOOK_AGAIN).unref();
    observe({ kind: 'overload', overloaded: reason !== null, reason });
  }

  function clearTimer(): void {
    if (timer !== null) clearInterval(timer);
    timer = null;
  }

  return {
    overloaded: look,
    reason: () => reason,
    close() {
      closed = true;
      reason = null;
      clearTimer();
    },
  };
}

/** What passes that share of its limit, in plain words; null where nothing does. */
function excess(late: number, queued: number, limits: OverloadOptions['limits'], share: number): string | null {
  if (late > limits.eventLoopDelay * share) return `the event loop runs ${Math.round(late)} ms late`;
  return queued > limits.queueDepth * share ? `${queued} writes wait for their commit` : null;
}

/** How late the event loop of this process runs. */
export interface DelayMeter {
  /** Milliseconds, the mean of the last span of half a second: one long task is no overload, many are. */
  read(): number;
  readonly close: () => void;
}

const RESOLUTION = 10;
const SPAN = 500;
const NANOSECONDS = 1e6;

/** Measures the delay of the event loop from now on. Keeps no process alive. */
export function measureEventLoopDelay(): DelayMeter {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  let mean = 0;
  histogram.enable();
  const timer = setInterval(() => {
    // What is recorded is the time between two ticks, the intended one included; without a tick there is no mean.
    mean = histogram.count === 0 ? 0 : Math.max(0, histogram.mean / NANOSECONDS - RESOLUTION);
    histogram.reset();
  }, SPAN).unref();
  return {
    read: () => mean,
    close() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
