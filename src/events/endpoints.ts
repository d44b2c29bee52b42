import type { Deliveries } from '../stores/store.ts';
import { Endpoint } from './endpoint.ts';
import type { Subscriber, Subscription } from './subscriber.ts';
import { SubscriptionTable } from './subscription-table.ts';

/** Endpoints without anything to deliver are retained up to this number: they know how many attempts may start. */
const MAX_IDLE = 1_000;

interface EndpointsOptions {
  readonly subscriber: Subscriber;
  readonly deliveries: Pick<Deliveries, 'register' | 'positions' | 'storedAfter' | 'openResources'>;
}

/** The subscriptions of a subscriber, and the endpoints of those that have something to be delivered. */
export class Endpoints {
  readonly #options: EndpointsOptions;
  readonly #table: SubscriptionTable;
  readonly #byName = new Map<string, Endpoint>();
  #isRegistered = false;

  constructor(options: EndpointsOptions) {
    this.#options = options;
    this.#table = new SubscriptionTable(options.subscriber);
  }

  [Symbol.iterator](): Iterator<Endpoint> {
    return this.#byName.values();
  }

  /** The endpoint of a subscription; null if it no longer exists. */
  get(name: string): Endpoint | null {
    const subscription = this.#table.get(name);
    return subscription === null ? null : this.#of(subscription);
  }

  /** The endpoints of an event. @param type of the event */
  match(type: string): readonly Endpoint[] {
    return this.#table.match(type).map((subscription) => this.#of(subscription));
  }

  /** Whether any subscription that follows the reader matches one of the types. */
  wants(types: readonly string[]): boolean {
    const matching = types.flatMap((type) => this.#table.match(type));
    return matching.some(({ name }) => this.#byName.get(name)?.isFollowing ?? true);
  }

  /** In every process, with or without the lease: a new subscription gets the events since the start of the first process that has it. */
  async register(): Promise<void> {
    if (this.#isRegistered) return;
    await this.#table.refresh();
    await this.#options.deliveries.register(this.#options.subscriber.name, this.#table.names);
    this.#isRegistered = true;
  }

  /** Starts from what is stored. @param reader the position of the reader */
  async reload(reader: number): Promise<void> {
    const { deliveries, subscriber } = this.#options;
    await this.#refreshTable();
    this.#byName.clear();
    await this.#load(this.#table.names, reader);
    for (const { endpoint, resource, count } of await deliveries.openResources(subscriber.name)) {
      this.get(endpoint)?.open(resource, count);
    }
  }

  /** Whether subscriptions were added, changed or removed since they were read. */
  haveChanged(): Promise<boolean> {
    return this.#table.hasChanged();
  }

  /** Learns of subscriptions that were added, changed and removed. @param reader the position of the reader */
  async refresh(reader: number): Promise<void> {
    const { changed, added } = await this.#refreshTable();
    if (!changed) return;
    for (const [name, endpoint] of this.#byName) {
      const subscription = this.#table.get(name);
      if (subscription === null) this.#byName.delete(name);
      else endpoint.subscription = subscription;
    }
    await this.#load(added, reader);
  }

  /** Removes endpoints that a new one could replace, where there are many. */
  prune(): void {
    if (this.#byName.size <= MAX_IDLE) return;
    for (const [name, endpoint] of this.#byName) if (endpoint.isIdle) this.#byName.delete(name);
  }

  async #refreshTable(): ReturnType<SubscriptionTable['refresh']> {
    const refreshed = await this.#table.refresh();
    const { subscriber, deliveries } = this.#options;
    if (refreshed.added.length > 0) await deliveries.register(subscriber.name, refreshed.added);
    return refreshed;
  }

  /** Creates the endpoints of subscriptions with a position of their own. One that is not behind the reader follows it. */
  async #load(names: readonly string[], reader: number): Promise<void> {
    if (names.length === 0) return;
    for (const { name, sequence } of await this.#options.deliveries.positions(names)) {
      const subscription = this.#table.get(name);
      if (subscription === null) continue;
      const endpoint = new Endpoint(subscription, this.#options.subscriber, sequence);
      endpoint.isFollowing = sequence === null || sequence >= reader;
      if (sequence !== null) endpoint.skip(await this.#options.deliveries.storedAfter(name, sequence));
      this.#byName.set(name, endpoint);
    }
  }

  #of(subscription: Subscription): Endpoint {
    const known = this.#byName.get(subscription.name);
    if (known !== undefined) return known;
    const endpoint = new Endpoint(subscription, this.#options.subscriber, null);
    this.#byName.set(subscription.name, endpoint);
    return endpoint;
  }
}
