import { PatternIndex } from './pattern-index.ts';
import type { Subscriber, Subscription } from './subscriber.ts';

/** The subscriptions of a subscriber as they were last read. */
export class SubscriptionTable {
  readonly #subscriber: Pick<Subscriber, 'stamp' | 'subscriptions'>;
  #stamp: number | null = null;
  #byName: ReadonlyMap<string, Subscription> = new Map();
  #index = new PatternIndex([]);

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

  /** Whether they have changed since they were read. */
  async hasChanged(): Promise<boolean> {
    return (await this.#subscriber.stamp()) !== this.#stamp;
  }

  /** Reads them again where they have changed. @returns the names of those that were absent before */
  async refresh(): Promise<{ readonly changed: boolean; readonly added: readonly string[] }> {
    const stamp = await this.#subscriber.stamp();
    if (stamp === this.#stamp) return { changed: false, added: [] };
    const subscriptions = await this.#subscriber.subscriptions();
    const before = this.#byName;
    this.#byName = new Map(subscriptions.map((subscription) => [subscription.name, subscription]));
    this.#index = new PatternIndex(subscriptions);
    this.#stamp = stamp;
    return { changed: true, added: this.names.filter((name) => !before.has(name)) };
  }
}
