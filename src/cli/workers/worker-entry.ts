// The entry point of a worker process: serves as the supervisor instructs, until the supervisor stops it or exits.
import cluster from 'node:cluster';
import process from 'node:process';
import { createMetrics } from '../../observe/metrics/metrics.ts';
import { CommandError } from '../command-error.ts';
import { serveModel } from '../serve/serve-model.ts';
import { endProcess, processTerminal, type Terminal } from '../terminal/terminal.ts';
import { PendingReplies } from './pending-replies.ts';
import { SupervisorLoans } from './supervisor-loans.ts';
import type { SupervisorMessage, WorkerMessage, WorkerOptions } from './worker-messages.ts';

const worker = cluster.worker ?? refuseToRun();

const stop = new AbortController();
let loans: SupervisorLoans | null = null;
const own = createMetrics();
const scrapes = new PendingReplies<string | null>();
/** Those of all workers; its own where the supervisor is gone. */
const text = async (): Promise<string> =>
  (await scrapes.request((id) => void send({ kind: 'scrape', id }))) ?? own.text();
const terminal: Terminal = { ...processTerminal(), stopSignal: () => stop.signal };

process.on('message', (message: SupervisorMessage) => {
  switch (message.kind) {
    case 'serve':
      return void serve(message.options);
    case 'stop':
      return stop.abort(message.signal);
    case 'ping':
      return void send({ kind: 'pong' });
    case 'report':
      return void own.families().then((families) => send({ kind: 'reported', id: message.id, families }));
    case 'scraped':
      return scrapes.receive(message.id, message.text);
    case 'lent':
      return loans?.receive(message.id, message.loans);
  }
});
worker.on('disconnect', () => {
  // Without this, Node.js ends the process immediately and drops its requests.
  worker.exitedAfterDisconnect = true;
  loans?.disconnect();
  scrapes.answerAll(null);
  stop.abort('SIGTERM');
});
// Terminals and some process managers signal the whole process group: only the supervisor stops a worker.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

async function serve(options: WorkerOptions): Promise<void> {
  try {
    loans = new SupervisorLoans({ secret: options.rateSecret, send: (message) => void send(message) });
    await serveModel({
      ...options,
      terminal,
      rateLender: loans,
      metrics: { ...own, text },
      onListening: (served) => void send({ kind: 'listening', served }),
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { exitCode, message } = error;
    await send({ kind: 'failed', failure: { exitCode, message } });
    process.exitCode = exitCode;
  }
  await endProcess(Number(process.exitCode ?? 0));
}

/** Resolves when the message is sent, or immediately where the supervisor is gone. */
function send(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isConnected()) worker.send(message, () => resolve());
    else resolve();
  });
}

function refuseToRun(): never {
  throw new Error('This file is the entry point of worker processes; start them with `restwright serve --workers`.');
}
