import { once } from 'node:events';
import http from 'node:http';

/** What came back. */
export interface ReceivedResponse {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** A request: method and target, `GET /api/v1/books`, and its header fields, no others but `Host`. A body that is no text is sent as JSON. */
export interface RequestToSend {
  readonly send: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** As many at a time as a cache takes connections with ease. */
const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });

/** Sends a request as it is, and gives the answer as it came: coded, under its own fields. */
export async function sendRequest(
  port: number,
  { send, headers = {}, body }: RequestToSend,
): Promise<ReceivedResponse> {
  const [method = '', target = ''] = send.split(' ');
  const isText = typeof body === 'string';
  const text = isText ? body : JSON.stringify(body);
  const about = text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
  const type = text === undefined || isText ? {} : { 'Content-Type': 'application/json' };
  const request = http.request({
    agent,
    host: '127.0.0.1',
    port,
    method,
    path: target,
    headers: { ...about, ...type, ...headers },
  });
  const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
  request.end(text);
  const [response] = await answered;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const named = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(named), bytes: Buffer.concat(chunks) };
}
