import type { DeliveryChange } from '../plan/delivery-plan.ts';
import type { Clock } from '../platform/clock.ts';
import type { Deliveries, WaitingEndpoint } from '../stores/store.ts';

/**
 * Minimum milliseconds between two reads of waiting deliveries, in total and for each endpoint that has some.
 * Deliveries that this process has stored are read immediately.
 */
const MIN_READ_INTERVAL = 20;
const READ_INTERVAL = 0.1;
/** Waiting deliveries of a removed subscription that are read at a time. */
const PAGE = 100;
/** Subscriptions whose deliveries are taken at a time, so that new events are read in between. */
const MAX_TAKEN = 64;
/** The most by which a delay exceeds the schedule: it has a jitter, and a receiver may request up to a day. */
const MAX_EXTENSION = 1.1;
const DAY = 24 * 60 * 60 * 1_000;

interface DueDeliveriesOptions {
  readonly deliveries: Pick<Deliveries, 'waiting' | 'due'>;
  /** Name of the reader. */
  readonly reader: string;
  /** Delay before each attempt, in milliseconds. */
  readonly schedule: readonly number[];
  readonly clock: Clock;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
}

/** Finds the stored deliveries of a reader that are due. */
export class DueDeliveries {
  readonly #options: DueDeliveriesOptions;
  readonly #maxDelay: number;
  #waiting: readonly WaitingEndpoint[] = [];
  /** Sequences that were taken and are not stored as anything else yet, by endpoint. */
  readonly #taken = new Map<string, Set<number>>();
  /** Monotonic milliseconds of the next read. */
  #nextRead = 0;

  constructor(options: DueDeliveriesOptions) {
    this.#options = options;
    this.#maxDelay = Math.ceil(Math.max(DAY, ...options.schedule) * MAX_EXTENSION);
  }

  /** Milliseconds until one more is due; null if none waits. Those that are due already wait for a free slot. */
  get delay(): number | null {
    const now = this.#options.clock.now();
    const delays = this.#waiting.map(({ due }) => due - now).filter((delay) => delay > 0);
    return delays.length === 0 ? null : Math.min(...delays);
  }

  /** True if any delivery is known to wait. */
  get isAnyWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** True if any delivery is due. */
  async isAnyDue(): Promise<boolean> {
    await this.#read();
    return this.#waiting.some(this.#isDue);
  }

  /** Allows deliveries to be taken again that were stored in another state, or not attempted. */
  release(deliveries: readonly DeliveryChange[]): void {
    for (const { endpoint, sequence } of deliveries) this.#taken.get(endpoint)?.delete(sequence);
  }

  /** Reads again soon, because this process has stored deliveries that wait. */
  changed(): void {
    this.#nextRead = 0;
  }

  /** Drops the taken deliveries, because another process may take them. */
  reset(): void {
    this.#taken.clear();
    this.#nextRead = 0;
  }

  /**
   * Takes the deliveries that are due, each once until it is stored again.
   *
   * @param slotsOf the number that may start now for a subscription; null if that is gone
   */
  async take(slotsOf: (endpoint: string) => number | null): Promise<readonly DeliveryChange[]> {
    await this.#read();
    const taken: DeliveryChange[] = [];
    let count = 0;
    for (const waiting of this.#waiting) {
      const free = this.#isDue(waiting) ? (slotsOf(waiting.endpoint) ?? PAGE) : 0;
      const found = free > 0 ? await this.#takeOf(waiting.endpoint, free) : [];
      taken.push(...found);
      // One whose deliveries were taken has no free slot: the next call continues with others.
      if (found.length > 0) count += 1;
      if (count === MAX_TAKEN) break;
    }
    return taken;
  }

  async #takeOf(endpoint: string, free: number): Promise<readonly DeliveryChange[]> {
    const { deliveries, reader, clock } = this.#options;
    const known = this.#taken.get(endpoint) ?? new Set<number>();
    this.#taken.set(endpoint, known);
    const now = clock.now();
    const latest = now + this.#maxDelay;
    const due = await deliveries.due({ reader, endpoint, now, latest, limit: free + known.size });
    const taken = due.filter(({ sequence }) => !known.has(sequence)).slice(0, free);
    for (const { sequence } of taken) known.add(sequence);
    return taken;
  }

  async #read(): Promise<void> {
    const { deliveries, reader, elapsed } = this.#options;
    if (elapsed() < this.#nextRead) return;
    this.#waiting = await deliveries.waiting(reader);
    this.#nextRead = elapsed() + Math.max(MIN_READ_INTERVAL, this.#waiting.length * READ_INTERVAL);
  }

  /** True if its first delivery is due. One that is due later than any can be was stored by a clock that was wrong. */
  readonly #isDue = ({ due }: WaitingEndpoint): boolean => {
    const now = this.#options.clock.now();
    return due <= now || due > now + this.#maxDelay;
  };
}
