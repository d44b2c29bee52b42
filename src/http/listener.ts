import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiResponse, isStreamed, type RawRequest } from '../pipeline/exchange.ts';
import { attempt } from '../platform/maybe-promise.ts';
import { handleWithTimeout } from './handler-timeout.ts';
import { type ResponseBatcher, endOfTickBatcher, nextTickBatcher } from './response-batcher.ts';
import { type MountedApi, owns } from './mounted-api.ts';
import { nodeRequestBody, rawRequest } from './raw-request.ts';
import { sendResponse, sendStream } from './send-response.ts';

/** A request as frameworks hand it on: Express keeps what it was before a mount point was cut off. */
type MountedRequest = IncomingMessage & { readonly originalUrl?: string };

/** A listener for `http.createServer`, and a middleware for Express, Connect and the like. */
export type Listener = (request: MountedRequest, response: ServerResponse, next?: (error?: unknown) => void) => void;

/**
 * Mounts an API in a server of one's own. As a middleware it passes on what is not the API's. It reads bodies itself: mount it before body
 * parsers. What Node's server answers before any listener is asked, such as a fault of the HTTP parser, is that server's.
 */
export function createListener(api: MountedApi): Listener {
  const atOnce = endOfTickBatcher();
  const waited = nextTickBatcher();
  return (request, response, next) => {
    const target = request.originalUrl ?? request.url ?? '';
    if (next !== undefined && !owns(api, target)) {
      next();
      return;
    }
    const body = nodeRequestBody(request, null, api.model.limits.requestTimeout);
    const raw = rawRequest(request, body, target);
    const answered = body !== null && request.readableEnded ? bodyAlreadyRead(api, raw) : handleWithTimeout(api, raw);
    if (answered instanceof Promise) void answered.then((answer) => send(api, raw, response, answer, waited));
    else void send(api, raw, response, answered, atOnce);
  };
}

function bodyAlreadyRead(api: MountedApi, request: RawRequest): ApiResponse {
  return api.refuse(new Error('The body was read before the API could: mount the API before body parsers.'), request);
}

/** Never rejects. */
async function send(
  api: MountedApi,
  request: RawRequest,
  response: ServerResponse,
  answer: ApiResponse,
  departures: ResponseBatcher,
): Promise<void> {
  // Others leave with it: an answer that cannot be sent, and whose refusal cannot either, which has been announced by then, ends alone.
  const failed = (error: unknown): void => {
    if (response.headersSent) response.socket?.destroySoon();
    else
      void attempt(
        () => sendResponse(response, request.method, api.refuse(error, request)),
        () => void response.destroy(),
      );
  };
  if (isStreamed(answer)) await sendStream(response, answer).catch(failed);
  else departures.send(() => void attempt(() => sendResponse(response, request.method, answer), failed));
}
