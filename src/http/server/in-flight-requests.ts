import type { PendingResponse } from './connection.ts';

export interface InFlightRequestsOptions {
  /** Milliseconds that a handler has from the moment that it holds all that it waits for. */
  readonly timeout: number;
  readonly onTimeout: (turn: PendingResponse) => void;
}

/** How finely time is told: an answer that is late is late by a thirtieth of the timeout at most, and by a second. */
const SWEEPS_PER_TIMEOUT = 30;
const MAX_INTERVAL = 1_000;

/**
 * The requests that are being answered. One timer serves them all: a timer for each would cost more than many an answer does.
 * Time that the client takes to send a body is not the handler's (LIM-1 has another bound for it).
 *
 * They stand in a list, each at its own `place`. A `Set` of what comes and goes makes itself a new table again and again, to which the one
 * before goes on pointing: once the garbage collector has taken one of them for lasting, it takes all that follow, with the requests in them.
 */
export class InFlightRequests {
  readonly #pending: PendingResponse[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #lifetime: number;
  readonly #onTimeout: (turn: PendingResponse) => void;
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

  add(turn: PendingResponse): void {
    turn.since = this.#sweeps;
    turn.index = this.#pending.push(turn) - 1;
  }

  /** The last one takes the place of the one that goes. */
  delete(turn: PendingResponse): void {
    if (this.#pending[turn.index] !== turn) return;
    const last = this.#pending.pop();
    if (last === undefined || last === turn) return;
    this.#pending[turn.index] = last;
    last.index = turn.index;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    this.#sweeps += 1;
    for (const turn of this.#pending.slice()) {
      if (turn.body?.isWaiting === true) turn.since = this.#sweeps;
      else if (!turn.isAnswered && this.#sweeps - turn.since > this.#lifetime) this.#onTimeout(turn);
    }
  }
}
