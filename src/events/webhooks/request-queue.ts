import type { Row } from '../../plan/plan.ts';
import { DeliveryBudget, type DeliveryPlace, SPEEDS } from '../delivery-budget.ts';
import { EndpointSpeed } from '../endpoint-speed.ts';
import { type Placed, ReadyEndpoints, startRoundRobin } from '../ready-endpoints.ts';

interface RequestQueueOptions {
  /** Deliveries in flight at most. */
  readonly concurrency: number;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** Attempts a delivery. Resolves with its success; never rejects. */
  readonly attempt: (row: Row) => Promise<boolean>;
  /** Called after each attempt. */
  readonly onEnd: () => void;
}

/** A webhook with requested deliveries. */
class RequestedWebhook implements Placed {
  readonly id: string;
  readonly owner: string;
  readonly waiting: Row[] = [];
  readonly speed = new EndpointSpeed();
  inFlight = 0;

  constructor(id: string, owner: string) {
    this.id = id;
    this.owner = owner;
  }

  get place(): DeliveryPlace {
    return { speed: this.speed.value, owner: this.owner };
  }
}

/** Requested deliveries that wait, by their webhooks. They share places as the deliveries of events do (EVT-6c). */
export class RequestQueue {
  readonly #options: RequestQueueOptions;
  readonly #budget: DeliveryBudget;
  readonly #ready = new ReadyEndpoints<RequestedWebhook>();
  /** Webhooks with deliveries that wait or are in flight, and slow ones. */
  readonly #webhooks = new Map<string, RequestedWebhook>();
  /** The ids of deliveries that wait or are in flight. */
  readonly #ids = new Set<string>();
  readonly #inFlight = new Set<Promise<void>>();

  constructor(options: RequestQueueOptions) {
    this.#options = options;
    this.#budget = new DeliveryBudget(options.concurrency);
  }

  /** The number of deliveries that wait. */
  get waiting(): number {
    return this.#ids.size - this.#inFlight.size;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** The owner of a webhook that it knows; undefined for another one. */
  findOwner(webhook: string): string | undefined {
    return this.#webhooks.get(webhook)?.owner;
  }

  /** Adds a delivery that it does not have. */
  add(row: Row, { id, owner }: Pick<RequestedWebhook, 'id' | 'owner'>): void {
    const webhook = this.#webhooks.get(id) ?? new RequestedWebhook(id, owner);
    this.#webhooks.set(id, webhook);
    this.#ids.add(row.id);
    webhook.waiting.push(row);
    this.#ready.add(webhook);
  }

  /** Starts as many deliveries as may be in flight, round-robin over the owners of each class. */
  start(): void {
    for (const speed of SPEEDS)
      startRoundRobin({ ready: this.#ready, budget: this.#budget }, speed, (place) => this.#startOne(place));
  }

  /** Resolves when nothing is in flight. */
  async settled(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  #startOne(place: DeliveryPlace): boolean {
    for (const webhook of this.#ready.of(place.speed, place.owner)) {
      // The end of its attempt adds it again.
      const isHeld = this.#budget.isCrowded && webhook.inFlight > 0;
      const row = isHeld ? undefined : webhook.waiting.shift();
      if (row === undefined) {
        this.#ready.delete(webhook);
        continue;
      }
      this.#ready.rotate(webhook);
      this.#budget.take(place);
      const attempt = this.#attempt(webhook, row, place).finally(() => this.#inFlight.delete(attempt));
      this.#inFlight.add(attempt);
      return true;
    }
    return false;
  }

  /** Never rejects. */
  async #attempt(webhook: RequestedWebhook, row: Row, place: DeliveryPlace): Promise<void> {
    const { attempt, elapsed, onEnd } = this.#options;
    const began = elapsed();
    webhook.inFlight += 1;
    const succeeded = await attempt(row);
    webhook.inFlight -= 1;
    webhook.speed.ended({ succeeded, duration: elapsed() - began });
    this.#budget.release(place);
    this.#ids.delete(row.id);
    if (webhook.waiting.length > 0) this.#ready.add(webhook);
    else if (webhook.inFlight === 0 && webhook.speed.value !== 'slow') this.#webhooks.delete(webhook.id);
    onEnd();
  }
}
