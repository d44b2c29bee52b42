import assert from 'node:assert/strict';
import { once } from 'node:events';
import type http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';

/** A proxy of the guide, its certificate, and the connections to it. */
export interface ProxyAddress {
  readonly port: number;
  readonly certificate: string;
  /** Default: a connection for each request. */
  readonly agent?: https.Agent;
}

export interface ReceivedFromProxy {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request to a proxy. @param request its method and its target: `GET /api/v1/notes` */
export async function sendToProxy(
  { port, certificate, agent }: ProxyAddress,
  request: string,
  { headers = {}, body }: { readonly headers?: http.OutgoingHttpHeaders; readonly body?: string } = {},
): Promise<ReceivedFromProxy> {
  const [method = '', path = ''] = request.split(' ');
  const length =
    body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  const sent = https.request({
    host: '127.0.0.1',
    port,
    servername: 'api.example.com',
    ca: certificate,
    agent: agent ?? false,
    method,
    path,
    headers: { Host: 'api.example.com', ...length, ...headers },
  });
  sent.end(body);
  const [response]: http.IncomingMessage[] = await once(sent, 'response');
  assert.ok(response);
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}
