import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RawRequest } from '../../pipeline/exchange.ts';
import { http } from '../builtin-http.ts';
import type { NodeRequestBody } from '../request-body.ts';

/** One request on a connection, from its head to the last byte of its answer. */
export interface PendingResponse {
  readonly connection: Connection;
  readonly request: RawRequest;
  readonly body: NodeRequestBody | null;
  /** null where Node made none, as for CONNECT. */
  readonly response: ServerResponse | null;
  isAnswered: boolean;
  /** The sweep since which the handler has had all that it waits for. */
  since: number;
  /** Where it stands among the requests in flight. */
  index: number;
}

/** The bytes read on after a fault, and why reading stopped. */
export interface RemainingBytes {
  readonly bytes: Buffer;
  readonly end: 'enough' | 'closed' | 'timeout';
}

/** A client that is still sending gets so long to read its answer, in all and without sending a byte. Milliseconds. */
const LINGER = 30_000;
const LINGER_IDLE = 2_000;

const ignore = (): void => undefined;

/** One TCP connection: the requests on it in order, and the way that it ends. */
export class Connection {
  readonly socket: Socket;
  /** A list, and no `Set`, for the reason that `InFlight` tells. */
  readonly #pending: PendingResponse[] = [];
  #latest: PendingResponse | null = null;
  #reading = true;
  #onAllSent: (() => void) | null = null;
  #last: PendingResponse | null = null;
  #onPacket: (packet: Buffer) => void = ignore;
  #onPeerEnd: () => void = ignore;
  readonly #onEnd: (turn: PendingResponse) => void;

  /** @param onEnd told of each request that is answered to the last byte or lost with the connection */
  constructor(socket: Socket, onEnd: (turn: PendingResponse) => void) {
    this.socket = socket;
    this.#onEnd = onEnd;
    socket.once('close', () => {
      for (const turn of this.#pending.slice()) this.#end(turn);
    });
  }

  /** Whether bytes that arrive may still become a request. */
  get reading(): boolean {
    return this.#reading;
  }

  /** Whether nothing is under way on it. */
  get idle(): boolean {
    return this.#pending.length === 0 && this.#reading;
  }

  /** The request whose body is still arriving; null between requests. */
  get receiving(): PendingResponse | null {
    return this.#latest?.body?.complete === false ? this.#latest : null;
  }

  /** A request has begun. @param response null where Node made none */
  addRequest(request: RawRequest, body: NodeRequestBody | null, response: ServerResponse | null): PendingResponse {
    const turn: PendingResponse = { connection: this, request, body, response, isAnswered: false, since: 0, index: 0 };
    this.#pending.push(turn);
    this.#latest = turn;
    response?.once('close', () => this.#end(turn));
    return turn;
  }

  /** Whether no request follows this one so far. */
  isLatest(turn: PendingResponse): boolean {
    return this.#latest === turn;
  }

  /**
   * Takes the bytes away from the parser: what arrives from now on is no request. Node's listeners on the socket go, so that
   * nothing but this class reads; its listeners for writing stay, and earlier answers still go out.
   */
  stopReading(): void {
    if (!this.#reading) return;
    this.#reading = false;
    // A reset tells nothing that 'close' does not.
    this.socket.on('error', ignore);
    const take = (): void => {
      this.socket.removeAllListeners('data').removeAllListeners('end');
      this.socket.on('data', (packet: Buffer) => this.#onPacket(packet)).on('end', () => this.#onPeerEnd());
      this.socket.resume();
    };
    // Where a body that nobody reads has paused the socket, only Node's own listener, which then goes too, can start it again.
    if (this.socket.isPaused()) this.socket.once('resume', take).resume();
    else take();
  }

  /**
   * Reads on by itself after the parser gave up.
   *
   * @param first the bytes that the parser had
   * @param isEnough asked after each packet
   * @param timeout milliseconds
   */
  readRemaining(first: Buffer, isEnough: (bytes: Buffer) => boolean, timeout: number): Promise<RemainingBytes> {
    this.stopReading();
    let bytes = first;
    return new Promise((resolve) => {
      const finish = (end: RemainingBytes['end']): void => {
        clearTimeout(timer);
        this.#onPacket = ignore;
        this.#onPeerEnd = ignore;
        this.socket.off('close', close);
        resolve({ bytes, end });
      };
      const take = (packet: Buffer): void => {
        bytes = Buffer.concat([bytes, packet]);
        if (isEnough(bytes)) finish('enough');
      };
      const close = (): void => finish('closed');
      const timer = setTimeout(finish, timeout, 'timeout');
      this.#onPacket = take;
      this.#onPeerEnd = close;
      this.socket.on('close', close);
      if (isEnough(bytes)) finish('enough');
    });
  }

  /**
   * Answers for the last time, after the answers to earlier requests, and closes (RFC 9112 9.6).
   *
   * @param turn the request that is answered, whose own response is given up; null where there never was a whole request
   * @param method of the request as far as it is known
   * @param write writes the answer; never throws
   */
  sendLast(turn: PendingResponse | null, method: string, write: (response: ServerResponse) => void): void {
    this.stopReading();
    this.#last = turn;
    this.#whenAllSent(() => {
      if (!this.socket.writable) {
        this.socket.destroy();
        return;
      }
      if (turn?.response?.socket === this.socket) turn.response.detachSocket(this.socket);
      const response = createResponse(this.socket, method);
      response.once('finish', () => {
        response.detachSocket(this.socket);
        if (turn !== null) this.#end(turn);
        linger(this.socket);
      });
      write(response);
    });
  }

  /** Closes after the answers that are due. */
  closeWhenSent(): void {
    this.stopReading();
    this.#whenAllSent(() => this.socket.destroySoon());
  }

  #end(turn: PendingResponse): void {
    const place = this.#pending.indexOf(turn);
    if (place === -1) return;
    this.#pending.splice(place, 1);
    // A connection lives long: what it held on to until its next request would grow old with it, and burden the garbage collector.
    if (this.receiving === null && this.#latest === turn) this.#latest = null;
    this.#onEnd(turn);
    this.#checkAllSent();
  }

  #whenAllSent(run: () => void): void {
    if (this.#onAllSent !== null) return;
    this.#onAllSent = run;
    this.#checkAllSent();
  }

  #checkAllSent(): void {
    const due = this.#pending.length - (this.#last !== null && this.#pending.includes(this.#last) ? 1 : 0);
    if (due > 0 || this.#onAllSent === null) return;
    const run = this.#onAllSent;
    this.#onAllSent = ignore;
    run();
  }
}

/** A response of Node's for what never became one of its requests, so that all answers are written by the same code. */
function createResponse(socket: Socket, method: string): ServerResponse {
  const request = new http.IncomingMessage(socket);
  request.method = method;
  request.httpVersionMajor = 1;
  request.httpVersionMinor = 1;
  const response = new http.ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  return response;
}

/**
 * Closes without losing the answer: closing while bytes of the client are unread would reset the connection, and the client would
 * never see what it was told (RFC 9112 9.6). Reads and drops what still comes, for a bounded time.
 */
function linger(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.setTimeout(LINGER_IDLE, () => socket.destroy());
  socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer));
  socket.end();
  if (socket.readableEnded) socket.destroySoon();
}
