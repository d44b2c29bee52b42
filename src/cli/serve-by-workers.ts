import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { steady } from '../platform/clock.ts';
import type { ExitCode } from './command-failure.ts';
import { announcement } from './serve-model.ts';
import { type ServingLog, withLog } from './serving-log.ts';
import type { ServeSettings } from './settings.ts';
import { supervise, type Supervision } from './supervise.ts';
import type { Terminal } from './terminal.ts';
import { killWorkers, setUpWorkers, startWorker } from './worker-process.ts';

/** The place of the worker from which events go where they must. */
const DISPATCHES = 0;

/**
 * Serves a model by several processes on one port and one database. This one serves nothing itself: it takes the connections, keeps the
 * workers alive and writes their log.
 *
 * @returns 0 once stopped in order
 * @throws {CommandFailure} as one process would; exit 1 where a worker does not come up again and again
 */
export async function serveByWorkers(file: string, settings: ServeSettings, terminal: Terminal): Promise<ExitCode> {
  const stop = terminal.stopRequested();
  // A second signal ends this process at once, and with it the workers.
  const cut = (): void => (stop.aborted ? killWorkers() : undefined);
  process.once('exit', cut);
  setUpWorkers();
  let { port } = settings;
  const start =
    (write: ServingLog['write']): Supervision['start'] =>
    (place, joins, held) => {
      // Workers share an address as it was asked for. Once none holds a port that the system picked, it is asked for by its number.
      if (joins !== null && !held) ({ port } = joins);
      return startWorker({ file, settings: { ...settings, port }, joins, dispatch: place === DISPATCHES }, write);
    };
  try {
    return await withLog(settings, terminal, ({ observe, write }) =>
      supervise({
        count: settings.workers,
        start: start(write),
        stop,
        observe,
        listening: (url) => void terminal.stdout.write(announcement(url)),
        now: steady,
        pause: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
      }),
    );
  } finally {
    process.off('exit', cut);
  }
}
