import { connect, type Socket } from 'node:net';
import { type ParsedResponse, parseResponse } from './parse-response.ts';

export interface ConnectionEvents {
  /** It can take a request. */
  readonly onFree: (connection: LoadConnection) => void;
  readonly onResponse: (connection: LoadConnection, answer: ParsedResponse) => void;
  /** It broke while a request was under way or while it was opened. */
  readonly onBroken: (connection: LoadConnection) => void;
}

/** Milliseconds before a connection that was refused is tried again. */
const RECONNECT_DELAY = 100;

/** A connection to loopback that takes one request at a time and is opened anew whenever it is closed. */
export class LoadConnection {
  readonly #port: number;
  readonly #events: ConnectionEvents;
  #socket: Socket;
  #received = '';
  #state: 'opening' | 'free' | 'busy' | 'ended' = 'opening';
  /** Milliseconds on the generator's clock, of the request that is under way. */
  due = 0;
  sent = 0;

  constructor(port: number, events: ConnectionEvents) {
    this.#port = port;
    this.#events = events;
    this.#socket = this.#open();
  }

  get free(): boolean {
    return this.#state === 'free';
  }

  get busy(): boolean {
    return this.#state === 'busy';
  }

  send(request: string): void {
    this.#state = 'busy';
    this.#socket.write(request, 'latin1');
  }

  end(): void {
    this.#state = 'ended';
    this.#socket.destroy();
  }

  #open(): Socket {
    const socket = connect(this.#port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.once('connect', () => this.#markFree());
    socket.on('data', (chunk: string) => this.#receive(chunk));
    // What went wrong is told by `close`, which always follows.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#onClose());
    return socket;
  }

  #receive(chunk: string): void {
    this.#received += chunk;
    const answer = parseResponse(this.#received);
    if (answer === null) return;
    this.#received = this.#received.slice(answer.end);
    this.#state = 'opening';
    this.#events.onResponse(this, answer);
    if (answer.closes) this.#socket.destroy();
    else this.#markFree();
  }

  #markFree(): void {
    if (this.#state === 'ended') return;
    this.#state = 'free';
    this.#events.onFree(this);
  }

  #onClose(): void {
    const before = this.#state;
    if (before === 'ended') return;
    this.#state = 'opening';
    this.#received = '';
    if (before === 'busy' || this.#socket.bytesWritten === 0) this.#events.onBroken(this);
    setTimeout(
      () => {
        if (this.#state !== 'ended') this.#socket = this.#open();
      },
      before === 'opening' ? RECONNECT_DELAY : 0,
    );
  }
}
