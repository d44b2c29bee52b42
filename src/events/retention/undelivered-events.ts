import type { DeliveryKey } from '../../plan/delivery-plan.ts';
import type { Store } from '../../stores/store.ts';
import { PatternIndex } from '../pattern-index.ts';
import type { Subscriber, Subscription } from '../subscriber.ts';

/** Subscriptions with the name of their reader. */
export type Subscriptions = Pick<Subscriber, 'name' | 'subscriptions'>;

/** The last events of a subscription that are read at a time. */
const PAGE = 1_024;

/** The number of events that each subscription misses, by its name. */
export type MissedEvents = ReadonlyMap<string, number>;

interface UndeliveredEventsOptions {
  readonly store: Pick<Store, 'events' | 'deliveries'>;
  readonly subscribers: readonly Subscriptions[];
}

/** Counts the events that subscriptions miss when they are removed (EVT-8). */
export class UndeliveredEvents {
  readonly #options: UndeliveredEventsOptions;

  constructor(options: UndeliveredEventsOptions) {
    this.#options = options;
  }

  /** Counts the events that existing subscriptions miss if unfinished deliveries are removed. */
  async ofDeliveries(deliveries: readonly DeliveryKey[]): Promise<MissedEvents> {
    const open = deliveries.filter(({ state }) => state === 'waiting' || state === 'held');
    const missed = new Map<string, number>();
    if (open.length === 0) return missed;
    const known = new Set((await this.#subscriptions()).map(({ subscription }) => subscription.name));
    for (const { endpoint } of open) if (known.has(endpoint)) missed.set(endpoint, (missed.get(endpoint) ?? 0) + 1);
    return missed;
  }

  /**
   * Counts the events that existing subscriptions miss if a part of the log is removed.
   *
   * @param removed the last sequence before it
   * @param through its last
   */
  async ofLog(removed: number, through: number): Promise<MissedEvents> {
    const { events, deliveries } = this.#options.store;
    const missed = new Map<string, number>();
    if (!(await deliveries.isBehind(through))) return missed;
    const behind = (await this.#subscriptions()).filter(({ position }) => position < through);
    const positions = new Map(behind.map(({ subscription, position }) => [subscription, position]));
    const index = new PatternIndex(positions.keys());
    for (const event of await events.list({ after: removed, until: through, limit: PAGE })) {
      for (const subscription of index.match(event.event.type)) {
        const { name, until = event.sequence, accepts = () => true } = subscription;
        const isMissed = (positions.get(subscription) ?? 0) < event.sequence && event.sequence <= until;
        if (isMissed && accepts(event)) missed.set(name, (missed.get(name) ?? 0) + 1);
      }
    }
    return missed;
  }

  /** Reads the existing subscriptions with their positions. */
  async #subscriptions(): Promise<readonly { readonly subscription: Subscription; readonly position: number }[]> {
    const { store, subscribers } = this.#options;
    const found = await Promise.all(
      subscribers.map(async (subscriber) => {
        const subscriptions = await subscriber.subscriptions();
        const reader = await store.deliveries.reader(subscriber.name);
        const own = await store.deliveries.positions(subscriptions.map(({ name }) => name));
        const positions = new Map(own.map(({ name, sequence }) => [name, sequence]));
        return subscriptions.map((subscription) => {
          const position = positions.get(subscription.name) ?? reader?.sequence ?? Number.POSITIVE_INFINITY;
          return { subscription, position };
        });
      }),
    );
    return found.flat();
  }
}
