import { timestamp } from '../conventions/text/timestamp.ts';
import type { Clock } from '../platform/clock.ts';
import { jsonLine } from './log-json.ts';
import { readableLine } from './log-readable.ts';
import { isMeasured, type Observe } from './observation.ts';
import { Outages } from './outages.ts';

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

/**
 * An observer that logs one line for each observation (OPS-2), other than what is measured. An unavailable store is
 * logged once a minute for each reason, because every request reports it. A server that is away is logged once when it
 * goes, and once when it returns. No line contains a token, a secret, a query or a body, and no input of a client can
 * start a new line.
 */
export function logSink({ write, clock, format, colours, pid }: LogOptions): Observe {
  let last = { at: Number.NaN, time: '' };
  const outages = new Outages();
  return (observation) => {
    if (isMeasured(observation)) return;
    const at = clock.now();
    if (observation.kind === 'store-unavailable' && !outages.isDue(observation.error, at)) return;
    if (observation.kind === 'store-available' && !outages.end(at)) return;
    // Many lines have the same millisecond.
    if (at !== last.at) last = { at, time: timestamp(at) };
    const { time } = last;
    write(format === 'json' ? jsonLine(observation, time, pid) : readableLine(observation, time, colours));
  };
}
