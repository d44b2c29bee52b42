import process from 'node:process';
import { logSink } from '../../observe/log.ts';
import { openLog } from '../../observe/log-file.ts';
import type { Observe } from '../../observe/observation.ts';
import { systemClock } from '../../platform/clock.ts';
import type { ServeSettings } from '../settings.ts';
import { supportsColour, type Terminal } from '../terminal/terminal.ts';

const STANDARD_ERROR = 2;

/** The log of a process that serves. */
export interface ServerLog {
  readonly observe: Observe;
  /** Takes whole lines that others made. */
  readonly write: (text: string) => void;
}

/** Runs with a log on standard error, which has everything when this resolves. A crash of the process is told in it, and ends with 1. */
export async function withServerLog<T>(
  { dev, workers }: ServeSettings,
  { stderr, env }: Terminal,
  run: (log: ServerLog) => Promise<T>,
): Promise<T> {
  const log = openLog(STANDARD_ERROR);
  const { write } = log;
  const format = dev ? 'readable' : 'json';
  const pid = workers > 1 ? process.pid : undefined;
  const observe = logSink({ write, clock: systemClock, format, colours: supportsColour(stderr, env), pid });
  const crashed = (error: unknown): void => {
    // The program is in a state that nobody foresaw: it is told, and a supervisor starts anew.
    observe({ kind: 'error', correlationId: null, error });
    log.flushSync();
    process.exit(1);
  };
  process.on('uncaughtException', crashed);
  try {
    return await run({ observe, write });
  } finally {
    process.off('uncaughtException', crashed);
    await log.close();
  }
}
