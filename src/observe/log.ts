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

/**
 * A sink that writes one line for each observation (OPS-2). No line holds a token, a secret, a query or a body, and nothing that a
 * client sends begins a line of its own.
 */
export function logSink({ write, clock, format, colours, pid }: LogOptions): Observe {
  let told = { at: Number.NaN, time: '' };
  return (observation) => {
    const at = clock.now();
    // Many lines are of one millisecond.
    if (at !== told.at) told = { at, time: timestamp(at) };
    const { time } = told;
    write(format === 'json' ? jsonLine(observation, time, pid) : readableLine(observation, time, colours));
  };
}
