// The baseline: node:http with fixed response buffers. It reads no body, stores nothing and logs nothing.
import { createServer, type RequestListener } from 'node:http';
import process from 'node:process';
import type { AddressInfo } from 'node:net';
import { product } from './products.ts';

const ROWS_OF_PAGE = 20;
const ETAG = '"1"';
const row = {
  id: '00000000-0000-7000-8000-000000000000',
  ...product(1),
  created_at: new Date(0).toISOString(),
  updated_at: new Date(0).toISOString(),
  revision: 1,
};
const one = fixedResponse(row);
const page = fixedResponse({ data: Array.from({ length: ROWS_OF_PAGE }, () => row) });

function fixedResponse(value: object): { readonly body: Buffer; readonly headers: Record<string, string | number> } {
  const body = Buffer.from(JSON.stringify(value));
  return { body, headers: { 'Content-Type': 'application/json', 'Content-Length': body.length, ETag: ETAG } };
}

const listener: RequestListener = (request, response) => {
  if (request.headers['if-none-match'] === ETAG) {
    response.writeHead(304, { ETag: ETAG }).end();
    return;
  }
  const { headers, body } = request.url?.includes('?') === true ? page : one;
  response.writeHead(200, headers).end(body);
};

const server = createServer(listener);
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`listening on http://127.0.0.1:${port}/api\n`);
});
