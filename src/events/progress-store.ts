import type { DeliveryChange, DeliveryPlan, DeliveryRelease, SubscriptionPosition } from '../plan/delivery-plan.ts';
import type { Writer } from '../stores/store.ts';
import type { Endpoint } from './endpoint.ts';
import type { HeldLease } from './reader-lease.ts';
import type { Subscriber } from './subscriber.ts';

/**
 * Milliseconds that results wait for a write whose transaction they can share. After a crash, events without a stored
 * result are delivered again.
 */
const MAX_DELAY = 50;

/** Maximum number of results in memory. Above it nothing is delivered until they are stored. */
const MAX_UNSAVED = 10_000;

/** Events that no subscription wants, after which the position of the reader is stored all the same. */
const UNSTORED_EVENTS = 5_000;

interface UnstoredChanges {
  /** Deliveries that are new, or whose attempt has ended. */
  readonly ended: DeliveryChange[];
  readonly deliveries: DeliveryChange[];
  readonly releases: DeliveryRelease[];
}

/**
 * The result of a commit: `waiting` if a stored delivery waits; `lost` if another process has the lease, so that
 * nothing was stored.
 */
export type Saved = 'saved' | 'waiting' | 'lost';

interface ProgressStoreOptions {
  readonly writes: Pick<Writer, 'commit'>;
  readonly lease: HeldLease;
  /** Endpoints whose position may have changed. */
  readonly endpoints: Iterable<Endpoint>;
  readonly subscriber: Pick<Subscriber, 'flush'>;
  /** Called with the deliveries that were stored, other than claims. */
  readonly onStored: (deliveries: readonly DeliveryChange[]) => void;
}

/** Collects the progress of a reader, and stores all of it in one unit. */
export class ProgressStore {
  /** The sequence up to which the reader has read the log. */
  sequence = 0;
  readonly #options: ProgressStoreOptions;
  #changes: UnstoredChanges = noChanges();
  #savedSequence = 0;
  #isDirty = false;
  /** Results that are not stored. */
  #unsaved = 0;

  constructor(options: ProgressStoreOptions) {
    this.#options = options;
  }

  /** Starts again from the stored state. */
  reset(sequence: number): void {
    this.sequence = sequence;
    this.#savedSequence = sequence;
    this.#changes = noChanges();
    this.#isDirty = false;
    this.#unsaved = 0;
  }

  /** True if there is something to store. */
  get isDirty(): boolean {
    return this.#isDirty || this.sequence - this.#savedSequence >= UNSTORED_EVENTS;
  }

  /** True if there are deliveries to store, for which others may wait. */
  get hasChanges(): boolean {
    return this.#changes.deliveries.length > 0 || this.#changes.releases.length > 0;
  }

  /** True if so many results could not be stored that no more should be delivered. */
  get isOverdue(): boolean {
    return this.#unsaved >= MAX_UNSAVED;
  }

  /** Notes that positions may have changed. */
  touch(): void {
    this.#isDirty = true;
  }

  /** Counts an attempt that has ended. */
  ended(): void {
    this.#unsaved += 1;
    this.touch();
  }

  add(delivery: DeliveryChange): void {
    this.#changes.deliveries.push(delivery);
    this.#changes.ended.push(delivery);
    this.#isDirty = true;
  }

  /** @see DeliveryRelease */
  release(release: DeliveryRelease): void {
    this.#changes.releases.push(release);
    this.#isDirty = true;
  }

  /**
   * Stores all of it, and extends the lease.
   *
   * @param how `soon`: with the next write, or shortly after; `now`; `last`: now, and the lease ends
   * @param claims deliveries whose next attempts begin once they are stored
   * @throws {StoreUnavailable} with everything still to be stored, but not the claims
   */
  async save(how: 'soon' | 'now' | 'last', claims: readonly DeliveryChange[] = []): Promise<Saved> {
    const { lease, writes, subscriber } = this.#options;
    const { sequence } = this;
    const changes = this.#changes;
    const unsaved = this.#unsaved;
    const moved = [...this.#options.endpoints].filter(
      (endpoint) => endpoint.position(sequence) !== endpoint.storedPosition,
    );
    const positions = moved.map(
      (endpoint): SubscriptionPosition => ({ name: endpoint.subscription.name, sequence: endpoint.position(sequence) }),
    );
    const before = moved.map(({ storedPosition }) => storedPosition);
    for (const endpoint of moved) endpoint.storedPosition = endpoint.position(sequence);
    this.#changes = noChanges();
    this.#isDirty = false;
    const progress = { ...(how === 'last' ? lease.released() : lease.extended()), sequence, positions };
    const { ended, ...stored } = changes;
    const delivery: DeliveryPlan = { progress, ...stored, deliveries: [...stored.deliveries, ...claims] };
    try {
      const maxDelay = how === 'soon' ? MAX_DELAY : 0;
      const flushed = subscriber.flush?.(maxDelay);
      const { kind } = await writes.commit({ plans: [], delivery, maxDelay });
      await flushed;
      if (kind !== 'committed') return 'lost';
      this.#savedSequence = Math.max(this.#savedSequence, sequence);
      this.#unsaved -= unsaved;
      this.#options.onStored(ended);
      const waits = changes.releases.length > 0 || changes.deliveries.some(({ state }) => state === 'waiting');
      return waits ? 'waiting' : 'saved';
    } catch (error) {
      moved.forEach((endpoint, index) => (endpoint.storedPosition = before[index] ?? null));
      this.#restore(changes);
      throw error;
    }
  }

  /** Results that could not be stored are stored with the next unit, before later ones. */
  #restore({ ended, deliveries, releases }: UnstoredChanges): void {
    const later = this.#changes;
    this.#changes = {
      ended: [...ended, ...later.ended],
      deliveries: [...deliveries, ...later.deliveries],
      releases: [...releases, ...later.releases],
    };
    this.#isDirty = true;
  }
}

function noChanges(): UnstoredChanges {
  return { ended: [], deliveries: [], releases: [] };
}
