import type { DeliveryChange } from '../plan/delivery-plan.ts';
import type { Clock } from '../platform/clock.ts';
import type { Deliveries, WaitingEndpoint } from '../stores/store.ts';

/** Milliseconds between two reads of what waits, for each endpoint of which something does. */
const READ_INTERVAL = 0.1;
/** Waiting deliveries of a subscription that is gone that are read at a time. */
const PAGE = 100;
/** A delay has a jitter, and a receiver may request up to a day: how much longer than the schedule one is at most. */
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
  /** Monotonic milliseconds of the next read. */
  #nextRead = 0;

  constructor(options: DueDeliveriesOptions) {
    this.#options = options;
    this.#maxDelay = Math.max(DAY, ...options.schedule) * MAX_EXTENSION;
  }

  /** Milliseconds until one more is due; null where none waits. Those that are due already wait for a free slot. */
  get delay(): number | null {
    const now = this.#options.clock.now();
    const delays = this.#waiting.map(({ due }) => due - now).filter((delay) => delay > 0);
    return delays.length === 0 ? null : Math.min(...delays);
  }

  /** Whether any waits, as far as is known. */
  get isAnyWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Whether any is due. */
  async isAnyDue(): Promise<boolean> {
    await this.#read();
    return this.#waiting.some(this.#isDue);
  }

  /** Reads those that are due. @param slotsOf how many of a subscription may start now; null of one that is gone */
  async take(slotsOf: (endpoint: string) => number | null): Promise<readonly DeliveryChange[]> {
    const { deliveries, reader } = this.#options;
    await this.#read();
    const taken: DeliveryChange[] = [];
    for (const waiting of this.#waiting) {
      const limit = this.#isDue(waiting) ? (slotsOf(waiting.endpoint) ?? PAGE) : 0;
      if (limit === 0) continue;
      const now = this.#options.clock.now();
      const { endpoint } = waiting;
      taken.push(...(await deliveries.due({ reader, endpoint, now, latest: now + this.#maxDelay, limit })));
    }
    return taken;
  }

  async #read(): Promise<void> {
    const { deliveries, reader, elapsed } = this.#options;
    if (elapsed() < this.#nextRead) return;
    this.#waiting = await deliveries.waiting(reader);
    this.#nextRead = elapsed() + this.#waiting.length * READ_INTERVAL;
  }

  /** Whether its first delivery is due. One that is due later than any can be was stored by a clock that was wrong. */
  readonly #isDue = ({ due }: WaitingEndpoint): boolean => {
    const now = this.#options.clock.now();
    return due <= now || due > now + this.#maxDelay;
  };
}
