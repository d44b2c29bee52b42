import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RawRequest } from '../../exchange/handler.ts';
import { http } from '../builtin-http.ts';
import type { NodeRequestBody } from '../request-body.ts';

/** One request on a connection, from its head to the last byte of its response. */
export interface PendingResponse {
  readonly connection: Connection;
  readonly request: RawRequest;
  readonly body: NodeRequestBody | null;
  /** null where Node created none, as for CONNECT. */
  readonly response: ServerResponse | null;
  /** True if a response was chosen; later ones are dropped. */
  isAnswered: boolean;
  /** Bytes of its response, until that is sent completely. */
  unsent: number;
  /** The sweep since which the handler does not wait for the client. */
  since: number;
  /** Its index in the list of requests in flight. */
  index: number;
}

/** The bytes that followed an error, and why reading stopped. */
interface RemainingBytes {
  readonly bytes: Buffer;
  readonly end: 'complete' | 'closed' | 'timeout';
}

/** Milliseconds that a client that is still sending has to read its response: in all, and without sending a byte. */
const LINGER = 30_000;
const LINGER_IDLE = 2_000;
/** Milliseconds that the client of an idle connection has to close its side. */
const IDLE_LINGER = 500;

const ignore = (): void => undefined;

/** One TCP connection: its requests in order, and how it closes. */
export class Connection {
  readonly socket: Socket;
  /** An array, for the reason given in `InFlightRequests`. */
  readonly #pending: PendingResponse[] = [];
  #latest: PendingResponse | null = null;
  #reading = true;
  #onAllSent: (() => void) | null = null;
  #last: PendingResponse | null = null;
  #onPacket: (packet: Buffer) => void = ignore;
  #onPeerEnd: () => void = ignore;
  readonly #onResponseEnd: (pending: PendingResponse) => void;

  /** @param onResponseEnd called for each request whose response was sent completely, or lost with the connection */
  constructor(socket: Socket, onResponseEnd: (pending: PendingResponse) => void) {
    this.socket = socket;
    this.#onResponseEnd = onResponseEnd;
    socket.once('close', () => {
      for (const pending of this.#pending.slice()) this.#end(pending);
    });
  }

  /** True if bytes that arrive may still become a request. */
  get reading(): boolean {
    return this.#reading;
  }

  /** True if no request is in progress. */
  get idle(): boolean {
    return this.#pending.length === 0 && this.#reading;
  }

  /** The request whose body is still arriving; null between requests. */
  get receiving(): PendingResponse | null {
    return this.#latest?.body?.complete === false ? this.#latest : null;
  }

  /** Adds a request whose head has arrived. @param response null where Node created none */
  addRequest(request: RawRequest, body: NodeRequestBody | null, response: ServerResponse | null): PendingResponse {
    const pending = { connection: this, request, body, response, isAnswered: false, unsent: 0, since: 0, index: 0 };
    this.#pending.push(pending);
    this.#latest = pending;
    response?.once('close', () => this.#end(pending));
    return pending;
  }

  /** True if no request has followed this one so far. */
  isLatest(pending: PendingResponse): boolean {
    return this.#latest === pending;
  }

  /**
   * Detaches the parser: bytes that arrive from now on are not a request. Node's listeners for reading are removed, so
   * that only this class reads; those for writing stay, and earlier responses are still sent.
   */
  stopReading(): void {
    if (!this.#reading) return;
    this.#reading = false;
    // A reset is handled as 'close'.
    this.socket.on('error', ignore);
    const take = (): void => {
      this.socket.removeAllListeners('data').removeAllListeners('end');
      this.socket.on('data', (packet: Buffer) => this.#onPacket(packet)).on('end', () => this.#onPeerEnd());
      this.socket.resume();
    };
    // If an unread body has paused the socket, only Node's own listener, which is removed afterwards, can resume it.
    if (this.socket.isPaused()) this.socket.once('resume', take).resume();
    else take();
  }

  /**
   * Reads on without the parser after it has failed.
   *
   * @param first the bytes that the parser had
   * @param isComplete called after each packet
   * @param timeout milliseconds
   */
  readRemaining(first: Buffer, isComplete: (bytes: Buffer) => boolean, timeout: number): Promise<RemainingBytes> {
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
      const append = (packet: Buffer): void => {
        bytes = Buffer.concat([bytes, packet]);
        if (isComplete(bytes)) finish('complete');
      };
      const close = (): void => finish('closed');
      const timer = setTimeout(finish, timeout, 'timeout');
      this.#onPacket = append;
      this.#onPeerEnd = close;
      this.socket.on('close', close);
      if (isComplete(bytes)) finish('complete');
    });
  }

  /**
   * Sends the last response of the connection, after those to earlier requests, and closes it (RFC 9112 9.6).
   *
   * @param pending the request, whose own response is discarded; null where no whole request arrived
   * @param method of the request, as far as it is known
   * @param write writes the response; never throws
   */
  sendLast(pending: PendingResponse | null, method: string, write: (response: ServerResponse) => void): void {
    this.stopReading();
    this.#last = pending;
    this.#whenAllSent(() => {
      if (!this.socket.writable) {
        this.socket.destroy();
        return;
      }
      if (pending?.response?.socket === this.socket) pending.response.detachSocket(this.socket);
      const response = createResponse(this.socket, method);
      response.once('finish', () => {
        response.detachSocket(this.socket);
        if (pending !== null) this.#end(pending);
        linger(this.socket);
      });
      write(response);
    });
  }

  /** Closes the connection after the pending responses. */
  closeWhenSent(): void {
    this.stopReading();
    this.#whenAllSent(() => this.socket.destroySoon());
  }

  /** Closes an idle connection. Bytes that arrive meanwhile are dropped: the client sees its end, and no reset. */
  closeIdle(): void {
    this.stopReading();
    linger(this.socket, IDLE_LINGER);
  }

  #end(pending: PendingResponse): void {
    const index = this.#pending.indexOf(pending);
    if (index === -1) return;
    this.#pending.splice(index, 1);
    // A connection lives long. A reference to its last request would promote that to V8's old generation.
    if (this.receiving === null && this.#latest === pending) this.#latest = null;
    this.#onResponseEnd(pending);
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

/** A `ServerResponse` for bytes that never became a request of Node's, so that the same code writes every response. */
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
 * Closes without losing the response. A close while bytes of the client are unread would reset the connection, and the
 * client would never read the response (RFC 9112 9.6). Reads and drops what still arrives, for a limited time.
 */
function linger(socket: Socket, idle = LINGER_IDLE): void {
  const timer = setTimeout(() => socket.destroy(), LINGER);
  socket.setTimeout(idle, () => socket.destroy());
  socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer));
  socket.end();
  if (socket.readableEnded) socket.destroySoon();
}
