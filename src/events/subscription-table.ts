import { PatternIndex } from './pattern-index.ts';
import type { Subscriber, Subscription } from './subscriber.ts';

/** The names of subscriptions that were removed and added, and those that have changed. */
export interface SubscriptionChanges {
  readonly removed: readonly string[];
  readonly added: readonly string[];
  readonly replaced: readonly Subscription[];
}

const UNCHANGED: SubscriptionChanges = { removed: [], added: [], replaced: [] };

/** The subscriptions of a subscriber as they were last read. */
export class SubscriptionTable {
  readonly #subscriber: Pick<Subscriber, 'stamp' | 'subscriptions'>;
  #stamp: number | null = null;
  readonly #byName = new Map<string, Subscription>();
  readonly #index = new PatternIndex();

  constructor(subscriber: Pick<Subscriber, 'stamp' | 'subscriptions'>) {
    this.#subscriber = subscriber;
  }

  get(name: string): Subscription | null {
    return this.#byName.get(name) ?? null;
  }

  /** @param type of an event */
  match(type: string): readonly Subscription[] {
    return this.#index.match(type);
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** True if they have changed since they were read. */
  async hasChanged(): Promise<boolean> {
    return (await this.#subscriber.stamp()) !== this.#stamp;
  }

  /** Reads them again if they have changed. */
  async refresh(): Promise<SubscriptionChanges> {
    const stamp = await this.#subscriber.stamp();
    if (stamp === this.#stamp) return UNCHANGED;
    const changes = this.#replace(await this.#subscriber.subscriptions());
    this.#stamp = stamp;
    return changes;
  }

  #replace(subscriptions: readonly Subscription[]): SubscriptionChanges {
    const removed: string[] = [];
    const added: string[] = [];
    const replaced: Subscription[] = [];
    for (const subscription of subscriptions) {
      const before = this.#byName.get(subscription.name);
      if (before === subscription) continue;
      const isSame = before !== undefined && before.start === subscription.start;
      if (before !== undefined) this.#index.delete(before);
      if (before !== undefined && !isSame) removed.push(subscription.name);
      if (isSame) replaced.push(subscription);
      else added.push(subscription.name);
      this.#index.add(subscription);
      this.#byName.set(subscription.name, subscription);
    }
    if (this.#byName.size > subscriptions.length) removed.push(...this.#remove(subscriptions));
    return { removed, added, replaced };
  }

  /** Removes those that no longer exist. @returns their names */
  #remove(subscriptions: readonly Subscription[]): readonly string[] {
    const present = new Set(subscriptions.map(({ name }) => name));
    const gone = [...this.#byName.values()].filter(({ name }) => !present.has(name));
    for (const subscription of gone) {
      this.#index.delete(subscription);
      this.#byName.delete(subscription.name);
    }
    return gone.map(({ name }) => name);
  }
}
