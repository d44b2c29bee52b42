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

/** The header fields and the body of a request; a body is JSON unless a field says otherwise. */
export interface ProxyMessage {
  readonly headers?: http.OutgoingHttpHeaders | undefined;
  readonly body?: string | undefined;
}

/** Sends a request to a proxy. @param request its method and its target: `GET /api/v1/notes` */
export async function sendToProxy(
  address: ProxyAddress,
  request: string,
  message: ProxyMessage = {},
): Promise<ReceivedFromProxy> {
  const response = await openRequest(address, request, message);
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

/** Sends a request as {@link sendToProxy}, and waits for the head of its response alone. */
export async function openRequest(
  { port, certificate, agent }: ProxyAddress,
  request: string,
  { headers = {}, body }: ProxyMessage,
): Promise<http.IncomingMessage> {
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
  return response ?? assert.fail('no response');
}
