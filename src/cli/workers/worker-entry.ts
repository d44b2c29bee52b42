// What a worker process runs: it serves as its supervisor orders, until it is told to stop or the supervisor is gone.
import cluster from 'node:cluster';
import process from 'node:process';
import { CommandError } from '../command-error.ts';
import { serveModel } from '../serve/serve-model.ts';
import { endProcess, processTerminal, type Terminal } from '../terminal/terminal.ts';
import type { SupervisorMessage, WorkerOptions, WorkerMessage } from './worker-messages.ts';

const worker = cluster.worker ?? inVain();

const stop = new AbortController();
const terminal: Terminal = { ...processTerminal(), stopSignal: () => stop.signal };

process.on('message', (order: SupervisorMessage) => {
  if (order.kind === 'serve') void serve(order.options);
  else stop.abort(order.signal);
});
worker.on('disconnect', () => {
  // Node would end the process at once, and cut its requests.
  worker.exitedAfterDisconnect = true;
  stop.abort('SIGTERM');
});
// A terminal and some supervisors send these to all processes of a group: the order to stop comes from ours alone.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

async function serve(serving: WorkerOptions): Promise<void> {
  try {
    await serveModel({ ...serving, terminal, onListening: (served) => void report({ kind: 'listening', served }) });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { exitCode, message } = error;
    await report({ kind: 'failed', failure: { exitCode, message } });
    process.exitCode = exitCode;
  }
  await endProcess(Number(process.exitCode ?? 0));
}

/** Resolves when it is on its way; nobody hears it where the supervisor is gone. */
function report(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isConnected()) worker.send(message, () => resolve());
    else resolve();
  });
}

function inVain(): never {
  throw new Error('This file is what a worker runs, and no program of its own');
}
