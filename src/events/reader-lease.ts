import type { ReaderLease } from '../plan/delivery-plan.ts';
import type { Clock } from '../platform/clock.ts';
import type { ProcessOwner } from '../platform/process/process-owner.ts';
import type { Deliveries, StoredReader } from '../stores/store.ts';

/** Milliseconds that a lease lasts beyond the time limit of an attempt, in which its result is stored. */
const MARGIN = 5_000;
/** Milliseconds between two checks that the process with the lease still runs. */
const RECHECK = 1_000;

/** The holder of the lease. */
export type Held =
  /** This process, as before, and no other in between. */
  | { readonly kind: 'held' }
  /** This process from now on. `isClean`: the process before released it, so that no attempt was interrupted. */
  | { readonly kind: 'taken'; readonly reader: StoredReader; readonly isClean: boolean }
  /** Another process. Check again after `recheck` milliseconds. */
  | { readonly kind: 'elsewhere'; readonly recheck: number };

interface ReaderLeaseOptions {
  readonly reader: string;
  /** Milliseconds that an attempt may take. */
  readonly timeout: number;
  readonly deliveries: Pick<Deliveries, 'reader' | 'lease'>;
  readonly clock: Clock;
  readonly owner: Pick<ProcessOwner, 'name' | 'isGone'>;
}

/**
 * The lease by which one process at a time delivers the events of a reader. Everything that the reader stores extends
 * it. It expires while there is nothing to deliver, and the next process with a new event takes it.
 */
export class HeldLease {
  readonly #options: ReaderLeaseOptions;
  /** Milliseconds. */
  readonly duration: number;
  /** The end of the lease as last stored; null if this process does not have it. */
  #until: number | null = null;

  constructor(options: ReaderLeaseOptions) {
    this.#options = options;
    this.duration = options.timeout + MARGIN;
  }

  /** Returns the lease to store with progress that is made now. */
  extended(): ReaderLease {
    const { reader, owner, clock } = this.#options;
    this.#until = clock.now() + this.duration;
    return { reader, owner: owner.name, until: this.#until };
  }

  /** Returns the lease to store when this process releases it. */
  released(): ReaderLease {
    const { reader, owner } = this.#options;
    this.#until = null;
    return { reader, owner: owner.name, until: 0 };
  }

  /** Discards the lease in memory, because the stored one may have changed: it is read again. */
  lost(): void {
    this.#until = null;
  }

  async hold(): Promise<Held> {
    const now = this.#options.clock.now();
    if (this.#until !== null && this.#isCurrent(this.#until, now + MARGIN)) return { kind: 'held' };
    const { deliveries, reader: name, owner } = this.#options;
    const reader = await deliveries.reader(name);
    if (reader === null) throw new Error(`The reader ${name} is not registered`);
    const found = reader.lease;
    const isOwn = found.owner === owner.name;
    if (!isOwn && this.#isCurrent(found.until, now) && !owner.isGone(found.owner)) return this.#elsewhere();
    const taken = { reader: name, owner: owner.name, until: now + this.duration };
    if (!(await deliveries.lease(found, taken))) return this.#elsewhere();
    const hadIt = isOwn && this.#until !== null;
    this.#until = taken.until;
    return hadIt ? { kind: 'held' } : { kind: 'taken', reader, isClean: found.until === 0 };
  }

  #elsewhere(): Held {
    this.#until = null;
    return { kind: 'elsewhere', recheck: RECHECK };
  }

  /** Milliseconds until it must be extended while attempts are in flight. */
  get extendIn(): number {
    return this.#until === null ? 0 : this.#until - MARGIN - this.#options.clock.now();
  }

  /** True if a lease is in force. One that ends later than possible was taken by a wrong clock. */
  #isCurrent(until: number, now: number): boolean {
    return now < until && until <= now + this.duration;
  }
}
