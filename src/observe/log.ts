import { timestamp } from '../conventions/text/timestamp.ts';
import type { Clock } from '../platform/clock.ts';
import { jsonLine } from './log-json.ts';
import { readableLine } from './log-readable.ts';
import { isMeasured, type Observe } from './observation.ts';

/** Milliseconds before a repeated observation is logged again. */
const REPEAT_INTERVAL = 60_000;
/** Milliseconds after the end of an outage in which late errors of it are not the beginning of another one. */
const LATE = 2_000;

/** Selects the reports of an unavailable store that are logged. */
class Outages {
  readonly #logged = new Map<string, number>();
  /** The time of the last report of a server that is away; null while there is none. */
  #away: number | null = null;
  #endedAt = Number.NEGATIVE_INFINITY;

  /**
   * True if a report is logged: once a minute for each message. A server that is away is logged once, however many
   * requests and loops report it.
   *
   * @param at milliseconds since the epoch
   */
  isDue(error: Error, at: number): boolean {
    if (!('reason' in error) || error.reason !== 'away') return this.#isRepeated(error.message, at);
    // The system clock may go back.
    if (Math.abs(at - this.#endedAt) < LATE) return false;
    const isNew = this.#away === null || Math.abs(at - this.#away) >= REPEAT_INTERVAL;
    this.#away = at;
    return isNew;
  }

  /** Ends an outage. @returns true if there was one */
  end(at: number): boolean {
    if (this.#away === null) return false;
    this.#away = null;
    this.#endedAt = at;
    return true;
  }

  #isRepeated(message: string, at: number): boolean {
    const before = this.#logged.get(message);
    if (before !== undefined && Math.abs(at - before) < REPEAT_INTERVAL) return false;
    this.#logged.set(message, at);
    return true;
  }
}

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
