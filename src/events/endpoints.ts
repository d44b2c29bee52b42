import type { SubscriptionPosition } from '../plan/delivery-plan.ts';
import type { Deliveries, OpenResource } from '../stores/store.ts';
import { Endpoint } from './endpoint.ts';
import type { Subscriber, Subscription } from './subscriber.ts';
import { SubscriptionTable } from './subscription-table.ts';

/** Maximum number of endpoints without deliveries that are retained, because they know how many attempts may start. */
const MAX_IDLE = 1_000;

interface EndpointsOptions {
  readonly subscriber: Subscriber;
  /** Stores the results that are in memory, so that the stored deliveries are complete. */
  readonly flush: () => Promise<void>;
  readonly deliveries: Pick<Deliveries, 'register' | 'positions' | 'storedAfter' | 'openResources'>;
}

/** The stored state of some subscriptions. */
interface StoredState {
  /**
   * Positions of subscriptions that have their own. `stored` has the sequences after it whose deliveries are stored.
   */
  readonly positions: readonly (SubscriptionPosition & { readonly stored: readonly number[] })[];
  readonly open: readonly OpenResource[];
}

/** The subscriptions of a subscriber, and the endpoints of those that have deliveries. */
export class Endpoints {
  readonly #options: EndpointsOptions;
  readonly #table: SubscriptionTable;
  readonly #byName = new Map<string, Endpoint>();
  /** Endpoints of removed subscriptions that had attempts when they were removed. */
  readonly #leaving = new Map<string, Endpoint>();
  /** Names of subscriptions whose position is to be read. */
  readonly #added = new Set<string>();
  #isRegistered = false;

  constructor(options: EndpointsOptions) {
    this.#options = options;
    this.#table = new SubscriptionTable(options.subscriber);
  }

  [Symbol.iterator](): Iterator<Endpoint> {
    return this.#byName.values();
  }

  /** Returns the endpoint of a subscription; null if it no longer exists. */
  get(name: string): Endpoint | null {
    const subscription = this.#table.get(name);
    return subscription === null ? null : this.#of(subscription);
  }

  /** Returns the endpoints of an event. @param type of the event */
  match(type: string): readonly Endpoint[] {
    return this.#table.match(type).map((subscription) => this.#of(subscription));
  }

  /** True if any subscription that follows the reader matches one of the types. */
  wants(types: readonly string[]): boolean {
    const matching = types.flatMap((type) => this.#table.match(type));
    return matching.some(({ name }) => this.#byName.get(name)?.isFollowing ?? true);
  }

  /**
   * Registers new subscriptions. Every process does, even without the lease: a subscription gets the events since the
   * first process with it started.
   */
  async register(): Promise<void> {
    if (this.#isRegistered) return;
    await this.#table.refresh();
    await this.#options.deliveries.register(this.#options.subscriber.name, this.#table.names);
    this.#isRegistered = true;
  }

  /** Returns the endpoint with the attempts of a subscription, even of a removed one; null if it has none. */
  atWork(name: string): Endpoint | null {
    return this.#byName.get(name) ?? this.#leaving.get(name) ?? null;
  }

  /** Starts again from the stored state, whatever is in flight. @param reader the position of the reader */
  async reload(reader: number): Promise<void> {
    await this.#refreshTable();
    this.#byName.clear();
    this.#leaving.clear();
    const { names } = this.#table;
    this.#load(names, await this.#read(names), reader);
    this.#added.clear();
  }

  /** True if subscriptions were added, changed or removed since they were read. */
  haveChanged(): Promise<boolean> {
    return this.#table.hasChanged();
  }

  /** Applies the additions, changes and removals of subscriptions. @param reader the position of the reader */
  async refresh(reader: number): Promise<void> {
    await this.#refreshTable();
    for (const [name, endpoint] of this.#leaving) if (!endpoint.isAtWork) this.#leaving.delete(name);
    if (this.#added.size === 0) return;
    const { flush } = this.#options;
    const names = [...this.#added];
    const leaving = names.flatMap((name) => this.#leaving.get(name) ?? []);
    for (const endpoint of leaving) endpoint.discard();
    const ended = (): number => leaving.reduce((sum, { attemptsEnded }) => sum + attemptsEnded, 0);
    for (;;) {
      const before = ended();
      await flush();
      const stored = await this.#read(names);
      // Attempts that have ended meanwhile are stored first.
      if (ended() !== before) continue;
      this.#load(names, stored, reader);
      this.#added.clear();
      return;
    }
  }

  /** Removes endpoints without state if there are many. */
  prune(): void {
    if (this.#byName.size <= MAX_IDLE) return;
    for (const [name, endpoint] of this.#byName) if (endpoint.isIdle) this.#byName.delete(name);
  }

  async #refreshTable(): Promise<void> {
    const { removed, added, replaced } = await this.#table.refresh();
    for (const name of removed) this.#remove(name);
    for (const name of added) this.#added.add(name);
    for (const subscription of replaced) {
      const endpoint = this.#byName.get(subscription.name);
      if (endpoint !== undefined) endpoint.subscription = subscription;
    }
  }

  #remove(name: string): void {
    const endpoint = this.#byName.get(name);
    if (endpoint?.isAtWork === true) this.#leaving.set(name, endpoint);
    this.#byName.delete(name);
    this.#added.delete(name);
  }

  async #read(names: readonly string[]): Promise<StoredState> {
    const { deliveries, subscriber } = this.#options;
    await deliveries.register(subscriber.name, names);
    const positions = await deliveries.positions(names);
    const own = positions.map(async ({ name, sequence }) => {
      const stored = sequence === null ? [] : await deliveries.storedAfter(name, sequence);
      return { name, sequence, stored };
    });
    return { positions: await Promise.all(own), open: await deliveries.openResources(subscriber.name, names) };
  }

  /**
   * Creates the endpoints of subscriptions with a position of their own, or stored deliveries. One that is not behind
   * the reader follows it.
   */
  #load(names: readonly string[], { positions, open }: StoredState, reader: number): void {
    const own = new Map(positions.map((position) => [position.name, position]));
    for (const name of names) {
      const [subscription, position, leaving] = [this.#table.get(name), own.get(name), this.#leaving.get(name)];
      this.#leaving.delete(name);
      if (subscription === null || (position === undefined && leaving === undefined)) continue;
      const sequence = position?.sequence ?? null;
      const endpoint = leaving ?? new Endpoint(subscription, this.#options.subscriber, sequence);
      if (leaving !== undefined) leaving.restart(subscription, sequence);
      endpoint.isFollowing = sequence === null || sequence >= reader;
      endpoint.skip(position?.stored ?? []);
      this.#byName.set(name, endpoint);
    }
    for (const { endpoint, resource, count } of open) this.get(endpoint)?.open(resource, count);
  }

  #of(subscription: Subscription): Endpoint {
    const known = this.#byName.get(subscription.name);
    if (known !== undefined) return known;
    const endpoint = new Endpoint(subscription, this.#options.subscriber, null);
    this.#byName.set(subscription.name, endpoint);
    return endpoint;
  }
}
