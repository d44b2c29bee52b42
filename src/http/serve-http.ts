import type { Server, ServerOptions } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Limits } from '../model/model.ts';
import { safeObserver } from '../observe/safe-observer.ts';
import { monotonicNow } from '../platform/clock.ts';
import { http } from './builtin-http.ts';
import type { MountedApi } from './mounted-api.ts';
import type { Observe } from '../observe/observation.ts';
import { type Address, listen } from './server/listen.ts';
import type { ParserError } from './server/parser-error.ts';
import { HttpConnections } from './server/http-connections.ts';

/**
 * The API and the address of a server.
 *
 * @example
 * ```ts
 * const options: ServeHttpOptions = { api, port: 3000, host: '0.0.0.0' };
 * ```
 */
export interface ServeHttpOptions extends Pick<Address, 'port' | 'sharing'> {
  readonly api: MountedApi;
  /** Address or host name to bind. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Receives errors that no response reports. What it throws is ignored. Default: they are dropped. */
  readonly observe?: Observe;
  /**
   * Called once for each request, with the number of those in flight; while it returns true, all but the health checks
   * are refused (LIM-3). Default: never overloaded.
   */
  readonly overloaded?: (inFlight: number) => boolean;
}

/**
 * A server that listens.
 *
 * @example
 * ```ts
 * const server: HttpServer = await serveHttp({ api, port: 0 });
 * console.log(`http://localhost:${server.port}`);
 * await server.close();
 * ```
 */
export interface HttpServer {
  readonly port: number;
  /** The address or host name that it is bound to, as given. */
  readonly address: string;
  /**
   * Accepts the connections that the system has established and this process has not taken yet: the system resets them
   * when the server stops listening. Open connections stay open, so that their clients make no new ones. Call it before
   * `close`, which does not wait for them.
   */
  acceptPending(): Promise<void>;
  /**
   * Accepts no more connections and waits up to `limits.shutdownTimeout` for those with requests, then destroys them
   * (LIM-3). Requests that arrive meanwhile on an open connection are served, and the response closes it. An idle
   * connection is closed after a fifth of a second.
   *
   * @returns how many requests were cut off
   */
  close(): Promise<number>;
}

/**
 * Bytes and lines of a head beyond the limits that the parser still accepts, so that the pipeline can name the limit in
 * its response.
 */
const HEAD_ALLOWANCE = 256 * 1024;
const LINES_ALLOWANCE = 1_000;
/** Milliseconds: clients that keep connecting do not delay a shutdown for longer. */
const MAX_ACCEPT_TIME = 1_000;

/**
 * Serves an API over HTTP/1.1 and 1.0 with the server of `node:http`. Every response comes from the API, those to
 * invalid requests included (URL-8, ERR-1, LIM-1, LIM-3).
 *
 * @throws {Error} with the cause and the fix where the address cannot be bound
 *
 * @example
 * ```ts
 * const server = await serveHttp({ api, port: 3000 });
 * process.once('SIGTERM', () => void server.close());
 * ```
 */
export async function serveHttp(options: ServeHttpOptions): Promise<HttpServer> {
  const { api, host = '127.0.0.1', observe = () => undefined, overloaded = () => false } = options;
  const { limits } = api.model;
  const connections = new HttpConnections({ handler: api, limits, observe: safeObserver(observe), overloaded });
  const server = createHttpServer(limits);
  server.on('connection', (socket) => connections.accept(socket));
  server.on('request', (request, response) => connections.request(request, response, false));
  server.on('checkContinue', (request, response) => connections.request(request, response, true));
  server.on('checkExpectation', (request, response) => connections.request(request, response, false));
  server.on('connect', (request) => connections.connect(request));
  server.on('clientError', (error: ParserError, stream: Duplex) => {
    if (stream instanceof Socket) connections.clientError(error, stream);
    else stream.destroy();
  });
  try {
    const port = await listen(server, { ...options, host });
    return {
      port,
      address: host,
      acceptPending: () => acceptPending(connections),
      close: createClose(server, connections, limits.shutdownTimeout),
    };
  } catch (error) {
    connections.destroy();
    throw error;
  }
}

function createHttpServer(limits: Limits): Server {
  const server = http.createServer(serverOptions(limits));
  server.maxHeadersCount = limits.headerLines + LINES_ALLOWANCE;
  // A client that half-closes its connection (FIN) still receives its response. Node has no public option for it.
  // `HttpConnections` closes idle connections: Node would destroy them together with requests that it has not read.
  Object.assign(server, { httpAllowHalfOpen: true, closeIdleConnections: () => undefined });
  return server;
}

function serverOptions(limits: Limits): ServerOptions {
  const headersTimeout = Math.min(limits.headersTimeout, limits.requestTimeout);
  return {
    // Node would respond to these itself, with an empty body.
    requireHostHeader: false,
    shouldUpgradeCallback: () => false,
    insecureHTTPParser: false,
    maxHeaderSize: limits.target + limits.headers + HEAD_ALLOWANCE,
    headersTimeout,
    // Bodies have a timeout of their own: a streamed one may take as long as bytes keep coming (MET-13).
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1_000, Math.ceil(headersTimeout / 10)),
    // `IdleTimeout` closes idle connections.
    keepAliveTimeout: 0,
    optimizeEmptyRequests: true,
  };
}

/** Node accepts one connection in each event-loop iteration: waits for an iteration without one. */
async function acceptPending(connections: HttpConnections): Promise<void> {
  const deadline = monotonicNow() + MAX_ACCEPT_TIME;
  for (let before = -1; before !== connections.accepted && monotonicNow() < deadline; ) {
    before = connections.accepted;
    await setImmediate();
    await setImmediate();
  }
}

function createClose(server: Server, connections: HttpConnections, timeout: number): () => Promise<number> {
  let closed: Promise<number> | null = null;
  return () => {
    closed ??= new Promise((resolve) => {
      let unfinished = 0;
      const deadline = setTimeout(() => {
        unfinished = connections.destroy();
      }, timeout);
      connections.close();
      server.close(() => {
        clearTimeout(deadline);
        connections.destroy();
        resolve(unfinished);
      });
    });
    return closed;
  };
}
