import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export type Respond = (response: ServerResponse, request: IncomingMessage) => void;

/** An issuer on this machine; `respond` says what it answers, and may be replaced. */
export interface IssuerServer {
  readonly url: string;
  /** The paths of all requests, in order. */
  readonly requests: string[];
  respond: Respond;
}

export async function startIssuer(test: TestContext, respond: Respond): Promise<IssuerServer> {
  const issuer = { url: '', requests: [] as string[], respond };
  const server = createServer((request, response) => {
    issuer.requests.push(request.url ?? '');
    issuer.respond(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(issuer, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** Responds with JSON. */
export const json =
  (value: unknown, headers: Record<string, string> = {}): Respond =>
  (response) =>
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value));
