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

/** Times that a refusal (503) is taken at its word: come again in a second. */
const MAX_RETRIES = 3;

/** Asks with the fields of the load and no others: `fetch` would forbid a 304. */
export async function sendRequest(port: number, request: LoadRequest): Promise<ReceivedResponse> {
  for (let refusals = 0; ; refusals += 1) {
    const told = await sendOnce(port, request);
    if (told.status !== 503 || refusals === MAX_RETRIES) return told;
    await later(1_000);
  }
}

async function sendOnce(port: number, { method, path, headers = {}, body }: LoadRequest): Promise<ReceivedResponse> {
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const options = { host: '127.0.0.1', port, method, path, headers: { ...headers, ...type } };
  const request = http.request(options);
  request.end(body?.replaceAll(SERIAL, String(Date.now()).padStart(SERIAL_LENGTH, '0')));
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return { status: response.statusCode ?? 0, etag: response.headers.etag ?? '', body: await text(response) };
}
