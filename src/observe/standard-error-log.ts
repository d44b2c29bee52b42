import process from 'node:process';
import { systemClock } from '../platform/clock.ts';
import { logSink } from './log.ts';
import { logEntry } from './log-entry.ts';
import { isMeasured, type Observe } from './observation.ts';

/**
 * The observer where the application gives none: warnings and errors as JSON lines on standard error. Requests are for
 * the application to log.
 */
export function standardErrorLog(): Observe {
  const write = (line: string): void => void process.stderr.write(line);
  const log = logSink({ write, clock: systemClock, format: 'json', colours: false });
  return (observation) => {
    if (observation.kind === 'request' || isMeasured(observation)) return;
    if (logEntry(observation).level !== 'info') log(observation);
  };
}
