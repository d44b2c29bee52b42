import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as later } from 'node:timers/promises';
import { type LoadRequest, SERIAL, SERIAL_LENGTH } from './requests.ts';

export interface ReceivedResponse {
  readonly status: number;
  readonly etag: string;
  readonly body: string;
}

/** Retries after a 503, one second apart. */
const MAX_RETRIES = 3;

/** Reuses connections, so that a workload can read every row before its rounds. */
const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });

/**
 * Sends exactly the header fields of the load: `fetch` adds `Cache-Control` to conditional requests, which prevents a
 * 304.
 */
export async function sendRequest(port: number, request: LoadRequest): Promise<ReceivedResponse> {
  for (let refusals = 0; ; refusals += 1) {
    const response = await sendOnce(port, request);
    if (response.status !== 503 || refusals === MAX_RETRIES) return response;
    await later(1_000);
  }
}

async function sendOnce(port: number, { method, path, headers = {}, body }: LoadRequest): Promise<ReceivedResponse> {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const options = { host: '127.0.0.1', port, method, path, agent, headers: { ...headers, ...type } };
  const request = http.request(options);
  request.end(body?.replaceAll(SERIAL, String(Date.now()).padStart(SERIAL_LENGTH, '0')));
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return { status: response.statusCode ?? 0, etag: response.headers.etag ?? '', body: await text(response) };
}
