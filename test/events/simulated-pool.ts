import { DeliveryBudget } from '../../src/events/delivery-budget.ts';
import { DeliveryPool } from '../../src/events/delivery-pool.ts';
import { Endpoint } from '../../src/events/endpoint.ts';
import type { AttemptResult, Subscriber } from '../../src/events/subscriber.ts';
import type { LoggedEvent } from '../../src/stores/store.ts';

const SECOND = 1_000;

/** A receiver of one webhook, in simulated time. */
export interface SimulatedReceiver {
  readonly name: string;
  readonly owner: string;
  /** The milliseconds that an attempt takes. @param attempt of this receiver, from 0 */
  readonly takes: (attempt: number) => number;
  readonly kind?: AttemptResult['kind'];
}

/** The delays of the deliveries to each receiver, in milliseconds, by its name. */
export type Delays = ReadonlyMap<string, readonly number[]>;

interface PendingEnd {
  readonly at: number;
  readonly end: () => void;
}

/** A pool of deliveries whose receivers and clock are simulated: seconds of their time take milliseconds. */
export class SimulatedPool implements AsyncDisposable {
  #time = 0;
  readonly #ends: PendingEnd[] = [];
  readonly #started = new Map<string, number>();
  readonly #receivers = new Map<string, SimulatedReceiver>();
  readonly #endpoints: Endpoint[] = [];
  readonly #delays = new Map<string, number[]>();
  readonly #pool: DeliveryPool;
  #sequence = 0;

  constructor(receivers: readonly SimulatedReceiver[]) {
    const subscriber = this.#subscriber();
    for (const receiver of receivers) this.add(receiver);
    this.#pool = new DeliveryPool({
      subscriber,
      clock: { now: () => this.#time },
      elapsed: () => this.#time,
      random: () => 0,
      observe: () => undefined,
      budget: new DeliveryBudget(),
      pace: { wait: 0, started: () => undefined },
      progress: { isOverdue: false, ended: () => undefined, add: () => undefined, release: () => undefined },
      onEnd: () => void this.#pool.start(),
    });
  }

  /** Adds a receiver, which gets the events from now on. */
  add(receiver: SimulatedReceiver): void {
    const { name, owner } = receiver;
    const subscription = { name, patterns: ['*'], ordered: false, owner };
    this.#receivers.set(name, receiver);
    this.#endpoints.push(new Endpoint(subscription, { concurrency: 4, drainRate: null }, null));
  }

  /**
   * Logs events at a constant rate, each for every receiver.
   *
   * @param interval seconds between two events
   * @param until seconds of simulated time
   */
  async run(interval: number, until: number): Promise<Delays> {
    for (let next = this.#time; next < until * SECOND; next += interval * SECOND) {
      await this.#advance(next);
      this.#log();
      await settle();
    }
    await this.#advance(until * SECOND);
    return this.#delays;
  }

  /** Ends the attempts in flight. */
  async [Symbol.asyncDispose](): Promise<void> {
    const stopped = this.#pool.stop();
    await this.#advance(Number.MAX_SAFE_INTEGER);
    await stopped;
  }

  #log(): void {
    this.#sequence += 1;
    for (const endpoint of this.#endpoints)
      if (endpoint.offer(eventAt(this.#sequence, this.#time)) === 'queued') this.#pool.add(endpoint);
    this.#pool.start();
  }

  /** Ends the attempts up to a time, those of the same time together. */
  async #advance(time: number): Promise<void> {
    for (;;) {
      const at = this.#ends.reduce((first, each) => Math.min(first, each.at), Number.POSITIVE_INFINITY);
      if (at > time) break;
      this.#time = at;
      const ended = this.#ends.filter((each) => each.at === at);
      this.#ends.splice(0, Number.POSITIVE_INFINITY, ...this.#ends.filter((each) => each.at > at));
      for (const { end } of ended) end();
      await settle();
    }
    this.#time = time;
  }

  #subscriber(): Subscriber {
    return {
      name: 'webhooks',
      timeout: 60 * SECOND,
      schedule: [0],
      concurrency: 4,
      drainRate: null,
      busyRate: null,
      stamp: () => 0,
      subscriptions: () => [],
      deliver: ({ subscription: { name }, event }) => {
        const receiver = this.#receivers.get(name);
        if (receiver === undefined) throw new Error(`no receiver ${name}`);
        const delays = this.#delays.get(name) ?? [];
        this.#delays.set(name, [...delays, this.#time - Date.parse(event.event.payload.timestamp)]);
        const attempt = this.#started.get(name) ?? 0;
        this.#started.set(name, attempt + 1);
        const { promise, resolve } = Promise.withResolvers<AttemptResult>();
        const end = (): void => resolve({ kind: receiver.kind ?? 'succeeded' });
        this.#ends.push({ at: this.#time + receiver.takes(attempt), end });
        return promise;
      },
    };
  }
}

/** Lets the attempts that have ended be counted, and the next ones start. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

function eventAt(sequence: number, time: number): LoggedEvent {
  const event = {
    id: `0197a3f0-0000-7000-8000-${String(sequence).padStart(12, '0')}`,
    type: 'note.created',
    payload: {
      timestamp: new Date(time).toISOString(),
      resource: { type: 'note', id: String(sequence), url: `https://api.example.com/api/v1/notes/${sequence}` },
      parents: [],
      changed_fields: [],
    },
    metadata: {
      trace_id: '0'.repeat(32),
      correlation_id: 'c',
      schema_version: '1.0',
      sequence: String(sequence).padStart(20, '0'),
      actor: null,
      caller: { issuer: null, subject: null, client: null },
    },
  };
  return { sequence, type: event.type, event, json: JSON.stringify(event), access: null };
}
