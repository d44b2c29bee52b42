import process from 'node:process';
import { logSink } from '../../observe/log.ts';
import { openLog } from '../../observe/log-file.ts';
import type { Observe } from '../../observe/observation.ts';
import { systemClock } from '../../platform/clock.ts';
import type { ServeSettings } from '../settings.ts';
import { supportsColour, type Terminal } from '../terminal/terminal.ts';

const STANDARD_ERROR = 2;

/** The style of the log of a server. */
export interface LogStyle {
  readonly format: 'json' | 'readable';
  /** True if readable lines are coloured. */
  readonly colours: boolean;
}

/** The log of a server process. */
export interface ServerLog {
  readonly style: LogStyle;
  readonly observe: Observe;
  /** Writes complete lines of other processes. */
  readonly write: (lines: string) => void;
}

/**
 * Chooses the style of the log: that of `--log`, else a readable one if standard error is a terminal or with `--dev`,
 * else JSON. Workers inherit it from their supervisor, whose pipe is their standard error.
 */
export function logStyle({ log, dev }: Pick<ServeSettings, 'log' | 'dev'>, { stderr, env }: Terminal): LogStyle {
  const isReadable = log === null ? dev || stderr.isTTY === true : log === 'text';
  return { format: isReadable ? 'readable' : 'json', colours: supportsColour(stderr, env) };
}

/**
 * Runs a server with a log on standard error, and flushes it. An uncaught exception is logged and ends the process with
 * exit code 1.
 */
export async function withServerLog<T>(
  style: LogStyle,
  { isOneOfSeveral }: { readonly isOneOfSeveral: boolean },
  run: (log: ServerLog) => Promise<T>,
): Promise<T> {
  const log = openLog(STANDARD_ERROR);
  const { write } = log;
  const pid = isOneOfSeveral ? process.pid : undefined;
  const observe = logSink({ write, clock: systemClock, ...style, pid });
  const onUncaught = (error: unknown): void => {
    // The state of the program is undefined: only a restart is safe.
    observe({ kind: 'error', correlationId: null, error });
    log.flushSync();
    process.exit(1);
  };
  process.on('uncaughtException', onUncaught);
  try {
    return await run({ style, observe: style.format === 'json' ? observe : withoutListening(observe), write });
  } finally {
    process.off('uncaughtException', onUncaught);
    await log.close();
  }
}

/** A readable log shows the summary of what is served instead. */
function withoutListening(observe: Observe): Observe {
  return (observation) => {
    if (observation.kind !== 'listening') observe(observation);
  };
}
