import type { Server, ServerOptions } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Limits } from '../model/model.ts';
import { safeObserver } from '../observe/safe-observer.ts';
import { http } from './builtin-http.ts';
import { type Address, listen } from './server/listen.ts';
import type { ParserError } from './server/parser-error.ts';
import { HttpConnections, type HttpConnectionsOptions } from './server/http-connections.ts';

export interface ServeHttpOptions extends HttpConnectionsOptions, Address {}

/** A server that listens. */
export interface HttpServer {
  readonly port: number;
  /** Where it listens, as given: a name or an address. */
  readonly address: string;
  /**
   * Takes no more connections, closes idle ones and lets the others finish within `shutdownTimeout`, then cuts them (LIM-3).
   * A request that arrives meanwhile on a connection that is still open is answered as ever, and the answer closes it.
   *
   * @returns how many requests were cut
   */
  close(): Promise<number>;
}

/** How far a head may pass the limits so that the handler, which knows which limit it is, still answers it. Bytes. */
const HEAD_ALLOWANCE = 256 * 1024;
const LINES_ALLOWANCE = 1_000;
/**
 * Serves a handler over HTTP/1.1 and 1.0: every request reaches it as it was sent, and every byte that leaves is an answer of
 * its (URL-8, ERR-1, LIM-1, LIM-3). Nothing else in the program knows `node:http`.
 *
 * @throws {Error} in plain words where the address cannot be bound
 */
export async function serveHttp(options: ServeHttpOptions): Promise<HttpServer> {
  const wire = new HttpConnections({ ...options, observe: safeObserver(options.observe) });
  const server = createHttpServer(options.limits);
  server.on('connection', (socket) => wire.accept(socket));
  server.on('request', (request, response) => wire.request(request, response, false));
  server.on('checkContinue', (request, response) => wire.request(request, response, true));
  server.on('checkExpectation', (request, response) => wire.request(request, response, false));
  server.on('connect', (request) => wire.connect(request));
  server.on('clientError', (error: ParserError, stream: Duplex) => {
    if (stream instanceof Socket) wire.clientError(error, stream);
    else stream.destroy();
  });
  try {
    const port = await listen(server, options);
    return { port, address: options.host, close: createClose(server, wire, options.limits.shutdownTimeout) };
  } catch (error) {
    wire.destroy();
    throw error;
  }
}

function createHttpServer(limits: Limits): Server {
  const server = http.createServer(serverOptions(limits));
  server.maxHeadersCount = limits.headerLines + LINES_ALLOWANCE;
  // A client that has sent all and says so (FIN) still waits for its answer. The option has no other name in Node.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
}

function serverOptions(limits: Limits): ServerOptions {
  const headersTimeout = Math.min(limits.headersTimeout, limits.requestTimeout);
  return {
    // Node answers these itself, with an empty body.
    requireHostHeader: false,
    shouldUpgradeCallback: () => false,
    insecureHTTPParser: false,
    maxHeaderSize: limits.target + limits.headers + HEAD_ALLOWANCE,
    headersTimeout,
    // Bodies keep their own time: one that is read piece by piece may go on as long as it moves (MET-13).
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1_000, Math.ceil(headersTimeout / 10)),
    // Silent connections are ended by `Silence`.
    keepAliveTimeout: 0,
    optimizeEmptyRequests: true,
  };
}

function createClose(server: Server, wire: HttpConnections, timeout: number): () => Promise<number> {
  let closed: Promise<number> | null = null;
  return () => {
    closed ??= new Promise((resolve) => {
      let unfinished = 0;
      const deadline = setTimeout(() => {
        unfinished = wire.destroy();
      }, timeout);
      wire.close();
      server.close(() => {
        clearTimeout(deadline);
        wire.destroy();
        resolve(unfinished);
      });
    });
    return closed;
  };
}
