import type { Connection } from './connection.ts';

export interface IdleTimeoutOptions {
  /** Milliseconds for which a connection is kept while nothing is asked on it. */
  readonly keepAlive: number;
  /** Milliseconds after which a connection on which a request is under way, and neither side sends anything, has nobody at its other end. */
  readonly stalled: number;
}

/** How finely time is told: a connection ends late by a tenth of its time at most, and by a second. */
const SWEEPS = 10;
const MAX_INTERVAL = 1_000;

/**
 * Ends connections on which nothing moves. Node would set a timer for each of them twice a request, which costs more than most answers do:
 * one timer looks at all instead, and hands over to Node's what it finds in use, for that knows which bytes have left.
 */
export class IdleTimeout {
  readonly #options: IdleTimeoutOptions;
  readonly #connections: () => Iterable<Connection>;
  readonly #idle = new WeakMap<Connection, { readonly bytesRead: number; readonly since: number }>();
  readonly #interval: number;
  readonly #timer: NodeJS.Timeout;
  #sweeps = 0;

  /** @param connections those that are open */
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
