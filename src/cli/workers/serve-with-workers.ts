import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { reservePort, type ReservedPort } from '../../http/server/reserve-port.ts';
import { monotonicNow } from '../../platform/clock.ts';
import { type ExitCode, commandFailed } from '../command-error.ts';
import { describeFileError } from '../model-file/read-model.ts';
import { listeningMessage } from '../serve/serve-model.ts';
import { type ServerLog, withServerLog } from '../serve/server-log.ts';
import type { ServeSettings } from '../settings.ts';
import { supervise, type SuperviseOptions } from './supervise.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { killWorkers, configureCluster, startWorker } from './worker-process.ts';

/** The place of the worker from which events go where they must. */
const DISPATCHES = 0;

/**
 * Serves a model by several processes on one port and one database. This one serves nothing itself: it takes the connections, keeps the
 * workers alive and writes their log.
 *
 * @returns 0 once stopped in order
 * @throws {CommandFailure} as one process would; exit 1 where a worker does not come up again and again
 */
export async function serveWithWorkers(file: string, settings: ServeSettings, terminal: Terminal): Promise<ExitCode> {
  const stop = terminal.stopSignal();
  const claim = await reservePort(settings).catch((error: unknown) => {
    throw commandFailed(describeFileError(error));
  });
  // Like one process that has stopped listening: another program may have the port while requests are finished.
  stop.addEventListener('abort', () => claim.release(), { once: true });
  // A second signal ends this process at once, and with it the workers.
  const cut = (): void => (stop.aborted ? killWorkers() : undefined);
  process.once('exit', cut);
  configureCluster();
  try {
    return await withServerLog(settings, terminal, ({ observe, write }) =>
      supervise({
        count: settings.workers,
        start: starter(file, settings, claim, write),
        signal: stop,
        observe,
        onListening: (url) => void terminal.stdout.write(listeningMessage(url)),
        now: monotonicNow,
        sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
      }),
    );
  } finally {
    process.off('exit', cut);
    claim.release();
  }
}

/** Starts workers on the port that is claimed for them. */
function starter(
  file: string,
  settings: ServeSettings,
  claim: ReservedPort,
  write: ServerLog['write'],
): SuperviseOptions['start'] {
  let { port } = claim;
  return (place, joins, held) => {
    // Workers share an address as it was asked for. Once none holds a port that the system picked, it is asked for by its number.
    if (joins !== null && !held) ({ port } = joins);
    const worker = startWorker(
      { file, settings: { ...settings, port }, peers: joins, dispatch: place === DISPATCHES },
      write,
    );
    void worker.listening.then(() => claim.handOver());
    return worker;
  };
}
