import { once } from 'node:events';
import http from 'node:http';

export interface ReceivedResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/**
 * A request: method and target, `GET /api/v1/books`, and all of its header fields but `Host`. A body that is not a
 * string is sent as JSON.
 */
export interface RequestToSend {
  readonly send: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** More concurrent connections overload the caches. */
const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });

/** Sends a request, and returns the response without decoding it. */
export async function sendRequest(
  port: number,
  { send, headers = {}, body }: RequestToSend,
): Promise<ReceivedResponse> {
  const [method = '', target = ''] = send.split(' ');
  const isText = typeof body === 'string';
  const text = isText ? body : JSON.stringify(body);
  const length = text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
  const type = text === undefined || isText ? {} : { 'Content-Type': 'application/json' };
  const request = http.request({
    agent,
    host: '127.0.0.1',
    port,
    method,
    path: target,
    headers: { ...length, ...type, ...headers },
  });
  const received = once(request, 'response') as Promise<[http.IncomingMessage]>;
  request.end(text);
  const [response] = await received;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const fields = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(fields), bytes: Buffer.concat(chunks) };
}
