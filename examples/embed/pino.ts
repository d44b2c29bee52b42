import type { Logger } from 'pino';
import { logEntry, type Observe } from '../../src/index.ts';

/**
 * An observer that writes each observation to the log of the application, with the level and the members of the log of
 * `restwright serve`.
 */
export function pinoObserver(logger: Logger): Observe {
  return (observation) => {
    const { level, event, fields } = logEntry(observation);
    logger[level]({ ...fields, event });
  };
}
