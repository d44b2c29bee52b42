import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../../conventions/errors.ts';
import { isHealthTarget } from '../../conventions/url/origin-names.ts';
import { handlerTimedOut, serverOverloadedError, unsentResponsesError } from '../../conventions/receive-errors.ts';
import { BodyMemory } from '../../limits/body-memory.ts';
import { ResponseMemory } from '../../limits/response-memory.ts';
import type { Limits } from '../../model/model.ts';
import type { Observe } from '../../observe/observation.ts';
import {
  abandon,
  type ApiResponse,
  type BufferedResponse,
  type Handler,
  isStreamed,
  type RawRequest,
  type StreamedResponse,
} from '../../exchange/handler.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { HeaderList } from '../../exchange/handler.ts';
import { handleSafely } from '../handler-timeout.ts';
import { isFramingAmbiguous, nodeRequestBody, rawRequest } from '../raw-request.ts';
import type { NodeRequestBody } from '../request-body.ts';
import { endOfTickBatcher, nextTickBatcher, type ResponseBatcher } from '../response-batcher.ts';
import { ConnectionTurns } from '../connection-turns.ts';
import { bodyBytes, sendResponse, sendStream } from '../send-response.ts';
import { Connection, type PendingResponse } from './connection.ts';
import { IdleTimeout } from './idle-timeout.ts';
import { InFlightRequests } from './in-flight-requests.ts';
import { respondToInvalidHead } from './invalid-head.ts';
import { hasResponse, type ParserError, parserApiError, unsupportedVersion } from './parser-error.ts';
import type { RequestHead } from './request-head.ts';

interface HttpConnectionsOptions {
  readonly handler: Handler;
  readonly limits: Limits;
  readonly observe: Observe;
  /**
   * Called once for each request, with the number of those in flight; while it returns true, all but the health checks
   * are refused (LIM-3).
   */
  readonly overloaded: (inFlight: number) => boolean;
}

/** Milliseconds: longer than common proxies reuse a connection, so that none is closed under their request. */
const KEEP_ALIVE_TIMEOUT = 65_000;
/** Clients that know the timeout do not write to a connection that is about to close. */
const KEEP_ALIVE_HEADERS: HeaderList = ['Keep-Alive', `timeout=${KEEP_ALIVE_TIMEOUT / 1_000}`];
/** Milliseconds in which requests that clients have sent before they could know of the shutdown arrive. */
const DRAIN = 200;
const NO_HEADERS: HeaderList = [];

/** The connections of one server: passes each request to the handler and sends its response. */
export class HttpConnections {
  readonly #options: HttpConnectionsOptions;
  readonly #connections = new Map<Socket, Connection>();
  readonly #inFlight: InFlightRequests;
  readonly #bodyMemory: BodyMemory;
  readonly #idleTimeout: IdleTimeout;
  readonly #turns = new ConnectionTurns();
  readonly #endOfTick = endOfTickBatcher();
  readonly #nextTick = nextTickBatcher();
  readonly #responseMemory: ResponseMemory;
  /** The number of connections that were accepted so far. */
  accepted = 0;
  /** Requests whose response is being streamed: they wait for nothing. */
  #streaming = 0;
  #closing = false;
  #drain: NodeJS.Timeout | undefined;

  constructor(options: HttpConnectionsOptions) {
    this.#options = options;
    const { requestTimeout, handlerTimeout, bodyMemory, responseMemory } = options.limits;
    this.#bodyMemory = new BodyMemory(bodyMemory);
    this.#responseMemory = new ResponseMemory(responseMemory);
    this.#inFlight = new InFlightRequests({
      timeout: handlerTimeout,
      onTimeout: (pending) =>
        this.#guard(pending.connection, () => this.#respond(pending, this.#timeoutResponse(pending), this.#nextTick)),
    });
    this.#idleTimeout = new IdleTimeout(() => this.#connections.values(), {
      keepAlive: KEEP_ALIVE_TIMEOUT,
      stalled: requestTimeout + handlerTimeout,
    });
  }

  /** Registers an accepted connection. */
  accept(socket: Socket): void {
    this.accepted += 1;
    this.#connections.set(socket, new Connection(socket, (pending) => this.#onResponseEnd(pending)));
    socket.once('close', () => this.#connections.delete(socket));
  }

  /** Serves a request whose head has arrived. @param awaitsContinue whether it expects `100-continue` */
  request(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const sendContinue = awaitsContinue ? () => response.writeContinue() : null;
    const { requestTimeout: timeout } = this.#options.limits;
    const body = nodeRequestBody(request, { sendContinue, timeout, memory: this.#bodyMemory });
    if (isFramingAmbiguous(request)) response.shouldKeepAlive = false;
    this.#serve(request, body, response);
  }

  /** Serves CONNECT, for which Node hands over the connection. It gets a response and no tunnel (URL-8). */
  connect(request: IncomingMessage): void {
    this.#connections.get(request.socket)?.stopReading();
    this.#serve(request, null, null);
  }

  /** Handles Node's event of the same name, which is emitted again with each packet that follows the error. */
  clientError(error: ParserError, socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection?.reading === false) return;
    if (connection === undefined || !hasResponse(error) || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    const { receiving } = connection;
    if (receiving === null) this.#guard(connection, () => this.#refuseHead(connection, error));
    else if (receiving.response?.headersSent === true && receiving.body?.isStreaming !== true)
      connection.closeWhenSent();
    else receiving.body?.fail(parserApiError(error, this.#options.limits));
  }

  /** Closes every connection after its last response, and an idle one after a short time of silence. */
  close(): void {
    if (this.#closing) return;
    this.#closing = true;
    void this.#options.handler.endFeeds?.();
    const bytesRead = new Map<Connection, number>();
    const sweep = (): void => {
      for (const connection of this.#connections.values()) {
        if (!connection.idle) continue;
        if (bytesRead.get(connection) === connection.socket.bytesRead) connection.closeIdle();
        else bytesRead.set(connection, connection.socket.bytesRead);
      }
    };
    sweep();
    // Timers run before the loop reads: a late one would close connections whose next request has arrived.
    this.#drain = setInterval(() => setImmediate(sweep), DRAIN);
  }

  /** Destroys the connections that are left. @returns how many responses were not sent completely */
  destroy(): number {
    const unfinished = this.#inFlight.size;
    this.#inFlight.close();
    this.#idleTimeout.close();
    clearInterval(this.#drain);
    for (const socket of this.#connections.keys()) socket.destroy();
    return unfinished;
  }

  #serve(request: IncomingMessage, body: NodeRequestBody | null, response: ServerResponse | null): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined) return;
    const pending = connection.addRequest(rawRequest(request, body), body, response);
    this.#turns.take(connection.socket, () => this.#begin(pending));
  }

  #begin(pending: PendingResponse): void {
    this.#inFlight.add(pending);
    this.#guard(pending.connection, () => {
      const handled = this.#handle(pending.request);
      return handled instanceof Promise
        ? handled.then((result) => this.#respond(pending, result, this.#nextTick))
        : this.#respond(pending, handled, this.#endOfTick);
    });
  }

  #handle(request: RawRequest): MaybePromise<ApiResponse> {
    const { handler, overloaded } = this.#options;
    if (!isSupportedVersion(request.httpVersion)) return handler.refuse(unsupportedVersion(), request);
    const isOverloaded = overloaded(this.#inFlight.size - this.#streaming);
    if (isHealthTarget(request.target)) return handleSafely(handler, request);
    if (isOverloaded) return handler.refuse(serverOverloadedError(), request);
    if (this.#responseMemory.isExceeded) return handler.refuse(unsentResponsesError(), request);
    return handleSafely(handler, request);
  }

  #timeoutResponse({ request }: PendingResponse): BufferedResponse {
    return this.#options.handler.refuse(handlerTimedOut(), request);
  }

  /** Sends the first result for a request; a later one, such as a handler's after its timeout, is dropped. */
  #respond(pending: PendingResponse, result: ApiResponse, batcher: ResponseBatcher): void {
    if (pending.isAnswered) {
      abandon(result);
      return;
    }
    pending.isAnswered = true;
    if (isStreamed(result)) {
      this.#guard(pending.connection, () => this.#stream(pending, result));
      return;
    }
    // A connection that may close is closed after the packet that the parser is reading. That may hold the rest of the
    // body, or another request. Both are known at the end of the event-loop iteration.
    const chosen = this.#closing || !this.#canDiscard(pending) ? this.#endOfTick : batcher;
    const admitted = this.#admit(pending, result);
    chosen.send(() => this.#guard(pending.connection, () => this.#write(pending, admitted)));
  }

  /** Counts a response that is ready, or drops it. */
  #admit(pending: PendingResponse, result: BufferedResponse): BufferedResponse {
    const { request } = pending;
    const bytes = bodyBytes(result, request.method);
    if (!this.#responseMemory.admits(bytes, request.method)) {
      return this.#options.handler.refuse(unsentResponsesError(), request);
    }
    // A response that is lost already ends before it is counted.
    if (pending.connection.socket.destroyed) return result;
    pending.unsent = bytes;
    this.#responseMemory.hold(bytes);
    return result;
  }

  #canDiscard({ body }: PendingResponse): boolean {
    return body === null || body.canDiscard(this.#options.limits.body);
  }

  /** Writes while the body may still be read. A failure after the head ends the connection early (ERR-1). */
  async #stream(pending: PendingResponse, result: StreamedResponse): Promise<void> {
    const { connection, body, response } = pending;
    if (response === null) throw new Error('a streamed response needs a ServerResponse');
    if (this.#closing && connection.isLatest(pending)) response.shouldKeepAlive = false;
    this.#streaming += 1;
    try {
      await sendStream(response, result, keepAliveHeaders(response));
    } catch (error) {
      if (response.headersSent) {
        if (!(error instanceof ApiError)) this.#options.observe({ kind: 'error', correlationId: null, error });
        connection.socket.destroySoon();
      } else {
        this.#write(pending, this.#options.handler.refuse(error, pending.request));
      }
      return;
    } finally {
      this.#streaming -= 1;
    }
    if (this.#canDiscard(pending)) body?.discard();
    else connection.closeWhenSent();
  }

  /** Keeps the connection open where the end of this request is known, and closes it elsewhere. */
  #write(pending: PendingResponse, result: BufferedResponse): void {
    const { connection, request, body, response } = pending;
    if (connection.socket.destroyed) return;
    if (response === null || !this.#canDiscard(pending) || (this.#closing && connection.isLatest(pending))) {
      connection.sendLast(pending, request.method, (last) => this.#send(connection, last, request, result));
      return;
    }
    this.#send(connection, response, request, result);
    body?.discard();
  }

  async #refuseHead(connection: Connection, error: ParserError): Promise<void> {
    const { head, result } = await respondToInvalidHead(connection, error, this.#options, (request) =>
      this.#handle(request),
    );
    connection.sendLast(null, head.method, (last) => this.#send(connection, last, head, result));
  }

  /** Sends the server error if a response cannot be written, and cuts off one that has begun. Never throws. */
  #send(connection: Connection, response: ServerResponse, request: RequestHead, result: BufferedResponse): void {
    try {
      sendResponse(response, request.method, result, keepAliveHeaders(response));
    } catch (error) {
      this.#guard(connection, () => {
        if (response.headersSent) throw error;
        sendResponse(response, request.method, this.#options.handler.refuse(error, request));
      });
    }
  }

  /** Destroys the connection and reports the error where `run` fails. Never throws. */
  #guard(connection: Connection, run: () => MaybePromise<void>): void {
    const fail = (error: unknown): void => {
      this.#options.observe({ kind: 'error', correlationId: null, error });
      connection.socket.destroy();
    };
    try {
      const running = run();
      if (running instanceof Promise) running.catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  #onResponseEnd(pending: PendingResponse): void {
    this.#inFlight.delete(pending);
    this.#responseMemory.release(pending.unsent);
  }
}

function keepAliveHeaders({ shouldKeepAlive }: ServerResponse): HeaderList {
  return shouldKeepAlive ? KEEP_ALIVE_HEADERS : NO_HEADERS;
}

function isSupportedVersion(httpVersion: string): boolean {
  return httpVersion === '1.1' || httpVersion === '1.0';
}
