import type { ServerResponse } from 'node:http';
import type { Answer } from '../pipeline/exchange.ts';

/**
 * Writes an answer, with the fields that are the server's: `Content-Length` here, `Date` and connection fields by Node. The body
 * of HEAD is withheld and its length kept (MET-5); 204 and 304 have neither (RFC 9110 8.6, 15.3.5, 15.4.5).
 *
 * @param method of the request that is answered
 * @throws {Error} where a field cannot be sent; then nothing was written, and the response takes another answer
 */
export function sendAnswer(response: ServerResponse, method: string, { status, headers, body }: Answer): void {
  if (status === 204 || status === 304) {
    response.writeHead(status, [...headers]).end();
    return;
  }
  response.writeHead(status, [...headers, 'Content-Length', String(byteLength(body))]);
  if (body === null || method === 'HEAD') response.end();
  else response.end(body);
}

function byteLength(body: Answer['body']): number {
  return body === null ? 0 : Buffer.byteLength(body);
}
