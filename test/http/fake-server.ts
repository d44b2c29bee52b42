import { ApiError, errorBody, apiError } from '../../src/conventions/errors.ts';
import { type ServeHttpOptions, type HttpServer, serveHttp } from '../../src/http/serve-http.ts';
import type { Limits } from '../../src/model/model.ts';
import type { Observation, Observe } from '../../src/observe/observation.ts';
import type { ApiResponse, Handler, RawRequest, BufferedResponse } from '../../src/exchange/handler.ts';

export const limits: Limits = {
  page: { default: 20, max: 100, maxOffset: 1_000_000, countCap: 10_000, bytes: 16_777_216 },
  body: 1_000,
  bodyMemory: 67_108_864,
  row: 2_097_152,
  target: 8_192,
  headers: 16_384,
  headerLines: 100,
  depth: 32,
  items: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  handlerTimeout: 30_000,
  statementTimeout: 5_000,
  shutdownTimeout: 2_000,
  eventLoopDelay: 1_000,
  queueDepth: 1_000,
  responseMemory: 268_435_456,
  feeds: { perCaller: 4, total: 1_000 },
  rate: null,
};

export interface FakeServer extends HttpServer, AsyncDisposable {
  /** The requests that the handler got, in order. */
  readonly requests: readonly RawRequest[];
  readonly observed: readonly Observation[];
}

export interface FakeOptions {
  readonly handle?: (request: RawRequest) => ApiResponse | Promise<ApiResponse>;
  readonly limits?: Partial<Limits>;
  readonly overloaded?: () => boolean;
  readonly refuse?: Handler['refuse'];
  readonly observe?: Observe;
}

/** Options of a server that responds 500 to every request. */
export function fakeOptions(): ServeHttpOptions {
  const handle: Handler['handle'] = async (request) => refuse(null, request);
  return { api: { handle, refuse, model: { basePath: '', limits } }, port: 0 };
}

/** A server on a free port of loopback whose handler is a function of the test. The default one echoes the body. */
export async function fakeServer(options: FakeOptions = {}): Promise<FakeServer> {
  const requests: RawRequest[] = [];
  const observed: Observation[] = [];
  const handle = options.handle ?? echo;
  const server = await serveHttp({
    port: 0,
    api: {
      model: { basePath: '', limits: { ...limits, ...options.limits } },
      async handle(request) {
        requests.push(request);
        try {
          return await handle(request);
        } catch (error) {
          if (error instanceof ApiError) return refuse(error, request);
          throw error;
        }
      },
      refuse: options.refuse ?? refuse,
    },
    observe: options.observe ?? ((observation) => observed.push(observation)),
    overloaded: options.overloaded ?? (() => false),
  });
  return { ...server, requests, observed, [Symbol.asyncDispose]: async () => void (await server.close()) };
}

async function echo({ body }: RawRequest): Promise<ApiResponse> {
  const bytes = body === null ? new Uint8Array() : await body.read(limits.body);
  return { status: 200, headers: ['Content-Type', 'text/plain'], body: bytes };
}

/** As in the pipeline: the six members of an error body, with the correlation id of the request. */
export function refuse(error: unknown, { headers }: Pick<RawRequest, 'headers'>): BufferedResponse {
  const cause = error instanceof ApiError ? error : apiError('SERVER_ERROR', 'Something went wrong here.');
  const at = headers.findIndex((name) => name.toLowerCase() === 'x-correlation-id');
  const body = errorBody(cause, headers[at + 1] ?? 'made', '2026-01-02T03:04:05.678Z');
  const fields = Object.entries(cause.headers).flat();
  return { status: cause.status, headers: ['Content-Type', 'application/json', ...fields], body: JSON.stringify(body) };
}
