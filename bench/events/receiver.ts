// A receiver of webhooks, as a process of its own: `fork` it. It sends its port, then `{ ids, at }` of what it
// received, 50 times a second.
import http from 'node:http';
import process from 'node:process';

/**
 * Receipts since the last message of a receiver: ids of rows, and the times of their receipt in milliseconds since the
 * epoch.
 */
export interface Receipts {
  readonly ids: readonly string[];
  readonly at: readonly number[];
}

const INTERVAL = 20;
const ids: string[] = [];
const at: number[] = [];

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.on('end', () => {
    const { payload }: { readonly payload: { readonly resource: { readonly id: string } } } = JSON.parse(
      Buffer.concat(chunks).toString(),
    );
    ids.push(payload.resource.id);
    at.push(performance.timeOrigin + performance.now());
    response.writeHead(204).end();
  });
});

function send(message: unknown): void {
  process.send?.(message);
}

server.listen(0, '127.0.0.1', () => send(server.address()));
setInterval(() => {
  if (ids.length > 0) send({ ids: ids.splice(0), at: at.splice(0) });
}, INTERVAL);
process.once('disconnect', () => process.exit());
