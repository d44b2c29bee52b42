import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiResponse, isStreamed, type RawRequest } from '../pipeline/exchange.ts';
import { bodyAlreadyReadError } from '../conventions/receive-errors.ts';
import { BodyMemory } from '../limits/body-memory.ts';
import { handleWithTimeout } from './handler-timeout.ts';
import { withHostHeaders } from './host-headers.ts';
import { mountApi, type MountedApi, type MountOptions, owns } from './mounted-api.ts';
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
 * Mounts an API in an existing server. Header fields that the application has set are kept. As a middleware it passes requests outside of the API to `next`. It reads bodies itself: mount it before
 * body parsers. Node's server still responds to what never reaches a listener, such as HTTP parser errors.
 */
export function createListener(api: MountedApi, options: MountOptions = {}): Listener {
  const rules = mountApi(api, options);
  const endOfTick = endOfTickBatcher();
  const nextTick = nextTickBatcher();
  const { requestTimeout: timeout, bodyMemory } = api.model.limits;
  const receiving = { sendContinue: null, timeout, memory: new BodyMemory(bodyMemory) };
  return (request, response, next) => {
    const target = request.originalUrl ?? request.url ?? '';
    if (next !== undefined && !owns(api, target)) {
      next();
      return;
    }
    const body = nodeRequestBody(request, receiving);
    const raw = { ...rawRequest(request, body, target), ...rules };
    const exchange = { api, request: raw, response };
    const handled =
      body !== null && request.readableEnded
        ? bodyAlreadyRead(api, request.headers['content-type'], raw)
        : handleWithTimeout(api, raw);
    if (handled instanceof Promise) void handled.then((result) => send(exchange, result, nextTick));
    else send(exchange, handled, endOfTick);
  };
}

function bodyAlreadyRead(api: MountedApi, contentType: string | undefined, request: RawRequest): ApiResponse {
  return api.refuse(bodyAlreadyReadError(contentType ?? null), request);
}

/** Never throws: the other responses of the batch are sent even if this one fails. */
function send(exchange: MountedExchange, answer: ApiResponse, batcher: ResponseBatcher): void {
  const { request, response } = exchange;
  const result = { ...answer, headers: withHostHeaders(answer.headers, response) };
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
    const refused = api.refuse(error, request);
    sendResponse(response, request.method, { ...refused, headers: withHostHeaders(refused.headers, response) });
  } catch {
    // `refuse` has reported the error already.
    response.destroy();
  }
}
