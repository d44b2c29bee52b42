import cluster, { type Worker as Forked } from 'node:cluster';
import module from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { workerFile } from '../../platform/worker-file.ts';
import type { ServedModel } from '../serve/serve-model.ts';
import type { WorkerExit, WorkerHandle } from './supervise.ts';
import { forwardLines } from './line-buffer.ts';
import type { SupervisorMessage, WorkerOptions, WorkerMessage } from './worker-messages.ts';

const ENTRY = fileURLToPath(workerFile(import.meta.url, 'worker-entry'));

/** Milliseconds for the last lines of a worker that has ended; a process that it left behind may hold its standard error open. */
const LAST_LINES = 1_000;

/** Prepares for workers: where the system cannot share a port, each connection is given to the next of them, on Windows too. */
export function configureCluster(): void {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: ENTRY, args: [], stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
}

/**
 * Starts a worker.
 *
 * @param write takes the lines of its standard error
 */
export function startWorker(serving: WorkerOptions, write: (lines: string) => void): WorkerHandle {
  const forked = cluster.fork(compiledBefore());
  const { promise, resolve } = Promise.withResolvers<ServedModel>();
  let failure: WorkerExit['failure'] = null;
  forked.on('message', (report: WorkerMessage) => {
    if (report.kind === 'listening') resolve(report.served);
    else ({ failure } = report);
  });
  tell(forked, { kind: 'serve', options: serving });
  return {
    pid: forked.process.pid ?? 0,
    listening: promise,
    exited: endOf(forked, write).then((unstarted) => {
      const { exitCode: code, signalCode: signal } = forked.process;
      return { code, signal, failure: unstarted ?? failure };
    }),
    stop: (signal) => tell(forked, { kind: 'stop', signal }),
    kill: () => void forked.process.kill('SIGKILL'),
  };
}

/** Ends all workers at once, whatever they do. */
export function killWorkers(): void {
  for (const forked of Object.values(cluster.workers ?? {})) forked?.process.kill('SIGKILL');
}

/** @returns why the process could not be started at all, or null once it has ended and its lines are written */
async function endOf(forked: Forked, write: (lines: string) => void): Promise<WorkerExit['failure']> {
  const { stderr } = forked.process;
  const lines = stderr === null ? null : forwardLines(stderr, write);
  const { promise, resolve } = Promise.withResolvers<WorkerExit['failure']>();
  forked.on('error', ({ message }) => {
    // Of one that was started this says no more than that something did not reach it: its end is heard of.
    if (forked.process.pid === undefined) resolve({ exitCode: 1, message: `No process can be started: ${message}` });
  });
  forked.on('exit', () => resolve(null));
  const failure = await promise;
  await Promise.race([lines, setTimeout(LAST_LINES, null, { ref: false })]);
  return failure;
}

/** A worker that ends meanwhile is heard of when it has ended. */
function tell(forked: Forked, order: SupervisorMessage): void {
  if (forked.isConnected()) forked.send(order, () => undefined);
}

/** What this process has compiled, a worker need not compile again. */
function compiledBefore(): NodeJS.ProcessEnv {
  const folder = module.getCompileCacheDir();
  if (folder === undefined || process.env['NODE_COMPILE_CACHE'] !== undefined) return {};
  return { NODE_COMPILE_CACHE: path.dirname(folder) };
}
