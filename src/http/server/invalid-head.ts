import { type ApiError, apiError } from '../../conventions/errors.ts';
import { isRegisteredMethod } from '../../conventions/methods.ts';
import { requestTimeoutError } from '../../conventions/receive-errors.ts';
import type { Limits } from '../../model/model.ts';
import {
  type ApiResponse,
  type BufferedResponse,
  type Handler,
  isStreamed,
  type RawRequest,
} from '../../exchange/handler.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { Connection } from './connection.ts';
import { isLaterMinor, isRequestComplete, readLaterRequest } from './later-minor-version.ts';
import {
  isHeaderOverflow,
  isMethodError,
  notHttp,
  type ParserError,
  parserApiError,
  targetTooLong,
} from './parser-error.ts';
import {
  endsInTarget,
  hasSpaceInTarget,
  invalidMessage,
  isHeadComplete,
  isLineComplete,
  type RequestHead,
  readHead,
} from './request-head.ts';

/** The response to an invalid head. */
interface InvalidHeadResponse {
  readonly head: RequestHead;
  readonly result: BufferedResponse;
}

type Handle = (request: RawRequest) => MaybePromise<ApiResponse>;

const NO_BYTES = Buffer.alloc(0);

/**
 * Responds to a head that the parser rejected. Reads as much more of it as the response depends on: the kind of the
 * error, the correlation id and `Accept` (ERR-5, ERR-6).
 *
 * @param handle handles a request with a method that the parser does not know, but IANA does
 */
export async function respondToInvalidHead(
  connection: Connection,
  error: ParserError,
  { handler, limits }: { readonly handler: Handler; readonly limits: Limits },
  handle: Handle,
): Promise<InvalidHeadResponse> {
  const message = invalidMessage(error.rawPacket ?? NO_BYTES, error.bytesParsed ?? 0);
  if (isLaterMinor(error, message)) return respondToLaterMinor(connection, message, { handler, limits }, handle);
  const { bytes, end } = await connection.readRemaining(message, completion(error), limits.headersTimeout);
  const head = readHead(bytes);
  if (isMethodError(error) && isRegisteredMethod(head.method)) {
    const peer = connection.socket.remoteAddress ?? '';
    const result = await handle({ ...head, body: null, httpVersion: '1.1', peer });
    if (isStreamed(result)) throw new Error(`the response to ${head.method} without a body was streamed`);
    return { head, result };
  }
  const reason = (): ApiError => {
    if (isMethodError(error) && head.method !== '') return unknownMethod();
    if (end === 'timeout') return requestTimeoutError();
    if (!isMethodError(error)) return parserApiError(error, limits, bytes);
    if (hasSpaceInTarget(bytes)) return spaceInTarget();
    return endsInTarget(bytes) ? targetTooLong(limits.target) : notHttp(bytes);
  };
  return { head, result: handler.refuse(reason(), head) };
}

/** Returns a predicate: whether the bytes suffice to name the error. */
function completion(error: ParserError): (bytes: Buffer) => boolean {
  if (isMethodError(error)) return isHeadComplete;
  return isHeaderOverflow(error) ? isLineComplete : () => true;
}

/** A well-formed request line with a method that is not registered (501, MET-6). */
function unknownMethod(): ApiError {
  return apiError('REQUEST_METHOD_NOT_IMPLEMENTED', 'This method is not implemented. Send one that OPTIONS lists.');
}

/** A request line with a space too many (400): what the client must have meant is the target. */
function spaceInTarget(): ApiError {
  return apiError('REQUEST_MALFORMED', 'The request target contains a space. Percent-encode it: send %20.');
}

/**
 * Responds to a request of a later HTTP/1 as to one of HTTP/1.1. The connection ends with it: the parser does not go
 * on.
 */
async function respondToLaterMinor(
  connection: Connection,
  message: Buffer,
  { handler, limits }: { readonly handler: Handler; readonly limits: Limits },
  handle: Handle,
): Promise<InvalidHeadResponse> {
  const isComplete = (bytes: Buffer): boolean => isRequestComplete(bytes, limits.body);
  const { bytes, end } = await connection.readRemaining(message, isComplete, limits.requestTimeout);
  const head = readHead(bytes);
  try {
    if (end === 'timeout') throw requestTimeoutError();
    const request = readLaterRequest(bytes, connection.socket.remoteAddress ?? '', limits.body);
    return { head, result: await buffered(await handle(request)) };
  } catch (error) {
    return { head, result: handler.refuse(error, head) };
  }
}

async function buffered(response: ApiResponse): Promise<BufferedResponse> {
  if (!isStreamed(response)) return response;
  const chunks: string[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return { ...response, body: chunks.join('') };
}
