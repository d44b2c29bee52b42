import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiResponse, isStreamed, type RawRequest } from '../pipeline/exchange.ts';
import { handleWithTimeout } from './handler-timeout.ts';
import { type MountedApi, owns } from './mounted-api.ts';
import { nodeRequestBody, rawRequest } from './raw-request.ts';
import { endOfTickBatcher, nextTickBatcher, type ResponseBatcher } from './response-batcher.ts';
import { sendResponse, sendStream } from './send-response.ts';

/** A request as frameworks pass it: Express keeps the URL from before it removed a mount point. */
type MountedRequest = IncomingMessage & { readonly originalUrl?: string };

/** A listener for `http.createServer`, and a middleware for Express, Connect and similar frameworks. */
export type Listener = (request: MountedRequest, response: ServerResponse, next?: (error?: unknown) => void) => void;

/** One request and where its response goes. */
interface MountedExchange {
  readonly api: MountedApi;
  readonly request: RawRequest;
  readonly response: ServerResponse;
}

/**
 * Mounts an API in an existing server. As a middleware it passes requests outside of the API to `next`. It reads bodies itself: mount it before
 * body parsers. Node's server still responds to what never reaches a listener, such as HTTP parser errors.
 */
export function createListener(api: MountedApi): Listener {
  const endOfTick = endOfTickBatcher();
  const nextTick = nextTickBatcher();
  return (request, response, next) => {
    const target = request.originalUrl ?? request.url ?? '';
    if (next !== undefined && !owns(api, target)) {
      next();
      return;
    }
    const body = nodeRequestBody(request, null, api.model.limits.requestTimeout);
    const raw = rawRequest(request, body, target);
    const exchange = { api, request: raw, response };
    const handled = body !== null && request.readableEnded ? bodyAlreadyRead(api, raw) : handleWithTimeout(api, raw);
    if (handled instanceof Promise) void handled.then((result) => send(exchange, result, nextTick));
    else send(exchange, handled, endOfTick);
  };
}

function bodyAlreadyRead(api: MountedApi, request: RawRequest): ApiResponse {
  return api.refuse(new Error('The body was read before the API. Mount the API before body parsers.'), request);
}

/** Never throws: the other responses of the batch are sent even if this one fails. */
function send(exchange: MountedExchange, result: ApiResponse, batcher: ResponseBatcher): void {
  const { request, response } = exchange;
  if (isStreamed(result)) {
    void sendStream(response, result).catch((error: unknown) => sendError(exchange, error));
    return;
  }
  batcher.send(() => {
    try {
      sendResponse(response, request.method, result);
    } catch (error) {
      sendError(exchange, error);
    }
  });
}

/** Replaces a response that cannot be sent, or cuts it off where it has begun. */
function sendError({ api, request, response }: MountedExchange, error: unknown): void {
  if (response.headersSent) {
    response.socket?.destroySoon();
    return;
  }
  try {
    sendResponse(response, request.method, api.refuse(error, request));
  } catch {
    // `refuse` has reported the error already.
    response.destroy();
  }
}
