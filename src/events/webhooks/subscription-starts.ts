import type { Store } from '../../stores/store.ts';

/** Where a subscription starts in the log. */
export interface StartedSubscription {
  readonly name: string;
  /** It gets the events with a greater sequence. */
  readonly after: number;
}

/**
 * Starts subscriptions at the places in the log that their rows name, each once, whatever process does it: a webhook gets what was logged after it was
 * created, however late that is noticed.
 */
export class SubscriptionStarts {
  readonly #store: Pick<Store, 'bookmarks' | 'writes'>;
  /** By name. */
  readonly #started = new Map<string, number>();

  constructor(store: Pick<Store, 'bookmarks' | 'writes'>) {
    this.#store = store;
  }

  async start(subscriptions: readonly StartedSubscription[]): Promise<void> {
    await Promise.all(subscriptions.map((subscription) => this.#start(subscription)));
  }

  async isStarted({ name, after }: StartedSubscription): Promise<boolean> {
    if (this.#started.get(name) === after) return true;
    return (await this.#store.bookmarks.get(bookmarkOf(name))) === String(after);
  }

  /** Removes what is stored of subscriptions that have ended. */
  async end(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    for (const name of names) this.#started.delete(name);
    await this.#store.writes.commit({ plans: [], delivery: { ends: names } });
  }

  async #start({ name, after }: StartedSubscription): Promise<void> {
    if (!(await this.isStarted({ name, after }))) {
      const bookmark = { name: bookmarkOf(name), value: String(after) };
      await this.#store.writes.commit({ plans: [], bookmark, delivery: { starts: [{ name, after }] } });
    }
    this.#started.set(name, after);
  }
}

function bookmarkOf(name: string): string {
  return `start ${name}`;
}
