import type { PendingResponse } from './connection.ts';

interface InFlightRequestsOptions {
  /** Milliseconds that a handler may take, not counting the time in which it waits for the client. */
  readonly timeout: number;
  readonly onTimeout: (pending: PendingResponse) => void;
}

/** The precision of the timeout: it fires late by at most a thirtieth of it, and by at most a second. */
const SWEEPS_PER_TIMEOUT = 30;
const MAX_INTERVAL = 1_000;

/**
 * The requests without a complete response, with their timeout. One timer serves them all: a timer per request would
 * cost more than many a response. The time that the client takes to send a body does not count (LIM-1 limits it
 * separately).
 *
 * They are in an array, each with its own `index`. A `Set` with much churn reallocates its table again and again, and
 * each old table points to the new one. Once V8 has promoted one of them, it promotes all that follow, with the
 * requests in them.
 */
export class InFlightRequests {
  readonly #pending: PendingResponse[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #lifetime: number;
  readonly #onTimeout: (pending: PendingResponse) => void;
  #sweeps = 0;

  constructor({ timeout, onTimeout }: InFlightRequestsOptions) {
    const interval = Math.min(MAX_INTERVAL, Math.ceil(timeout / SWEEPS_PER_TIMEOUT));
    this.#lifetime = Math.ceil(timeout / interval);
    this.#onTimeout = onTimeout;
    this.#timer = setInterval(() => this.#sweep(), interval).unref();
  }

  get size(): number {
    return this.#pending.length;
  }

  add(pending: PendingResponse): void {
    pending.since = this.#sweeps;
    pending.index = this.#pending.push(pending) - 1;
  }

  /** Moves the last one to the index that becomes free. */
  delete(pending: PendingResponse): void {
    if (this.#pending[pending.index] !== pending) return;
    const last = this.#pending.pop();
    if (last === undefined || last === pending) return;
    this.#pending[pending.index] = last;
    last.index = pending.index;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    this.#sweeps += 1;
    for (const pending of this.#pending.slice()) {
      if (pending.body?.isWaiting === true) pending.since = this.#sweeps;
      else if (!pending.isAnswered && this.#sweeps - pending.since > this.#lifetime) this.#onTimeout(pending);
    }
  }
}
