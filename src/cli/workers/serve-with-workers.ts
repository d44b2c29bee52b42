import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { type ReservedPort, reservePort } from '../../http/server/reserve-port.ts';
import type { Loan, LoanRequest } from '../../limits/leased-rate-limiter.ts';
import { LendingBuckets } from '../../limits/lending-buckets.ts';
import { monotonicNow } from '../../platform/clock.ts';
import { createRandom } from '../../platform/random.ts';
import type { ExitCode } from '../command-error.ts';
import { openServer } from '../serve/address.ts';
import { listenForMetrics } from '../serve/metrics-listener.ts';
import type { ServedModel } from '../serve/serve-model.ts';
import { type LogStyle, type ServerLog, withServerLog } from '../serve/server-log.ts';
import type { ServeSettings } from '../settings.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { AllMetrics } from './all-metrics.ts';
import { supervise, type SuperviseOptions } from './supervise.ts';
import { configureCluster, killWorkers, startWorker } from './worker-process.ts';

/** The slot of the worker that dispatches events. */
const DISPATCHER = 0;

/** Milliseconds between two pings of a worker: a worker whose event loop is blocked is killed after half a minute. */
const PING_INTERVAL = 5_000;

export interface WorkersOptions {
  /** Path of the model. */
  readonly file: string;
  readonly settings: ServeSettings;
  readonly log: LogStyle;
  readonly terminal: Terminal;
  readonly pingInterval?: number;
  /** Called when all workers accept connections. */
  readonly onListening: (served: ServedModel, log: ServerLog) => void;
}

/**
 * Serves a model with several worker processes on one port and one database. This process serves no requests: it
 * reserves the port, restarts workers that exit or do not answer, and writes their log.
 *
 * @param pingInterval milliseconds between two pings of a worker
 * @returns 0 after a graceful shutdown
 * @throws {CommandError} as a single process does; exit 1 where a worker repeatedly fails to start
 */
export async function serveWithWorkers(options: WorkersOptions): Promise<ExitCode> {
  const { settings, terminal, onListening, pingInterval = PING_INTERVAL } = options;
  const signal = terminal.stopSignal();
  const reserved = await openServer(() => reservePort(settings));
  // As with a single process, another program may use the port while the last requests finish.
  signal.addEventListener('abort', () => reserved.release(), { once: true });
  // A second signal ends this process immediately, and the workers with it.
  const onExit = (): void => (signal.aborted ? killWorkers() : undefined);
  process.once('exit', onExit);
  configureCluster();
  try {
    return await withServerLog(options.log, { isOneOfSeveral: true }, async (log) => {
      const metrics = new AllMetrics();
      const listener = await listenForMetrics(settings, metrics.text, log.observe);
      try {
        return await supervise({
          count: settings.workers,
          start: workerStarter(options, reserved, { writeLog: log.write, metrics }),
          signal,
          observe: log.observe,
          onListening: (served) => onListening(served, log),
          pingInterval,
          now: monotonicNow,
          sleep: (milliseconds, until) => setTimeout(milliseconds, undefined, { signal: until }).catch(() => undefined),
        });
      } finally {
        await listener?.close();
      }
    });
  } finally {
    process.off('exit', onExit);
    reserved.release();
  }
}

/** Starts workers on the reserved port. */
function workerStarter(
  { file, settings, log }: WorkersOptions,
  reserved: ReservedPort,
  { writeLog, metrics }: { readonly writeLog: ServerLog['write']; readonly metrics: AllMetrics },
): SuperviseOptions['start'] {
  let { port } = reserved;
  const rateSecret = createRandom().hex(8);
  const buckets = new LendingBuckets(settings.workers, monotonicNow);
  return (slot, peers, isPortShared) => {
    // Workers only share a port that they request by the same number: port 0 stays 0 while one of them listens on it.
    if (peers !== null && !isPortShared) ({ port } = peers);
    const dispatch = slot === DISPATCHER;
    const options = { file, settings: { ...settings, port }, log, peers, dispatch, rateSecret };
    const lend = (request: LoanRequest): Loan => buckets.lend(request);
    const worker = startWorker(options, { writeLog, lend, scrape: metrics.text });
    metrics.add(slot, worker);
    void worker.listening.then(() => reserved.handOver());
    return worker;
  };
}
