import process from 'node:process';
import { logSink } from '../../observe/log.ts';
import { openLog } from '../../observe/log-file.ts';
import type { Observe } from '../../observe/observation.ts';
import { systemClock } from '../../platform/clock.ts';
import type { ServeSettings } from '../settings.ts';
import { supportsColour, type Terminal } from '../terminal/terminal.ts';

const STANDARD_ERROR = 2;

/** The log of a server process. */
export interface ServerLog {
  readonly observe: Observe;
  /** Writes complete lines of other processes. */
  readonly write: (lines: string) => void;
}

/** Runs a server with a log on standard error, and flushes it. An uncaught exception is logged and ends the process with exit code 1. */
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
  const onUncaught = (error: unknown): void => {
    // The state of the program is undefined: only a restart is safe.
    observe({ kind: 'error', correlationId: null, error });
    log.flushSync();
    process.exit(1);
  };
  process.on('uncaughtException', onUncaught);
  try {
    return await run({ observe, write });
  } finally {
    process.off('uncaughtException', onUncaught);
    await log.close();
  }
}
