import type { Clock } from '../platform/clock.ts';
import type { Store } from '../stores/store.ts';
import type { Subscriber } from './subscriber.ts';

const CHECKPOINT = 'relay';
const PAGE = 500;

/** The last relayed sequence number, and the one after which each subscriber gets events: a new one gets no past events. */
interface RelayCheckpoint {
  readonly sequence: number;
  readonly starts: Readonly<Record<string, number>>;
}

/**
 * Enqueues a delivery of each event in the log to every subscriber that accepts it (EVT-3). The checkpoint is saved after the deliveries: after a
 * crash some are enqueued again, which is idempotent, and none is lost. Several processes may relay concurrently.
 */
export class Relay {
  readonly #store: Pick<Store, 'events' | 'deliveries' | 'writes' | 'bookmarks'>;
  readonly #subscribers: readonly Subscriber[];
  readonly #clock: Clock;
  #checkpoint: RelayCheckpoint | null = null;

  constructor(
    store: Pick<Store, 'events' | 'deliveries' | 'writes' | 'bookmarks'>,
    subscribers: readonly Subscriber[],
    clock: Clock,
  ) {
    this.#store = store;
    this.#subscribers = subscribers;
    this.#clock = clock;
  }

  /** Relays all new events. */
  async run(): Promise<void> {
    let checkpoint = this.#checkpoint ?? (await this.#load());
    for (;;) {
      const events = await this.#store.events.after(checkpoint.sequence, PAGE);
      const last = events.at(-1);
      if (last === undefined) return;
      for (const event of events) {
        const sequence = Number(event.metadata.sequence);
        const names = this.#subscribers
          .filter((subscriber) => sequence > (checkpoint.starts[subscriber.name] ?? 0) && subscriber.accepts(event))
          .map(({ name }) => name);
        if (names.length > 0) await this.#store.deliveries.enqueue(sequence, names, this.#clock.now());
      }
      checkpoint = { ...checkpoint, sequence: Number(last.metadata.sequence) };
      await this.#save(checkpoint);
    }
  }

  async #load(): Promise<RelayCheckpoint> {
    const saved = await this.#store.bookmarks.get(CHECKPOINT);
    const end = await this.#store.events.lastSequence();
    const previous: RelayCheckpoint = saved === null ? { sequence: end, starts: {} } : JSON.parse(saved);
    const starts = Object.fromEntries(this.#subscribers.map(({ name }) => [name, previous.starts[name] ?? end]));
    const checkpoint = { sequence: previous.sequence, starts: { ...previous.starts, ...starts } };
    await this.#save(checkpoint);
    return checkpoint;
  }

  async #save(checkpoint: RelayCheckpoint): Promise<void> {
    await this.#store.writes.commit({ plans: [], bookmark: { name: CHECKPOINT, value: JSON.stringify(checkpoint) } });
    this.#checkpoint = checkpoint;
  }
}
