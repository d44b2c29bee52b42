import { setTimeout as later } from 'node:timers/promises';
import { SERIAL, SERIAL_LENGTH } from '../requests.ts';
import type { ParsedResponse } from './parse-response.ts';
import { LoadConnection } from './load-connection.ts';
import { schedule } from './schedule.ts';
import type { LoadTally } from './tally.ts';

/** What a generator is told to do. */
export interface GeneratorOptions {
  readonly port: number;
  /** Requests as they go over the wire, in turn. */
  readonly requests: readonly string[];
  readonly connections: number;
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
  /** What the numbers of its requests begin with: digits that no other generator has. */
  readonly stamp: string;
}

/** Milliseconds between two looks at the schedule. */
const TICK = 1;
/** Connections that are opened at once, milliseconds between two openings, and milliseconds for the server to take the last ones. */
const OPEN_BATCH = 32;
const OPEN_INTERVAL = 10;
const ACCEPT_DELAY = 1_000;
/** Milliseconds after the schedule until a request counts as unanswered. */
const RESPONSE_TIMEOUT = 10_000;

/** Sends requests when they are due, whether or not those before were answered, as far as its connections bear it. */
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
  /** Requests that are due so far; none before the start. */
  #due = 0;
  #start = 0;
  #dueAt: (index: number) => number = () => 0;

  constructor(orders: GeneratorOptions) {
    this.#options = orders;
  }

  /**
   * Opens the connections, a few at a time, and leaves the server time to take them: Node takes one in each turn of its event loop, so that
   * those which it has not taken before the load would wait for seconds.
   */
  async open(): Promise<void> {
    const { port, connections } = this.#options;
    const events = {
      onFree: (connection: LoadConnection) => this.#onFree(connection),
      onResponse: (connection: LoadConnection, answer: ParsedResponse) => this.#count(connection, answer),
      onBroken: () => void (this.#counts.broken += 1),
    };
    await pollUntil(OPEN_INTERVAL, () => {
      if (this.#free.length < this.#connections.length) return false;
      const few = Math.min(OPEN_BATCH, connections - this.#connections.length);
      for (let index = 0; index < few; index += 1) this.#connections.push(new LoadConnection(port, events));
      return few === 0;
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
    // What was due and found no connection is not sent any more.
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

/** Looks again and again until it is enough. */
async function pollUntil(milliseconds: number, enough: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!enough()) return;
      clearInterval(timer);
      resolve();
    }, milliseconds);
  });
}
