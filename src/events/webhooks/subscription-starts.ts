import type { ExpectedStamp } from '../../plan/plan.ts';
import type { Store } from '../../stores/store.ts';

/** The position in the log at which a subscription starts. */
export interface StartedSubscription {
  readonly name: string;
  /** The sequence after which it gets events. */
  readonly after: number;
}

/**
 * Starts each subscription once, in whichever process, at the position in the log that its row names. A webhook gets
 * the events that were logged after it was created, however late that is noticed.
 */
export class SubscriptionStarts {
  readonly #store: Pick<Store, 'bookmarks' | 'writes'>;
  /** By name. */
  readonly #started = new Map<string, number>();

  constructor(store: Pick<Store, 'bookmarks' | 'writes'>) {
    this.#store = store;
  }

  /**
   * Starts the subscriptions that have not started. Each is a unit of its own.
   *
   * @param seen the stamp with which the replays among them were read: one that has ended since must not start again
   * @returns true if all have started; if the stamp has changed, no further one is started
   */
  async start(subscriptions: readonly StartedSubscription[], seen: ExpectedStamp): Promise<boolean> {
    const started = await Promise.all(subscriptions.map((subscription) => this.#start(subscription, seen)));
    return started.every((each) => each);
  }

  async isStarted({ name, after }: StartedSubscription): Promise<boolean> {
    if (this.#started.get(name) === after) return true;
    return (await this.#store.bookmarks.get(startBookmark(name))) === String(after);
  }

  /** Removes the stored state of subscriptions that have ended. */
  async end(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    for (const name of names) this.#started.delete(name);
    await this.#store.writes.commit({
      plans: [],
      removedBookmarks: names.map(startBookmark),
      delivery: { ends: names },
    });
  }

  async #start({ name, after }: StartedSubscription, seen: ExpectedStamp): Promise<boolean> {
    if (!(await this.isStarted({ name, after }))) {
      const bookmark = { name: startBookmark(name), value: String(after) };
      const unit = { plans: [], expectStamps: [seen], bookmark, delivery: { starts: [{ name, after }] } };
      if ((await this.#store.writes.commit(unit)).kind !== 'committed') return false;
    }
    this.#started.set(name, after);
    return true;
  }
}

function startBookmark(name: string): string {
  return `start ${name}`;
}
