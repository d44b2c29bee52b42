// A server that reads on the request thread and commits there or on a writer thread. Arguments: the database file,
// `request` or `writer`, and the additional milliseconds of each sync.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { groupCommit, openDatabase, type ProductRow } from './commits.ts';

interface PendingWrite {
  readonly row: ProductRow;
  readonly respond: () => void;
}

const [file = '', thread = 'request', slow = '0'] = process.argv.slice(2);
const database = openDatabase(file);
const select = database.prepare('select * from products where id = ?');
let queue: PendingWrite[] = [];
let busy = false;

const commit = thread === 'request' ? onRequestThread() : onWriterThread();

function onRequestThread(): (batch: readonly PendingWrite[]) => void {
  const run = groupCommit(database, Number(slow));
  return (batch) => {
    run(batch.map(({ row }) => row));
    done(batch);
  };
}

function onWriterThread(): (batch: readonly PendingWrite[]) => void {
  const worker = new Worker(new URL('thread.ts', import.meta.url), { workerData: { file, slow: Number(slow) } });
  let sent: readonly PendingWrite[] = [];
  worker.on('message', () => done(sent));
  return (batch) => {
    sent = batch;
    worker.postMessage(
      batch.map(({ row }) => row),
      [],
    );
  };
}

function done(batch: readonly PendingWrite[]): void {
  for (const { respond } of batch) respond();
  busy = false;
  if (queue.length > 0) scheduleCommit();
}

/** Commits the writes of the current event-loop iteration together, as our store does. */
function scheduleCommit(): void {
  busy = true;
  setImmediate(() => {
    const batch = queue;
    queue = [];
    commit(batch);
  });
}

function read(id: string, response: ServerResponse): void {
  response.end(JSON.stringify(select.get(id) ?? null));
}

async function write(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { sku } = JSON.parse(await text(request));
  const row = { id: randomUUID(), sku };
  queue.push({ row, respond: () => response.writeHead(201, { Location: `/${row.id}` }).end(JSON.stringify(row)) });
  if (!busy) scheduleCommit();
}

const server = createServer((request, response) => {
  if (request.method === 'GET') read(request.url?.slice(1) ?? '', response);
  else void write(request, response);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
});
process.once('SIGTERM', () => process.exit());
