import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { waitForDrain } from '../platform/wait-for-drain.ts';
import type { HeaderList } from '../pipeline/represent/response.ts';
import type { StreamedResponse, BufferedResponse } from '../pipeline/exchange.ts';

/**
 * Writes an answer, with the fields that are the server's: `Content-Length` here, `Date` and connection fields by Node. The body
 * of HEAD is withheld and its length kept (MET-5); 204 and 304 have neither (RFC 9110 8.6, 15.3.5, 15.4.5).
 *
 * @param method of the request that is answered
 * @param further fields of this server beside
 * @throws {Error} where a field cannot be sent; then nothing was written, and the response takes another answer
 */
export function sendResponse(
  response: ServerResponse,
  method: string,
  { status, headers, body }: BufferedResponse,
  further: HeaderList = [],
): void {
  if (status === 204 || status === 304) {
    response.writeHead(status, [...headers, ...further]).end();
    return;
  }
  response.writeHead(status, [...headers, 'Content-Length', String(byteLength(body)), ...further]);
  if (body === null || method === 'HEAD') response.end();
  else response.end(body);
}

function byteLength(body: BufferedResponse['body']): number {
  return body === null ? 0 : Buffer.byteLength(body);
}

/**
 * Writes an answer piece by piece, each when the ones before have left. The head goes with the first piece: until then `100 Continue` may still
 * be sent, and what fails can still be told. Where the client goes away, the pieces end.
 *
 * @throws whatever the body throws; what was written before is on its way, and the body has no end
 */
export async function sendStream(
  response: ServerResponse,
  { status, headers, body }: StreamedResponse,
  further: HeaderList = [],
): Promise<void> {
  try {
    for await (const piece of body) {
      if (response.destroyed) return;
      if (!response.headersSent) response.writeHead(status, [...headers, ...further]);
      if (!response.write(piece)) await waitForDrain(response);
    }
  } catch (error) {
    // Node gathers what is written within one turn; what came before the failure is to leave before the connection ends.
    await setImmediate();
    throw error;
  }
  if (!response.headersSent) response.writeHead(status, [...headers, ...further]);
  response.end();
}
