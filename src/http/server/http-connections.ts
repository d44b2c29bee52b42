import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { requestTimeoutError } from '../../conventions/receive-errors.ts';
import { ApiError, apiError } from '../../conventions/errors.ts';
import { isRegisteredMethod } from '../../conventions/methods.ts';
import type { Limits } from '../../model/model.ts';
import type { Observe } from '../../observe/observation.ts';
import type { HeaderList } from '../../pipeline/represent/response.ts';
import {
  type ApiResponse,
  type Handler,
  isStreamed,
  type RawRequest,
  type StreamedResponse,
  type BufferedResponse,
} from '../../pipeline/exchange.ts';
import { attempt, type MaybePromise } from '../../platform/maybe-promise.ts';
import { handlerTimedOut } from '../handler-timeout.ts';
import { Connection, type PendingResponse } from './connection.ts';
import { type ResponseBatcher, endOfTickBatcher, nextTickBatcher } from '../response-batcher.ts';
import { InFlightRequests } from './in-flight-requests.ts';
import {
  isHeaderOverflow,
  unknownMethod,
  notHttp,
  type ParserError,
  parserApiError,
  targetTooLong,
  isAnswerable,
  isMethodError,
  unsupportedVersion,
} from './parser-error.ts';
import { nodeRequestBody, rawRequest } from '../raw-request.ts';
import {
  invalidMessage,
  isHeadComplete,
  isLineComplete,
  endsInTarget,
  type RequestHead,
  readHead,
} from './request-head.ts';
import { sendResponse, sendStream } from '../send-response.ts';
import { IdleTimeout } from './idle-timeout.ts';
import type { NodeRequestBody } from '../request-body.ts';

export interface HttpConnectionsOptions {
  readonly handler: Handler;
  readonly limits: Limits;
  readonly observe: Observe;
  /** Asked once for each request; while true, all but the health checks are refused (LIM-3). */
  readonly overloaded: () => boolean;
}

const NO_BYTES = Buffer.alloc(0);
/** Milliseconds. Longer than common proxies keep a connection for reuse, so that it is never closed under their request. */
const KEEP_ALIVE_TIMEOUT = 65_000;
/** Told to those who ask again, so that none of them writes to a connection that is about to close. */
const KEEP_ALIVE_HEADERS: HeaderList = ['Keep-Alive', `timeout=${KEEP_ALIVE_TIMEOUT / 1_000}`];
const NO_HEADERS: HeaderList = [];
const RETRY_AFTER = { headers: { 'Retry-After': '1' } };

/** What happens on the connections of one server: requests become answers, faults become refusals. */
export class HttpConnections {
  readonly #options: HttpConnectionsOptions;
  readonly #connections = new Map<Socket, Connection>();
  readonly #inFlight: InFlightRequests;
  readonly #idleTimeout: IdleTimeout;
  readonly #endOfTick = endOfTickBatcher();
  readonly #nextTick = nextTickBatcher();
  #closing = false;

  constructor(options: HttpConnectionsOptions) {
    this.#options = options;
    this.#inFlight = new InFlightRequests({
      timeout: options.limits.handlerTimeout,
      onTimeout: (turn) =>
        void this.#guard(turn.connection, () => this.#respond(turn, this.#timeoutResponse(turn), this.#nextTick)),
    });
    const { requestTimeout, handlerTimeout } = options.limits;
    this.#idleTimeout = new IdleTimeout(() => this.#connections.values(), {
      keepAlive: KEEP_ALIVE_TIMEOUT,
      stalled: requestTimeout + handlerTimeout,
    });
  }

  /** A connection was accepted. */
  accept(socket: Socket): void {
    this.#connections.set(socket, new Connection(socket, (turn) => this.#onResponseEnd(turn)));
    socket.once('close', () => this.#connections.delete(socket));
  }

  /** The head of a request has arrived. @param awaitsContinue whether it expects `100-continue` */
  request(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const sendContinue = awaitsContinue ? () => response.writeContinue() : null;
    const body = nodeRequestBody(request, sendContinue, this.#options.limits.requestTimeout);
    if (isFramingAmbiguous(request)) response.shouldKeepAlive = false;
    this.#serve(request, body, response);
  }

  /** CONNECT, whose connection Node hands over whole. It is answered, and nothing is tunnelled (URL-8). */
  connect(request: IncomingMessage): void {
    this.#connections.get(request.socket)?.stopReading();
    this.#serve(request, null, null);
  }

  /** The parser gave up, a timeout passed or the connection broke. Node tells it again with each packet that follows. */
  clientError(error: ParserError, socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection?.reading === false) return;
    if (connection === undefined || !isAnswerable(error) || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    const { receiving } = connection;
    if (receiving === null) void this.#guard(connection, () => this.#refuseHead(connection, error));
    else if (receiving.response?.headersSent === true && receiving.body?.isStreaming !== true)
      connection.closeWhenSent();
    else receiving.body?.fail(parserApiError(error, NO_BYTES, this.#options.limits));
  }

  /** From now on what is answered last on its connection closes it, and connections where nothing is under way close at once. */
  close(): void {
    this.#closing = true;
    for (const connection of this.#connections.values()) if (connection.idle) connection.socket.destroy();
  }

  /** Cuts what is left. @returns how many requests were not answered to the last byte */
  destroy(): number {
    const unfinished = this.#inFlight.size;
    this.#inFlight.close();
    this.#idleTimeout.close();
    for (const socket of this.#connections.keys()) socket.destroy();
    return unfinished;
  }

  #serve(request: IncomingMessage, body: NodeRequestBody | null, response: ServerResponse | null): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined) return;
    const turn = connection.addRequest(rawRequest(request, body), body, response);
    this.#inFlight.add(turn);
    void this.#guard(connection, () => {
      const answered = this.#handle(turn.request);
      return answered instanceof Promise
        ? answered.then((answer) => this.#respond(turn, answer, this.#nextTick))
        : this.#respond(turn, answered, this.#endOfTick);
    });
  }

  #handle(request: RawRequest): MaybePromise<ApiResponse> {
    const { handler, overloaded } = this.#options;
    if (!isSupportedVersion(request.httpVersion)) return handler.refuse(unsupportedVersion(), request);
    if (overloaded() && !isHealthCheck(request.target)) return handler.refuse(serverOverloaded(), request);
    return attempt(
      () => handler.handle(request),
      (error) => handler.refuse(error, request),
    );
  }

  #timeoutResponse({ request }: PendingResponse): BufferedResponse {
    return this.#options.handler.refuse(handlerTimedOut(), request);
  }

  /** Sends the first answer of a turn; one that comes after it, such as a handler's after its time, is dropped. */
  #respond(turn: PendingResponse, answer: ApiResponse, departures: ResponseBatcher): void {
    if (turn.isAnswered) return;
    turn.isAnswered = true;
    if (isStreamed(answer)) {
      void this.#guard(turn.connection, () => this.#stream(turn, answer));
      return;
    }
    // The parser may be in the middle of a packet that holds the rest of the body, or another request, after which alone the connection may
    // close: what is left is known at the end of the turn.
    const leaving = this.#closing || !this.#canDiscard(turn) ? this.#endOfTick : departures;
    leaving.send(() => void this.#guard(turn.connection, () => this.#write(turn, answer)));
  }

  #canDiscard({ body }: PendingResponse): boolean {
    return body === null || body.canDiscard(this.#options.limits.body);
  }

  /** Writes while the body may still be read. What breaks off in the middle ends the connection without the last chunk (ERR-1). */
  async #stream(turn: PendingResponse, answer: StreamedResponse): Promise<void> {
    const { connection, body, response } = turn;
    if (response === null) throw new Error('an answer in pieces has no response to be written to');
    if (this.#closing && connection.isLatest(turn)) response.shouldKeepAlive = false;
    try {
      await sendStream(response, answer, keepAliveHeaders(response));
    } catch (error) {
      if (response.headersSent) {
        if (!(error instanceof ApiError)) this.#options.observe({ kind: 'error', correlationId: null, error });
        connection.socket.destroySoon();
      } else {
        this.#write(turn, this.#options.handler.refuse(error, turn.request));
      }
      return;
    }
    if (this.#canDiscard(turn)) body?.discard();
    else connection.closeWhenSent();
  }

  /** Keeps the connection where the next request can be told from the rest of this one, and closes it everywhere else. */
  #write(turn: PendingResponse, answer: BufferedResponse): void {
    const { connection, request, body, response } = turn;
    if (connection.socket.destroyed) return;
    if (response === null || !this.#canDiscard(turn)) {
      connection.sendLast(turn, request.method, (last) => this.#send(connection, last, request, answer));
      return;
    }
    if (this.#closing && connection.isLatest(turn)) response.shouldKeepAlive = false;
    this.#send(connection, response, request, answer);
    body?.discard();
  }

  /** Answers what the parser could not read as a request, with what its bytes tell all the same. */
  async #refuseHead(connection: Connection, clientError: ParserError): Promise<void> {
    const { handler, limits } = this.#options;
    const message = invalidMessage(clientError.rawPacket ?? NO_BYTES, clientError.bytesParsed ?? 0);
    const { bytes, end } = await connection.readRemaining(message, isErrorKnown(clientError), limits.headersTimeout);
    const head = readHead(bytes);
    const late = end === 'timeout';
    const answer = isMethodError(clientError)
      ? await this.#handleUnknownMethod(head, bytes, late, connection.socket)
      : handler.refuse(late ? requestTimeoutError() : parserApiError(clientError, bytes, limits), head);
    if (isStreamed(answer)) throw new Error(`a request without a body was answered in pieces: ${head.method}`);
    connection.sendLast(null, head.method, (last) => this.#send(connection, last, head, answer));
  }

  /** MET-6. The parser knows fewer methods than are registered; those are for the handler to answer, like any other. */
  async #handleUnknownMethod(head: RequestHead, bytes: Buffer, late: boolean, socket: Socket): Promise<ApiResponse> {
    const { handler, limits } = this.#options;
    if (isRegisteredMethod(head.method)) {
      return this.#handle({ ...head, body: null, httpVersion: '1.1', peer: socket.remoteAddress ?? '' });
    }
    if (head.method !== '') return handler.refuse(unknownMethod(), head);
    if (late) return handler.refuse(requestTimeoutError(), head);
    return handler.refuse(endsInTarget(bytes) ? targetTooLong(limits.target) : notHttp(bytes), head);
  }

  /** An answer that cannot be written is a fault of ours; one that has begun can only be cut (ERR-1). Never throws. */
  #send(connection: Connection, response: ServerResponse, request: RequestHead, answer: BufferedResponse): void {
    try {
      sendResponse(response, request.method, answer, keepAliveHeaders(response));
    } catch (error) {
      void this.#guard(connection, () => {
        if (response.headersSent) throw error;
        sendResponse(response, request.method, this.#options.handler.refuse(error, request));
      });
    }
  }

  /** Where even the refusal fails, the connection is cut and the log knows why. Never rejects. */
  #guard(connection: Connection, run: () => MaybePromise<void>): MaybePromise<void> {
    return attempt(run, (error) => {
      this.#options.observe({ kind: 'error', correlationId: null, error });
      connection.socket.destroy();
    });
  }

  #onResponseEnd(turn: PendingResponse): void {
    this.#inFlight.delete(turn);
    if (this.#closing && turn.connection.idle) turn.connection.socket.destroySoon();
  }
}

function keepAliveHeaders({ shouldKeepAlive }: ServerResponse): HeaderList {
  return shouldKeepAlive ? KEEP_ALIVE_HEADERS : NO_HEADERS;
}

/** RFC 9112 6.1: where a recipient could read the end of the body elsewhere, nothing after it is read as a request. */
function isFramingAmbiguous({ headers, httpVersion }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && (httpVersion !== '1.1' || coding.toLowerCase() !== 'chunked');
}

function isSupportedVersion(httpVersion: string): boolean {
  return httpVersion === '1.1' || httpVersion === '1.0';
}

/** Probes of an orchestrator: they are answered even when nothing else is (LIM-3). */
function isHealthCheck(target: string): boolean {
  return /^\/(?:livez|readyz)(?:\?|$)/.test(target);
}

/** When enough of a faulty head is known to tell its fault. */
function isErrorKnown(fault: ParserError): (bytes: Buffer) => boolean {
  if (isMethodError(fault)) return isHeadComplete;
  return isHeaderOverflow(fault) ? isLineComplete : () => true;
}

function serverOverloaded(): unknown {
  return apiError('SERVER_OVERLOADED', 'The server is overloaded; send the request again later.', RETRY_AFTER);
}
