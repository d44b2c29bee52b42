import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Limits } from '../model/model.ts';
import type { Observe } from '../observe/observation.ts';

export interface OverloadOptions {
  /** Milliseconds of delay and writes waiting that are still borne. */
  readonly limits: Pick<Limits, 'eventLoopDelay' | 'queueDepth'>;
  /** How late the event loop has run of late, in milliseconds. */
  readonly delay: () => number;
  /** Told of each request. @returns how long the event loop has been answering many in one go, in milliseconds; null where it has not */
  readonly recordRequest: () => number | null;
  /** How many writes wait for their commit. */
  readonly queuedWrites: () => number;
  readonly observe: Observe;
}

export interface OverloadMonitor {
  /** Whether the next request is to be refused (LIM-3); asked once for each. */
  readonly overloaded: () => boolean;
  /** What is too much, in plain words; null while nothing is. */
  readonly reason: () => string | null;
  /** Ends the watch; from then on nothing is too much. */
  readonly close: () => void;
}

/** Share of a limit below which a measure must fall before its overload is over, so that the answer does not flicker. */
const RECOVERED = 0.75;
/** Milliseconds between two looks while overloaded: it is over when none was refused between them, and nothing is too much any more. */
const CHECK_INTERVAL = 250;
/** Share of the limit for which requests are taken in one go; those after them are refused until the next one. */
const ACCEPTED_SHARE = 0.5;
/** Share of the limit after which a go that does not end counts as another one: thousands have been refused by then, and nobody waits for long. */
export const MAX_ITERATION = 0.625;

/**
 * Tells overload by its measures and announces when it begins and ends (LIM-3). Requests are judged one by one: a queue that fills within
 * one turn of the event loop is seen by the next request, and where the turn has lasted for too long, only the rest of it is refused.
 */
export function monitorOverload(options: OverloadOptions): OverloadMonitor {
  return new Monitor(options);
}

class Monitor implements OverloadMonitor {
  readonly #options: OverloadOptions;
  #reason: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #refused = false;
  #closed = false;

  constructor(options: OverloadOptions) {
    this.#options = options;
  }

  readonly overloaded = (): boolean => {
    if (this.#closed) return false;
    const { recordRequest, delay } = this.#options;
    const inOneGo = recordRequest();
    // Where many are answered in one go, that tells how late they are: what was measured before it is of others, and of the go as a whole.
    const late = inOneGo === null ? delay() : inOneGo / ACCEPTED_SHARE;
    const found = this.#excess(late, this.#reason === null ? 1 : RECOVERED);
    if (found === null) return false;
    this.#refused = true;
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

  #lookAgain(): void {
    if (!this.#refused && this.#excess(this.#options.delay(), RECOVERED) === null) this.#announce(null);
    this.#refused = false;
  }

  #excess(late: number, share: number): string | null {
    const { queuedWrites, limits } = this.#options;
    return excess(late, queuedWrites(), limits, share);
  }

  #announce(found: string | null): void {
    this.#clearTimer();
    this.#reason = found;
    if (found !== null) this.#timer = setInterval(() => this.#lookAgain(), CHECK_INTERVAL).unref();
    this.#options.observe({ kind: 'overload', overloaded: found !== null, reason: found });
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}

/** What passes that share of its limit, in plain words; null where nothing does. */
function excess(late: number, queued: number, limits: OverloadOptions['limits'], share: number): string | null {
  if (late > limits.eventLoopDelay * share) return `the event loop runs ${Math.round(late)} ms late`;
  return queued > limits.queueDepth * share ? `${queued} writes wait for their commit` : null;
}

/** How late the event loop of this process runs. */
export interface DelayMonitor {
  /** Milliseconds, the mean of the last span of half a second: one long task is no overload, many are. */
  read(): number;
  readonly close: () => void;
}

const RESOLUTION = 10;
const INTERVAL = 500;
const NANOSECONDS = 1e6;

/** Measures the delay of the event loop from now on. Keeps no process alive. */
export function monitorDelay(): DelayMonitor {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION });
  let mean = 0;
  histogram.enable();
  const timer = setInterval(() => {
    // What is recorded is the time between two ticks, the intended one included; without a tick there is no mean.
    mean = histogram.count === 0 ? 0 : Math.max(0, histogram.mean / NANOSECONDS - RESOLUTION);
    histogram.reset();
  }, INTERVAL).unref();
  return {
    read: () => mean,
    close() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
