import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { type ReservedPort, reservePort } from '../../http/server/reserve-port.ts';
import { monotonicNow } from '../../platform/clock.ts';
import { commandFailed, describeFileError, type ExitCode } from '../command-error.ts';
import { listeningMessage } from '../serve/serve-model.ts';
import { type ServerLog, withServerLog } from '../serve/server-log.ts';
import type { ServeSettings } from '../settings.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { supervise, type SuperviseOptions } from './supervise.ts';
import { configureCluster, killWorkers, startWorker } from './worker-process.ts';

/** The slot of the worker that dispatches events. */
const DISPATCHER = 0;

/** Milliseconds between two pings of a worker: a worker whose event loop is blocked is killed after half a minute. */
const PING_INTERVAL = 5_000;

/**
 * Serves a model with several worker processes on one port and one database. This process serves no requests: it reserves the port,
 * restarts workers that exit or do not answer, and writes their log.
 *
 * @param pingInterval milliseconds between two pings of a worker
 * @returns 0 after a graceful shutdown
 * @throws {CommandError} as a single process does; exit 1 where a worker repeatedly fails to start
 */
export async function serveWithWorkers(
  file: string,
  settings: ServeSettings,
  terminal: Terminal,
  pingInterval = PING_INTERVAL,
): Promise<ExitCode> {
  const signal = terminal.stopSignal();
  const reserved = await reservePort(settings).catch((error: unknown) => {
    throw commandFailed(describeFileError(error));
  });
  // As with a single process, another program may use the port while the last requests finish.
  signal.addEventListener('abort', () => reserved.release(), { once: true });
  // A second signal ends this process immediately, and the workers with it.
  const onExit = (): void => (signal.aborted ? killWorkers() : undefined);
  process.once('exit', onExit);
  configureCluster();
  try {
    return await withServerLog(settings, terminal, ({ observe, write }) =>
      supervise({
        count: settings.workers,
        start: workerStarter(file, settings, reserved, write),
        signal,
        observe,
        pingInterval,
        onListening: (url) => void terminal.stdout.write(listeningMessage(url)),
        now: monotonicNow,
        sleep: (milliseconds, until) => setTimeout(milliseconds, undefined, { signal: until }).catch(() => undefined),
      }),
    );
  } finally {
    process.off('exit', onExit);
    reserved.release();
  }
}

/** Starts workers on the reserved port. */
function workerStarter(
  file: string,
  settings: ServeSettings,
  reserved: ReservedPort,
  writeLog: ServerLog['write'],
): SuperviseOptions['start'] {
  let { port } = reserved;
  return (slot, peers, isPortShared) => {
    // Workers only share a port that they request by the same number, so port 0 stays 0 as long as one of them listens on it.
    if (peers !== null && !isPortShared) ({ port } = peers);
    const options = { file, settings: { ...settings, port }, peers, dispatch: slot === DISPATCHER };
    const worker = startWorker(options, writeLog);
    void worker.listening.then(() => reserved.handOver());
    return worker;
  };
}
