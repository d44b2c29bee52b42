import type { Connection } from './connection.ts';

interface IdleTimeoutOptions {
  /** Milliseconds after which a connection without a request in progress is closed. */
  readonly keepAlive: number;
  /** Milliseconds without a byte in either direction after which a connection with a request in progress is closed. */
  readonly stalled: number;
}

/**
 * The precision of the timeouts: a connection closes late by at most a tenth of its timeout, and by at most a second.
 */
const SWEEPS = 10;
const MAX_INTERVAL = 1_000;

/**
 * Closes idle connections. Node would set a timer for each of them twice per request, which costs more than most
 * responses: here one timer checks them all. Connections in use get Node's own timeout, because Node knows which bytes
 * were sent.
 */
export class IdleTimeout {
  readonly #options: IdleTimeoutOptions;
  readonly #connections: () => Iterable<Connection>;
  readonly #idle = new WeakMap<Connection, { readonly bytesRead: number; readonly since: number }>();
  readonly #interval: number;
  readonly #timer: NodeJS.Timeout;
  #sweeps = 0;

  /** @param connections returns the open ones */
  constructor(connections: () => Iterable<Connection>, options: IdleTimeoutOptions) {
    this.#options = options;
    this.#connections = connections;
    this.#interval = Math.min(MAX_INTERVAL, Math.ceil(Math.min(options.stalled, options.keepAlive) / SWEEPS));
    this.#timer = setInterval(() => this.#sweep(), this.#interval).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    this.#sweeps += 1;
    for (const connection of this.#connections()) {
      if (connection.idle) this.#checkIdle(connection);
      else if (!connection.socket.timeout) connection.socket.setTimeout(this.#options.stalled);
    }
  }

  #checkIdle(connection: Connection): void {
    const { socket } = connection;
    if (socket.timeout) socket.setTimeout(0);
    const { bytesRead } = socket;
    const idle = this.#idle.get(connection);
    if (idle?.bytesRead !== bytesRead) this.#idle.set(connection, { bytesRead, since: this.#sweeps });
    else if ((this.#sweeps - idle.since) * this.#interval >= this.#options.keepAlive) socket.destroy();
  }
}
