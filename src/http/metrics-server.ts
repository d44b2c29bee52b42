import type { IncomingMessage, ServerResponse } from 'node:http';
import { negotiateCoding } from '../conventions/media/content-coding.ts';
import { apiError, type ApiError, errorBody } from '../conventions/errors.ts';
import { acceptsHost, type HostRule } from '../conventions/url/host.ts';
import { timestamp } from '../conventions/text/timestamp.ts';
import { codings, compress, isCompressible } from '../formats/compress.ts';
import { writeJson } from '../formats/json.ts';
import { EXPOSITION_TYPE } from '../observe/metrics/exposition.ts';
import { http } from './builtin-http.ts';
import { type Address, closeWithConnections, listen } from './server/listen.ts';

/** The address of `/metrics` apart from the API, and its content. */
export interface MetricsServerOptions extends Pick<Address, 'host' | 'port'> {
  /** All metrics, as the response has them. */
  readonly text: () => Promise<string>;
  /** The accepted values of `Host`. */
  readonly hosts: HostRule;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A new correlation id. */
  readonly uuid: () => string;
}

/** A server of metrics that listens. */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

const ALLOW = 'GET, HEAD, OPTIONS';
/** Milliseconds. A scraper sends a short head. */
const HEAD_TIMEOUT = 10_000;
/** A scraper needs one. */
const MAX_CONNECTIONS = 64;
const COMMON = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', Vary: 'Accept-Encoding' };

/**
 * Serves `/metrics` on an address of its own, without credentials (AUTH-10). Overload of the API does not affect it.
 *
 * @throws {Error} with the cause and the fix where the address cannot be bound
 */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const settings = { headersTimeout: HEAD_TIMEOUT, requestTimeout: HEAD_TIMEOUT, connectionsCheckingInterval: 1_000 };
  const server = http.createServer(settings, (request, response) => {
    respond(request, options).then(
      (found) => sendMetrics(response, request.method, found),
      () => sendMetrics(response, request.method, refused(failed(), options)),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listen(server, options);
  return { port, close: () => closeWithConnections(server) };
}

interface MetricsResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

async function respond(
  { method, url = '', headers }: IncomingMessage,
  options: MetricsServerOptions,
): Promise<MetricsResponse> {
  const error = refusal(method, url, headers.host, options);
  if (error !== null) return refused(error, options);
  if (method === 'OPTIONS') return { status: 204, headers: { Allow: ALLOW }, body: null };
  const text = await options.text();
  const coding = negotiateCoding(headers['accept-encoding']?.toString() ?? null, codings);
  const found = { status: 200, headers: { 'Content-Type': EXPOSITION_TYPE }, body: text };
  if (coding === 'identity' || !isCompressible(text)) return found;
  return { ...found, headers: { ...found.headers, 'Content-Encoding': coding }, body: await compress(text, coding) };
}

function refusal(method = '', url: string, host: string | undefined, { hosts }: MetricsServerOptions): ApiError | null {
  // Without credentials, a name that resolves to this address would let any page read it (DNS rebinding).
  if (host === undefined || !acceptsHost(hosts, host))
    return apiError('REQUEST_HEADER_INVALID', 'This server is reached under loopback names; see --metrics-host.');
  if (url.split('?', 1)[0] !== '/metrics') return apiError('REQUEST_ROUTE_NOT_FOUND', 'This server has /metrics only.');
  if (ALLOW.split(', ').includes(method)) return null;
  return apiError('REQUEST_METHOD_NOT_ALLOWED', `This target supports ${ALLOW}.`, { headers: { Allow: ALLOW } });
}

function failed(): ApiError {
  return apiError('SERVER_ERROR', 'The metrics could not be read.');
}

function refused(error: ApiError, { now, uuid }: MetricsServerOptions): MetricsResponse {
  const id = uuid();
  return {
    status: error.status,
    headers: { 'Content-Type': 'application/json', 'X-Correlation-ID': id, ...error.headers },
    body: writeJson(errorBody(error, id, timestamp(now()))),
  };
}

function sendMetrics(
  response: ServerResponse,
  method: string | undefined,
  { status, headers, body }: MetricsResponse,
): void {
  const length = body === null ? {} : { 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, { ...COMMON, ...headers, ...length });
  response.end(method === 'HEAD' || body === null ? undefined : body);
}
