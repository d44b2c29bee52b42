import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isStreamed,
  type ApiResponse,
  type BufferedResponse,
  type RawRequest,
  type HeaderList,
} from '../exchange/handler.ts';
import type { ApiError } from '../conventions/errors.ts';
import { bodyAlreadyReadError, unsentResponsesError } from '../conventions/receive-errors.ts';
import { isHealthTarget } from '../conventions/url/origin-names.ts';
import { BodyMemory } from '../limits/body-memory.ts';
import { ResponseMemory, SMALL_RESPONSE } from '../limits/response-memory.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';
import { ConnectionTurns } from './connection-turns.ts';
import { handleWithTimeout } from './handler-timeout.ts';
import { mountApi, owns, type MountedApi, type MountOptions } from './mounted-api.ts';
import { nodeRequestBody, rawRequest } from './raw-request.ts';
import { endOfTickBatcher, nextTickBatcher, type ResponseBatcher } from './response-batcher.ts';
import { bodyBytes, sendResponse, sendStream } from './send-response.ts';

const ALLOWED_ORIGIN = 'access-control-allow-origin';

/**
 * The fields that say what caches, browsers and pages may do with a response: where the host application has decided
 * it, its decision stays.
 */
const DECIDED_BY_HOST: ReadonlySet<string> = new Set([
  'cache-control',
  'cross-origin-resource-policy',
  'x-content-type-options',
]);

/** A request as frameworks pass it: Express keeps the URL from before it removed a mount point. */
type MountedRequest = IncomingMessage & { readonly originalUrl?: string };

/**
 * A listener for `http.createServer`, and a middleware for Express, Connect and similar frameworks.
 *
 * @example
 * ```ts
 * const listener: Listener = createListener(api);
 * createServer(listener).listen(3000);
 * ```
 */
export type Listener = (request: MountedRequest, response: ServerResponse, next?: (error?: unknown) => void) => void;

/** One request and where its response goes. */
interface MountedExchange {
  readonly api: MountedApi;
  readonly request: RawRequest;
  readonly response: ServerResponse;
  readonly memory: ResponseMemory;
}

/**
 * Mounts an API in an existing server. Header fields that the application has set are kept. As a middleware it passes
 * requests outside of the API to `next`. It reads bodies itself: mount it before body parsers. Node's server still
 * responds to what never reaches a listener, such as HTTP parser errors.
 *
 * @example
 * ```ts
 * const app = express();
 * app.use(createListener(api));
 * ```
 */
export function createListener(api: MountedApi, options: MountOptions = {}): Listener {
  const rules = mountApi(api, options);
  const turns = new ConnectionTurns();
  const endOfTick = endOfTickBatcher();
  const nextTick = nextTickBatcher();
  const { requestTimeout: timeout, bodyMemory, responseMemory } = api.model.limits;
  const receiving = { sendContinue: null, timeout, memory: new BodyMemory(bodyMemory) };
  const memory = new ResponseMemory(responseMemory);
  return (request, response, next) => {
    const target = request.originalUrl ?? request.url ?? '';
    if (next !== undefined && !owns(api, target)) {
      next();
      return;
    }
    const body = nodeRequestBody(request, receiving);
    const raw = { ...rawRequest(request, body, target), ...rules };
    const exchange = { api, request: raw, response, memory };
    turns.take(request.socket, () => {
      const isRead = body !== null && request.readableEnded;
      const handled = handle(exchange, isRead ? bodyAlreadyReadError(request.headers['content-type'] ?? null) : null);
      if (handled instanceof Promise) void handled.then((result) => sendToHost(exchange, result, nextTick));
      else sendToHost(exchange, handled, endOfTick);
    });
  };
}

/** @param refused why the request cannot be handled; null where it can */
function handle({ api, request, memory }: MountedExchange, refused: ApiError | null): MaybePromise<ApiResponse> {
  const isFull = memory.isExceeded && !isHealthTarget(request.target);
  const error = isFull ? unsentResponsesError() : refused;
  return error === null ? handleWithTimeout(api, request) : api.refuse(error, request);
}

/**
 * Counts a large response until its client has read it, or nothing of it for too long; drops it where too many are
 * unread.
 */
function admit({ api, request, response, memory }: MountedExchange, result: BufferedResponse): BufferedResponse {
  const bytes = bodyBytes(result, request.method);
  if (!memory.admits(bytes, request.method)) return api.refuse(unsentResponsesError(), request);
  if (bytes <= SMALL_RESPONSE || response.destroyed) return result;
  const { requestTimeout, handlerTimeout } = api.model.limits;
  memory.hold(bytes);
  response.once('close', () => memory.release(bytes));
  response.setTimeout(requestTimeout + handlerTimeout, () => response.destroy());
  return result;
}

/** Never throws: the other responses of the batch are sent even if this one fails. */
function sendToHost(exchange: MountedExchange, answer: ApiResponse, batcher: ResponseBatcher): void {
  const { request, response } = exchange;
  const admitted = isStreamed(answer) ? answer : admit(exchange, answer);
  const result = { ...admitted, headers: withHostHeaders(admitted.headers, response) };
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

/**
 * The header fields of a response of the API, next to those of the host application. `Vary` and `Link` have the members
 * of both. Fields that describe the content, such as `Content-Type` and `ETag`, are those of the API. Where the host
 * has allowed an origin, all CORS fields are the host's: two policies in one response would allow what neither does.
 */
function withHostHeaders(
  headers: HeaderList,
  response: Pick<ServerResponse, 'getHeader' | 'getHeaderNames'>,
): HeaderList {
  if (response.getHeaderNames().length === 0) return headers;
  const merged: string[] = [];
  const hostAllowsOrigin = response.getHeader(ALLOWED_ORIGIN) !== undefined;
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    const key = name.toLowerCase();
    const set = response.getHeader(name);
    if (hostAllowsOrigin && key.startsWith('access-control-')) continue;
    if (set === undefined) merged.push(name, value);
    else if (key === 'vary') merged.push(name, mergedVary(String(set), value));
    else if (key === 'link') merged.push(name, `${String(set)}, ${value}`);
    else if (!DECIDED_BY_HOST.has(key)) merged.push(name, value);
  }
  return merged;
}

/** The names of both, each once. `*` includes every other. */
function mergedVary(one: string, other: string): string {
  const members = new Map(
    [...one.split(/,\s*/), ...other.split(/,\s*/)].map((member) => [member.toLowerCase(), member] as const),
  );
  return members.has('*') ? '*' : [...members.values()].join(', ');
}
