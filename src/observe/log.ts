import { timestamp } from '../conventions/timestamp.ts';
import type { Clock } from '../platform/clock.ts';
import { jsonLine } from './log-json.ts';
import { readableLine } from './log-readable.ts';
import type { Observe } from './observation.ts';

export interface LogOptions {
  /** Takes whole lines; called once for each observation. */
  readonly write: (text: string) => void;
  readonly clock: Clock;
  /** `json` for machines, `readable` for the person who develops. */
  readonly format: 'json' | 'readable';
  /** Whether readable lines are coloured; it means nothing to JSON. */
  readonly colours: boolean;
  /** The process that writes, where several write one log: it stands in each JSON line. */
  readonly pid?: number | undefined;
}

/** Milliseconds after which the log tells again what goes on. */
const REPEAT_INTERVAL = 60_000;

/**
 * A sink that writes one line for each observation (OPS-2), but of a database that cannot be used one a minute for each reason: each request
 * would tell it again. No line holds a token, a secret, a query or a body, and nothing that a
 * client sends begins a line of its own.
 */
export function logSink({ write, clock, format, colours, pid }: LogOptions): Observe {
  let told = { at: Number.NaN, time: '' };
  const isDue = oncePerInterval(REPEAT_INTERVAL);
  return (observation) => {
    const at = clock.now();
    if (observation.kind === 'store-unavailable' && !isDue(observation.error.message, at)) return;
    // Many lines are of one millisecond.
    if (at !== told.at) told = { at, time: timestamp(at) };
    const { time } = told;
    write(format === 'json' ? jsonLine(observation, time, pid) : readableLine(observation, time, colours));
  };
}

/** Tells whether something is to be told that was not in the span of time before. What it is comes from a few constants. */
function oncePerInterval(span: number): (what: string, at: number) => boolean {
  const told = new Map<string, number>();
  return (what, at) => {
    const before = told.get(what);
    // The clock may have been turned back.
    if (before !== undefined && Math.abs(at - before) < span) return false;
    told.set(what, at);
    return true;
  };
}
