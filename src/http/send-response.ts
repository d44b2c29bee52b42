import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { SMALL_RESPONSE } from '../limits/response-memory.ts';
import type { BufferedResponse, StreamedResponse } from '../exchange/handler.ts';
import type { HeaderList } from '../exchange/handler.ts';
import { waitForDrain } from '../platform/wait-for-drain.ts';

/**
 * Writes a response and the fields that belong to the server: `Content-Length` here, `Date` and connection fields by
 * Node. A HEAD response has the length and no body (MET-5); 204 and 304 have neither (RFC 9110 8.6, 15.3.5, 15.4.5).
 *
 * @param method of the request
 * @param serverHeaders further fields of this server
 * @throws {Error} where a field is invalid; nothing was written, and another response can be sent
 */
export function sendResponse(
  response: ServerResponse,
  method: string,
  { status, headers, body }: BufferedResponse,
  serverHeaders: HeaderList = [],
): void {
  if (status === 204 || status === 304) {
    response.writeHead(status, [...headers, ...serverHeaders]).end();
    return;
  }
  response.writeHead(status, [...headers, 'Content-Length', String(byteLength(body)), ...serverHeaders]);
  if (body === null || method === 'HEAD') response.end();
  else response.end(body);
}

/** Bytes of the body that a response is sent with. Of a short text its characters: they need not be exact. */
export function bodyBytes({ body }: BufferedResponse, method: string): number {
  if (body === null || method === 'HEAD') return 0;
  return body.length > SMALL_RESPONSE ? Buffer.byteLength(body) : body.length;
}

function byteLength(body: BufferedResponse['body']): number {
  return body === null ? 0 : Buffer.byteLength(body);
}

/**
 * Streams a response with backpressure. The head is sent with the first chunk: until then `100 Continue` can still be
 * sent, and a failure can still become an error response. Stops where the client disconnects.
 *
 * @throws what the body throws; the chunks before it are sent, and the body has no end
 */
export async function sendStream(
  response: ServerResponse,
  { status, headers, body }: StreamedResponse,
  serverHeaders: HeaderList = [],
): Promise<void> {
  try {
    for await (const chunk of body) {
      if (response.destroyed) return;
      if (!response.headersSent) response.writeHead(status, [...headers, ...serverHeaders]);
      if (!response.write(chunk)) await waitForDrain(response);
    }
  } catch (error) {
    // Node buffers the writes of one event-loop iteration. The chunks before the failure are sent before the connection
    // ends.
    await setImmediate();
    throw error;
  }
  if (!response.headersSent) response.writeHead(status, [...headers, ...serverHeaders]);
  response.end();
}
