import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { timedOut } from '../conventions/arrival.ts';
import { ApiError, refusal } from '../conventions/errors.ts';
import { isRegisteredMethod } from '../conventions/methods.ts';
import type { Limits } from '../model/model.ts';
import type { Observe } from '../observe/observation.ts';
import type { HeaderList } from '../pipeline/represent/response.ts';
import {
  type ApiResponse,
  type Handler,
  isStreamed,
  type RawRequest,
  type StreamedResponse,
  type BufferedResponse,
} from '../pipeline/exchange.ts';
import { attempt, type Awaitable } from '../platform/awaitable.ts';
import { handlerTimedOut } from './answer-in-time.ts';
import { Connection, type Turn } from './connection.ts';
import { type Departures, departuresOfTurn, departuresOfWait } from './departures.ts';
import { InFlight } from './in-flight.ts';
import { isOverflow, methodUnknown, notHttp1, type ParserFault, parserRefusal, targetTooLong } from './parser-fault.ts';
import { bodyOf, rawRequest } from './raw-request.ts';
import { faultyMessage, isHeadTold, isLineTold, isTargetBegun, type RequestHead, readHead } from './request-head.ts';
import { sendAnswer, sendStream } from './send-answer.ts';
import { Silence } from './silence.ts';
import type { WireBody } from './wire-body.ts';

export interface WireOptions {
  readonly handler: Handler;
  readonly limits: Limits;
  readonly observe: Observe;
  /** Asked once for each request; while true, all but the health checks are refused (LIM-3). */
  readonly overloaded: () => boolean;
}

const NO_BYTES = Buffer.alloc(0);
/** Milliseconds. Longer than common proxies keep a connection for reuse, so that it is never closed under their request. */
const KEEP_ALIVE = 65_000;
/** Told to those who ask again, so that none of them writes to a connection that is about to close. */
const KEPT: HeaderList = ['Keep-Alive', `timeout=${KEEP_ALIVE / 1_000}`];
const CLOSED: HeaderList = [];
const RETRY_AFTER = { headers: { 'Retry-After': '1' } };

/** What happens on the connections of one server: requests become answers, faults become refusals. */
export class Wire {
  readonly #options: WireOptions;
  readonly #connections = new Map<Socket, Connection>();
  readonly #inFlight: InFlight;
  readonly #silence: Silence;
  readonly #atOnce = departuresOfTurn();
  readonly #waited = departuresOfWait();
  #closing = false;

  constructor(options: WireOptions) {
    this.#options = options;
    this.#inFlight = new InFlight({
      timeout: options.limits.handlerTimeout,
      onTimeout: (turn) =>
        void this.#guard(turn.connection, () => this.#respond(turn, this.#lateAnswer(turn), this.#waited)),
    });
    const { requestTimeout, handlerTimeout } = options.limits;
    this.#silence = new Silence(() => this.#connections.values(), {
      keepAlive: KEEP_ALIVE,
      stalled: requestTimeout + handlerTimeout,
    });
  }

  /** A connection was accepted. */
  open(socket: Socket): void {
    this.#connections.set(socket, new Connection(socket, (turn) => this.#ended(turn)));
    socket.once('close', () => this.#connections.delete(socket));
  }

  /** The head of a request has arrived. @param awaitsContinue whether it expects `100-continue` */
  request(request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean): void {
    const sendContinue = awaitsContinue ? () => response.writeContinue() : null;
    const body = bodyOf(request, sendContinue, this.#options.limits.requestTimeout);
    if (isFramingDoubtful(request)) response.shouldKeepAlive = false;
    this.#serve(request, body, response);
  }

  /** CONNECT, whose connection Node hands over whole. It is answered, and nothing is tunnelled (URL-8). */
  connect(request: IncomingMessage): void {
    this.#connections.get(request.socket)?.stopReading();
    this.#serve(request, null, null);
  }

  /** The parser gave up, a timeout passed or the connection broke. Node tells it again with each packet that follows. */
  fault(fault: ParserFault, socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection?.reading === false) return;
    if (connection === undefined || !isAnswerable(fault) || socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    const { arriving } = connection;
    if (arriving === null) void this.#guard(connection, () => this.#refuseHead(connection, fault));
    else if (arriving.response?.headersSent === true && arriving.body?.piecewise !== true) connection.finish();
    else arriving.body?.fail(parserRefusal(fault, NO_BYTES, this.#options.limits));
  }

  /** From now on what is answered last on its connection closes it, and connections where nothing is under way close at once. */
  close(): void {
    this.#closing = true;
    for (const connection of this.#connections.values()) if (connection.idle) connection.socket.destroy();
  }

  /** Cuts what is left. @returns how many requests were not answered to the last byte */
  cut(): number {
    const unfinished = this.#inFlight.size;
    this.#inFlight.close();
    this.#silence.close();
    for (const socket of this.#connections.keys()) socket.destroy();
    return unfinished;
  }

  #serve(request: IncomingMessage, body: WireBody | null, response: ServerResponse | null): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined) return;
    const turn = connection.begin(rawRequest(request, body), body, response);
    this.#inFlight.add(turn);
    void this.#guard(connection, () => {
      const answered = this.#answer(turn.request);
      return answered instanceof Promise
        ? answered.then((answer) => this.#respond(turn, answer, this.#waited))
        : this.#respond(turn, answered, this.#atOnce);
    });
  }

  #answer(request: RawRequest): Awaitable<ApiResponse> {
    const { handler, overloaded } = this.#options;
    if (!isSpoken(request.httpVersion)) return handler.refuse(versionNotSpoken(), request);
    if (overloaded() && !isHealthCheck(request.target)) return handler.refuse(tooBusy(), request);
    return attempt(
      () => handler.handle(request),
      (error) => handler.refuse(error, request),
    );
  }

  #lateAnswer({ request }: Turn): BufferedResponse {
    return this.#options.handler.refuse(handlerTimedOut(), request);
  }

  /** Sends the first answer of a turn; one that comes after it, such as a handler's after its time, is dropped. */
  #respond(turn: Turn, answer: ApiResponse, departures: Departures): void {
    if (turn.answered) return;
    turn.answered = true;
    if (isStreamed(answer)) {
      void this.#guard(turn.connection, () => this.#stream(turn, answer));
      return;
    }
    // The parser may be in the middle of a packet that holds the rest of the body, or another request, after which alone the connection may
    // close: what is left is known at the end of the turn.
    const leaving = this.#closing || !this.#drains(turn) ? this.#atOnce : departures;
    leaving.add(() => void this.#guard(turn.connection, () => this.#write(turn, answer)));
  }

  #drains({ body }: Turn): boolean {
    return body === null || body.drains(this.#options.limits.body);
  }

  /** Writes while the body may still be read. What breaks off in the middle ends the connection without the last chunk (ERR-1). */
  async #stream(turn: Turn, answer: StreamedResponse): Promise<void> {
    const { connection, body, response } = turn;
    if (response === null) throw new Error('an answer in pieces has no response to be written to');
    if (this.#closing && connection.isLatest(turn)) response.shouldKeepAlive = false;
    try {
      await sendStream(response, answer, keptHeaders(response));
    } catch (error) {
      if (response.headersSent) {
        if (!(error instanceof ApiError)) this.#options.observe({ kind: 'fault', correlationId: null, error });
        connection.socket.destroySoon();
      } else {
        this.#write(turn, this.#options.handler.refuse(error, turn.request));
      }
      return;
    }
    if (this.#drains(turn)) body?.drain();
    else connection.finish();
  }

  /** Keeps the connection where the next request can be told from the rest of this one, and closes it everywhere else. */
  #write(turn: Turn, answer: BufferedResponse): void {
    const { connection, request, body, response } = turn;
    if (connection.socket.destroyed) return;
    if (response === null || !this.#drains(turn)) {
      connection.conclude(turn, request.method, (last) => this.#send(connection, last, request, answer));
      return;
    }
    if (this.#closing && connection.isLatest(turn)) response.shouldKeepAlive = false;
    this.#send(connection, response, request, answer);
    body?.drain();
  }

  /** Answers what the parser could not read as a request, with what its bytes tell all the same. */
  async #refuseHead(connection: Connection, fault: ParserFault): Promise<void> {
    const { handler, limits } = this.#options;
    const message = faultyMessage(fault.rawPacket ?? NO_BYTES, fault.bytesParsed ?? 0);
    const { bytes, end } = await connection.readOn(message, toldBy(fault), limits.headersTimeout);
    const head = readHead(bytes);
    const late = end === 'timeout';
    const answer = mayBeMethod(fault)
      ? await this.#answerUnknownMethod(head, bytes, late, connection.socket)
      : handler.refuse(late ? timedOut() : parserRefusal(fault, bytes, limits), head);
    if (isStreamed(answer)) throw new Error(`a request without a body was answered in pieces: ${head.method}`);
    connection.conclude(null, head.method, (last) => this.#send(connection, last, head, answer));
  }

  /** MET-6. The parser knows fewer methods than are registered; those are for the handler to answer, like any other. */
  async #answerUnknownMethod(head: RequestHead, bytes: Buffer, late: boolean, socket: Socket): Promise<ApiResponse> {
    const { handler, limits } = this.#options;
    if (isRegisteredMethod(head.method)) {
      return this.#answer({ ...head, body: null, httpVersion: '1.1', peer: socket.remoteAddress ?? '' });
    }
    if (head.method !== '') return handler.refuse(methodUnknown(), head);
    if (late) return handler.refuse(timedOut(), head);
    return handler.refuse(isTargetBegun(bytes) ? targetTooLong(limits.target) : notHttp1(bytes), head);
  }

  /** An answer that cannot be written is a fault of ours; one that has begun can only be cut (ERR-1). Never throws. */
  #send(connection: Connection, response: ServerResponse, request: RequestHead, answer: BufferedResponse): void {
    try {
      sendAnswer(response, request.method, answer, keptHeaders(response));
    } catch (error) {
      void this.#guard(connection, () => {
        if (response.headersSent) throw error;
        sendAnswer(response, request.method, this.#options.handler.refuse(error, request));
      });
    }
  }

  /** Where even the refusal fails, the connection is cut and the log knows why. Never rejects. */
  #guard(connection: Connection, run: () => Awaitable<void>): Awaitable<void> {
    return attempt(run, (error) => {
      this.#options.observe({ kind: 'fault', correlationId: null, error });
      connection.socket.destroy();
    });
  }

  #ended(turn: Turn): void {
    this.#inFlight.delete(turn);
    if (this.#closing && turn.connection.idle) turn.connection.socket.destroySoon();
  }
}

function keptHeaders({ shouldKeepAlive }: ServerResponse): HeaderList {
  return shouldKeepAlive ? KEPT : CLOSED;
}

/** RFC 9112 6.1: where a recipient could read the end of the body elsewhere, nothing after it is read as a request. */
function isFramingDoubtful({ headers, httpVersion }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && (httpVersion !== '1.1' || coding.toLowerCase() !== 'chunked');
}

function isSpoken(httpVersion: string): boolean {
  return httpVersion === '1.1' || httpVersion === '1.0';
}

/** Probes of an orchestrator: they are answered even when nothing else is (LIM-3). */
function isHealthCheck(target: string): boolean {
  return /^\/(?:livez|readyz)(?:\?|$)/.test(target);
}

/** Only what came as bytes of a request is answered; a broken connection is nobody's fault and has nobody to tell. */
function isAnswerable({ code }: ParserFault): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' || code?.startsWith('HPE_') === true;
}

/** The parser tells of a method that it does not know in two ways; the second is for those of RTSP. */
function mayBeMethod({ code }: ParserFault): boolean {
  return code === 'HPE_INVALID_METHOD' || code === 'HPE_INVALID_CONSTANT';
}

/** When enough of a faulty head is known to tell its fault. */
function toldBy(fault: ParserFault): (bytes: Buffer) => boolean {
  if (mayBeMethod(fault)) return isHeadTold;
  return isOverflow(fault) ? isLineTold : () => true;
}

function versionNotSpoken(): unknown {
  return refusal('REQUEST_MALFORMED', 'This version of HTTP is not spoken on this port; send HTTP/1.1.');
}

function tooBusy(): unknown {
  return refusal('SERVER_OVERLOADED', 'The server is overloaded; send the request again later.', RETRY_AFTER);
}
