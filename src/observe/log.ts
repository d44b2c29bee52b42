import { timestamp } from '../conventions/text/timestamp.ts';
import type { Clock } from '../platform/clock.ts';
import { jsonLine } from './log-json.ts';
import { readableLine } from './log-readable.ts';
import { isMeasured, type Observe } from './observation.ts';

export interface LogOptions {
  /** Receives whole lines; called once for each observation. */
  readonly write: (text: string) => void;
  readonly clock: Clock;
  /** `json` for machines, `readable` for developers. */
  readonly format: 'json' | 'readable';
  /** True if readable lines are coloured; JSON never is. */
  readonly colours: boolean;
  /** The process id that each JSON line includes, if several processes write one log. */
  readonly pid?: number | undefined;
}

/** Milliseconds before a repeated observation is logged again. */
const REPEAT_INTERVAL = 60_000;

/**
 * An observer that logs one line for each observation (OPS-2), other than what is measured. An unavailable store is
 * logged once a minute for each reason, because every request reports it. No line contains a token, a secret, a query
 * or a body, and no input of a client can start a new line.
 */
export function logSink({ write, clock, format, colours, pid }: LogOptions): Observe {
  let last = { at: Number.NaN, time: '' };
  const isDue = oncePerInterval(REPEAT_INTERVAL);
  return (observation) => {
    if (isMeasured(observation)) return;
    const at = clock.now();
    if (observation.kind === 'store-unavailable' && !isDue(observation.error.message, at)) return;
    // Many lines have the same millisecond.
    if (at !== last.at) last = { at, time: timestamp(at) };
    const { time } = last;
    write(format === 'json' ? jsonLine(observation, time, pid) : readableLine(observation, time, colours));
  };
}

/** Returns whether a key was not logged within the last interval. The keys are a few constants. */
function oncePerInterval(interval: number): (key: string, at: number) => boolean {
  const logged = new Map<string, number>();
  return (key, at) => {
    const before = logged.get(key);
    // The system clock may go back.
    if (before !== undefined && Math.abs(at - before) < interval) return false;
    logged.set(key, at);
    return true;
  };
}
