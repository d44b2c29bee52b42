import type { Clock } from '../platform/clock.ts';
import type { Store } from '../stores/store.ts';
import type { Subscriber } from './subscriber.ts';

const CHECKPOINT = 'relay';
const PAGE = 500;

/** How far the log was relayed, and from where on each outlet gets events: one that is new is not fed the past. */
interface RelayCheckpoint {
  readonly sequence: number;
  readonly starts: Readonly<Record<string, number>>;
}

/**
 * Records of each event in the log which outlets it must reach (EVT-3). Its position is kept in the database and moves behind what it has
 * recorded: after a crash some is recorded again, which changes nothing, and nothing is left out. Several processes may relay at once.
 */
export class Relay {
  readonly #store: Pick<Store, 'events' | 'deliveries' | 'writes' | 'bookmarks'>;
  readonly #subscribers: readonly Subscriber[];
  readonly #clock: Clock;
  #checkpoint: RelayCheckpoint | null = null;

  constructor(
    store: Pick<Store, 'events' | 'deliveries' | 'writes' | 'bookmarks'>,
    outlets: readonly Subscriber[],
    clock: Clock,
  ) {
    this.#store = store;
    this.#subscribers = outlets;
    this.#clock = clock;
  }

  /** Relays what is new. */
  async run(): Promise<void> {
    let position = this.#checkpoint ?? (await this.#load());
    for (;;) {
      const events = await this.#store.events.after(position.sequence, PAGE);
      const last = events.at(-1);
      if (last === undefined) return;
      for (const event of events) {
        const sequence = Number(event.metadata.sequence);
        const names = this.#subscribers
          .filter((outlet) => sequence > (position.starts[outlet.name] ?? 0) && outlet.accepts(event))
          .map(({ name }) => name);
        if (names.length > 0) await this.#store.deliveries.enqueue(sequence, names, this.#clock.now());
      }
      position = { ...position, sequence: Number(last.metadata.sequence) };
      await this.#save(position);
    }
  }

  async #load(): Promise<RelayCheckpoint> {
    const kept = await this.#store.bookmarks.get(CHECKPOINT);
    const end = await this.#store.events.lastSequence();
    const before: RelayCheckpoint = kept === null ? { sequence: end, starts: {} } : JSON.parse(kept);
    const starts = Object.fromEntries(this.#subscribers.map(({ name }) => [name, before.starts[name] ?? end]));
    const position = { sequence: before.sequence, starts: { ...before.starts, ...starts } };
    await this.#save(position);
    return position;
  }

  async #save(position: RelayCheckpoint): Promise<void> {
    await this.#store.writes.commit({ plans: [], bookmark: { name: CHECKPOINT, value: JSON.stringify(position) } });
    this.#checkpoint = position;
  }
}
