// The floor: node:http with a fixed buffer, whatever is asked for.
import { createServer } from 'node:http';
import process from 'node:process';
import type { AddressInfo } from 'node:net';
import { product } from './products.ts';

const body = Buffer.from(JSON.stringify({ id: 'x', ...product(1), created_at: '', updated_at: '', revision: 1 }));
const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`listening on http://127.0.0.1:${port}/api\n`);
});
