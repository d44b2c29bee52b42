import cluster, { type Worker as ClusterWorker } from 'node:cluster';
import module from 'node:module';
import path from 'node:path';
import process from 'node:process';
import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Loan, LoanRequest } from '../../limits/leased-rate-limiter.ts';
import type { MetricFamily } from '../../observe/metrics/metric-family.ts';
import { workerFile } from '../../platform/process/worker-file.ts';
import type { ServedModel } from '../serve/serve-model.ts';
import { PendingReplies } from './pending-replies.ts';
import type { WorkerExit, WorkerHandle } from './supervise.ts';
import type { SupervisorMessage, WorkerMessage, WorkerOptions } from './worker-messages.ts';

const ENTRY = fileURLToPath(workerFile(import.meta.url, 'worker-entry'));

/**
 * Milliseconds to wait for the last log lines of a worker that exited; a child process of it may hold its standard
 * error open.
 */
const LOG_TIMEOUT = 1_000;

const LINE_FEED = 0x0a;

/**
 * Configures `node:cluster`. Where the system cannot share a port, connections are distributed round-robin, on Windows
 * too.
 */
export function configureCluster(): void {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: ENTRY, args: [], stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
}

/** The services of the supervisor for a worker. */
export interface WorkerServices {
  /** Receives the lines of its standard error. */
  readonly writeLog: (lines: string) => void;
  /** Lends units of rate limits. */
  readonly lend: (request: LoanRequest) => Loan;
  /** The metrics of all workers. */
  readonly scrape: () => Promise<string>;
}

/** A worker that was started. */
export interface StartedWorker extends WorkerHandle {
  /** Collects its metrics. Never resolves if the worker does not answer. */
  readonly report: () => Promise<readonly MetricFamily[]>;
}

/** Starts a worker. */
export function startWorker(options: WorkerOptions, { writeLog, lend, scrape }: WorkerServices): StartedWorker {
  const worker = cluster.fork(compileCacheEnv());
  const { promise: listening, resolve } = Promise.withResolvers<ServedModel>();
  let failure: WorkerExit['failure'] = null;
  let onPong = (): void => undefined;
  const reports = new PendingReplies<readonly MetricFamily[]>();
  worker.on('message', (message: WorkerMessage) => {
    switch (message.kind) {
      case 'listening':
        return resolve(message.served);
      case 'pong':
        return onPong();
      case 'reported':
        return reports.receive(message.id, message.families);
      case 'scrape':
        return void scrape().then((text) => sendToWorker(worker, { kind: 'scraped', id: message.id, text }));
      case 'borrow':
        return sendToWorker(worker, { kind: 'lent', id: message.id, loans: message.requests.map(lend) });
      case 'failed':
        ({ failure } = message);
    }
  });
  sendToWorker(worker, { kind: 'serve', options });
  return {
    pid: worker.process.pid ?? 0,
    listening,
    exited: waitForExit(worker, writeLog).then((startFailure) => {
      const { exitCode: code, signalCode: signal } = worker.process;
      return { code, signal, failure: startFailure ?? failure };
    }),
    ping(answered) {
      onPong = answered;
      sendToWorker(worker, { kind: 'ping' });
    },
    report: () => reports.request((id) => sendToWorker(worker, { kind: 'report', id })),
    stop: (signal) => sendToWorker(worker, { kind: 'stop', signal }),
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

/** Kills all workers. */
export function killWorkers(): void {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
}

/** @returns why the process could not be started, or null once it has exited and its log lines are written */
async function waitForExit(worker: ClusterWorker, writeLog: (lines: string) => void): Promise<WorkerExit['failure']> {
  const { stderr } = worker.process;
  const lines = stderr === null ? null : forwardLines(stderr, writeLog);
  const { promise, resolve } = Promise.withResolvers<WorkerExit['failure']>();
  worker.on('error', ({ message }) => {
    // After the start, an error only means that a message was not delivered; the exit event follows.
    if (worker.process.pid === undefined)
      resolve({ exitCode: 1, message: `cannot start a worker process: ${message}` });
  });
  worker.on('exit', () => resolve(null));
  const failure = await promise;
  await Promise.race([lines, setTimeout(LOG_TIMEOUT, null, { ref: false })]);
  return failure;
}

/**
 * Forwards a stream in complete lines, so that several streams can share one output without mixing their lines.
 *
 * @param write receives complete lines; an incomplete last line gets a line feed
 * @returns resolves when the stream has ended
 */
export async function forwardLines(stream: Readable, write: (lines: string) => void): Promise<void> {
  let incomplete: readonly Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      write(Buffer.concat([...incomplete, chunk.subarray(0, end)]).toString());
      incomplete = [];
    }
    if (end < chunk.length) incomplete = [...incomplete, chunk.subarray(end)];
  }
  if (incomplete.length > 0) write(`${Buffer.concat(incomplete).toString()}\n`);
}

/** A message to a worker that is exiting may be lost: its exit event follows. */
function sendToWorker(worker: ClusterWorker, message: SupervisorMessage): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/** Workers reuse the compile cache of this process. */
function compileCacheEnv(): NodeJS.ProcessEnv {
  const folder = module.getCompileCacheDir();
  if (folder === undefined || process.env['NODE_COMPILE_CACHE'] !== undefined) return {};
  return { NODE_COMPILE_CACHE: path.dirname(folder) };
}
