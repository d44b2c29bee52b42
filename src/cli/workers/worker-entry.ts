// The entry point of a worker process: serves as the supervisor instructs, until the supervisor stops it or exits.
import cluster, { type Worker } from 'node:cluster';
import process from 'node:process';
import { createMetrics } from '../../observe/metrics/metrics.ts';
import { CommandError } from '../command-error.ts';
import { serveModel } from '../serve/serve-model.ts';
import { endProcess, processTerminal } from '../terminal/terminal.ts';
import { PendingReplies } from './pending-replies.ts';
import { SupervisorLoans } from './supervisor-loans.ts';
import type { SupervisorMessage, WorkerMessage, WorkerOptions } from './worker-messages.ts';

if (cluster.worker === undefined)
  throw new Error('This file is the entry point of worker processes; start them with `restwright serve --workers`.');
// Terminals and some process managers signal the whole process group: only the supervisor stops a worker.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
followSupervisor(cluster.worker);

/** Does what the messages of the supervisor say. */
function followSupervisor(worker: Worker): void {
  const stop = new AbortController();
  const own = createMetrics();
  const scrapes = new PendingReplies<string | null>();
  let loans: SupervisorLoans | null = null;
  const send = (message: WorkerMessage): Promise<void> => sendMessage(worker, message);
  // Those of all workers; its own if the supervisor is gone.
  const text = async (): Promise<string> =>
    (await scrapes.request((id) => void send({ kind: 'scrape', id }))) ?? own.text();
  const start = (options: WorkerOptions): Promise<void> => {
    loans = new SupervisorLoans({ secret: options.rateSecret, send: (message) => void send(message) });
    const terminal = { ...processTerminal(), stopSignal: () => stop.signal };
    return serve({ ...options, terminal, rateLender: loans, metrics: { ...own, text } }, send);
  };

  process.on('message', (message: SupervisorMessage) => {
    switch (message.kind) {
      case 'serve':
        return void start(message.options);
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
}

async function serve(
  options: Omit<Parameters<typeof serveModel>[0], 'onListening'>,
  send: (message: WorkerMessage) => Promise<void>,
): Promise<void> {
  try {
    await serveModel({ ...options, onListening: (served) => void send({ kind: 'listening', served }) });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { exitCode, message } = error;
    await send({ kind: 'failed', failure: { exitCode, message } });
    process.exitCode = exitCode;
  }
  await endProcess(Number(process.exitCode ?? 0));
}

/** Resolves when the message is sent, or immediately if the supervisor is gone. */
function sendMessage(worker: Worker, message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isConnected()) worker.send(message, () => resolve());
    else resolve();
  });
}
