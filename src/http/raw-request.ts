import type { IncomingMessage } from 'node:http';
import type { RawRequest, RequestBody } from '../exchange/handler.ts';
import { NodeRequestBody, type NodeRequestBodyOptions } from './request-body.ts';

/**
 * A request of `node:http` as the pipeline takes it. @param target as it was sent, where a framework has rewritten
 * `url`
 */
export function rawRequest(request: IncomingMessage, body: RequestBody | null, target = request.url ?? ''): RawRequest {
  return {
    method: request.method ?? '',
    target,
    headers: request.rawHeaders,
    body,
    httpVersion: request.httpVersion,
    peer: request.socket.remoteAddress ?? '',
    client: request.socket,
    // Servers of host applications may speak TLS.
    scheme: 'encrypted' in request.socket ? 'https' : 'http',
  };
}

/** The body of a request of `node:http`; null where it has none. */
export function nodeRequestBody(
  request: IncomingMessage,
  receiving: Pick<NodeRequestBodyOptions, 'sendContinue' | 'timeout' | 'memory'>,
): NodeRequestBody | null {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (coding !== undefined) return new NodeRequestBody({ ...receiving, request, length: null });
  if (length === undefined || Number(length) === 0) return null;
  return new NodeRequestBody({ ...receiving, request, length: Number(length) });
}

/** RFC 9112 6.1: if other recipients could see another end of the body, no request is read after it. */
export function isFramingAmbiguous({ headers, httpVersion }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && (httpVersion !== '1.1' || coding.toLowerCase() !== 'chunked');
}
