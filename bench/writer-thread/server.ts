// A server that reads on the thread that answers, and writes there or on a thread of its own. Arguments: the database's file, `request` or
// `writer`, and the milliseconds that a sync takes beside.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { committing, open, type Row } from './commits.ts';

interface Waiting {
  readonly row: Row;
  readonly answer: () => void;
}

const [file = '', place = 'request', slow = '0'] = process.argv.slice(2);
const database = open(file);
const select = database.prepare('select * from products where id = ?');
let queue: Waiting[] = [];
let busy = false;

const commit = place === 'request' ? onThisThread() : onItsOwn();

function onThisThread(): (batch: readonly Waiting[]) => void {
  const run = committing(database, Number(slow));
  return (batch) => {
    run(batch.map(({ row }) => row));
    done(batch);
  };
}

function onItsOwn(): (batch: readonly Waiting[]) => void {
  const worker = new Worker(new URL('thread.ts', import.meta.url), { workerData: { file, slow: Number(slow) } });
  let sent: readonly Waiting[] = [];
  worker.on('message', () => done(sent));
  return (batch) => {
    sent = batch;
    worker.postMessage(
      batch.map(({ row }) => row),
      [],
    );
  };
}

function done(batch: readonly Waiting[]): void {
  for (const { answer } of batch) answer();
  busy = false;
  if (queue.length > 0) begin();
}

/** Takes what came in this turn of the event loop, as our store does. */
function begin(): void {
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
  queue.push({ row, answer: () => response.writeHead(201, { Location: `/${row.id}` }).end(JSON.stringify(row)) });
  if (!busy) begin();
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
