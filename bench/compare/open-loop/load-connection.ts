import { connect, type Socket } from 'node:net';
import { type ParsedResponse, parseResponse } from './parse-response.ts';

interface ConnectionEvents {
  /** The connection is ready for a request. */
  readonly onFree: (connection: LoadConnection) => void;
  readonly onResponse: (connection: LoadConnection, response: ParsedResponse) => void;
  /** The connection broke during a request or while it was being opened. */
  readonly onBroken: (connection: LoadConnection) => void;
}

/** Milliseconds before a refused connection is retried. */
const RECONNECT_DELAY = 100;

/** A loopback connection that sends one request at a time and reconnects when it is closed. */
export class LoadConnection {
  readonly #port: number;
  readonly #events: ConnectionEvents;
  #socket: Socket;
  #received = '';
  #state: 'opening' | 'free' | 'busy' | 'ended' = 'opening';
  /** When the current request was due and when it was sent, in milliseconds on the generator's clock. */
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
    // `close` always follows and handles the error.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#onClose());
    return socket;
  }

  #receive(chunk: string): void {
    this.#received += chunk;
    const response = parseResponse(this.#received);
    if (response === null) return;
    this.#received = this.#received.slice(response.end);
    this.#state = 'opening';
    this.#events.onResponse(this, response);
    if (response.closes) this.#socket.destroy();
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
