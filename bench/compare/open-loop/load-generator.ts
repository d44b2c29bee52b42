import { setTimeout as later } from 'node:timers/promises';
import { SERIAL, SERIAL_LENGTH } from '../requests.ts';
import type { ParsedResponse } from './parse-response.ts';
import { LoadConnection } from './load-connection.ts';
import { schedule } from './schedule.ts';
import type { LoadTally } from './tally.ts';

/** The load that a generator produces. */
export interface GeneratorOptions {
  readonly port: number;
  /** Raw HTTP requests, sent in this order, repeatedly. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
  /** Digits that start the serial numbers of its requests, unique to this generator. */
  readonly stamp: string;
}

/** Milliseconds between two checks of the schedule. */
const TICK = 1;
/**
 * Connections that are opened together, milliseconds between two batches, and milliseconds for the server to accept the
 * last one.
 */
const OPEN_BATCH = 32;
const OPEN_INTERVAL = 10;
const ACCEPT_DELAY = 1_000;
/** Milliseconds after the end of the schedule until a request counts as unanswered. */
const RESPONSE_TIMEOUT = 10_000;

/**
 * An open-loop generator: sends each request when it is due, without waiting for earlier responses, if a connection is
 * free.
 */
export class LoadGenerator {
  readonly #options: GeneratorOptions;
  readonly #connections: LoadConnection[] = [];
  readonly #fromSending: number[] = [];
  readonly #fromDue: number[] = [];
  readonly #counts = { done: 0, refused: 0, withoutRetryAfter: 0, other: 0, broken: 0 };
  #free: LoadConnection[] = [];
  #sent = 0;
  #late = 0;
  #elapsed = 0;
  /** Number of requests that are due so far. */
  #due = 0;
  #start = 0;
  #dueAt: (index: number) => number = () => 0;

  constructor(orders: GeneratorOptions) {
    this.#options = orders;
  }

  /**
   * Opens the connections in small batches and gives the server time to accept them. Node.js accepts one connection per
   * event-loop iteration; connections that are pending when the load starts would wait for seconds.
   */
  async open(): Promise<void> {
    const { port, connections } = this.#options;
    const events = {
      onFree: (connection: LoadConnection) => this.#onFree(connection),
      onResponse: (connection: LoadConnection, response: ParsedResponse) => this.#count(connection, response),
      onBroken: () => void (this.#counts.broken += 1),
    };
    await pollUntil(OPEN_INTERVAL, () => {
      if (this.#free.length < this.#connections.length) return false;
      const batch = Math.min(OPEN_BATCH, connections - this.#connections.length);
      for (let index = 0; index < batch; index += 1) this.#connections.push(new LoadConnection(port, events));
      return batch === 0;
    });
    await later(ACCEPT_DELAY);
  }

  async run(): Promise<LoadTally> {
    const { rate, seconds } = this.#options;
    const { total, dueBy, dueAt } = schedule(rate, seconds);
    this.#start = performance.now();
    this.#dueAt = dueAt;
    let last = this.#start;
    await pollUntil(TICK, () => {
      const now = performance.now();
      this.#late = Math.max(this.#late, now - last - TICK);
      last = now;
      this.#due = dueBy(now - this.#start);
      this.#send();
      return now - this.#start >= seconds * 1000;
    });
    // Requests that found no free connection in time are not sent.
    this.#due = 0;
    const unsent = total - this.#sent;
    const until = performance.now() + RESPONSE_TIMEOUT;
    await pollUntil(TICK, () => performance.now() > until || !this.#connections.some(({ busy }) => busy));
    const unanswered = this.#connections.filter(({ busy }) => busy).length;
    for (const connection of this.#connections) connection.end();
    const [fromSending, fromDue] = [Float64Array.from(this.#fromSending), Float64Array.from(this.#fromDue)];
    const [elapsed, late] = [this.#elapsed, this.#late];
    return { ...this.#counts, unsent, unanswered, fromSending, fromDue, elapsed, late };
  }

  #onFree(connection: LoadConnection): void {
    this.#free.push(connection);
    this.#send();
  }

  #send(): void {
    while (this.#sent < this.#due) {
      const connection = this.#free.pop();
      if (connection === undefined) return;
      if (!connection.free) continue;
      connection.due = this.#start + this.#dueAt(this.#sent);
      connection.sent = performance.now();
      connection.send(this.#request(this.#sent));
      this.#sent += 1;
    }
  }

  #request(index: number): string {
    const { requests, stamp } = this.#options;
    const request = requests[index % requests.length] ?? '';
    if (!request.includes(SERIAL)) return request;
    return request.replaceAll(SERIAL, `${stamp}${String(index).padStart(SERIAL_LENGTH - stamp.length, '0')}`);
  }

  #count({ due, sent }: LoadConnection, { status, retryAfter }: ParsedResponse): void {
    const now = performance.now();
    this.#elapsed = now - this.#start;
    this.#fromSending.push(now - sent);
    this.#fromDue.push(now - due);
    if (status >= 200 && status < 300) this.#counts.done += 1;
    else if (status !== 503) this.#counts.other += 1;
    else {
      this.#counts.refused += 1;
      if (!retryAfter) this.#counts.withoutRetryAfter += 1;
    }
  }
}

/** Calls a function at an interval until it returns true. */
async function pollUntil(milliseconds: number, isDone: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!isDone()) return;
      clearInterval(timer);
      resolve();
    }, milliseconds);
  });
}
