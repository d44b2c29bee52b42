import type { DeliveryChange } from '../plan/delivery-plan.ts';
import type { ProcessOwner } from '../platform/process/process-owner.ts';
import { settlesWithin } from '../platform/timeout.ts';
import type { Store } from '../stores/store.ts';
import { DeliveryPool, type DeliveryPoolOptions } from './delivery-pool.ts';
import { BURST_INTERVAL, DeliveryPace } from './delivery-pace.ts';
import { DueDeliveries } from './due-deliveries.ts';
import type { Endpoint } from './endpoint.ts';
import { Endpoints } from './endpoints.ts';
import { LogScan } from './log-scan.ts';
import { type Held, HeldLease } from './reader-lease.ts';
import { ProgressStore } from './progress-store.ts';
import { StoreReports } from './store-reports.ts';
import { Wakeups } from './wakeups.ts';
import type { WriteLoad } from './write-load.ts';

/** Milliseconds before work that failed because of the database is tried again. */
const RETRY_DELAY = 1_000;
/** Milliseconds between two commits of positions alone. Nothing waits for them. */
const SAVE_INTERVAL = 50;

export interface EventReaderOptions extends Omit<DeliveryPoolOptions, 'pace' | 'progress' | 'onEnd'> {
  readonly store: Pick<Store, 'events' | 'deliveries' | 'writes'>;
  readonly owner: ProcessOwner;
  readonly load: WriteLoad;
}

/**
 * Delivers the events of the log to the subscriptions of one subscriber (EVT-3, EVT-6). It reads the log once for all
 * of them; a slower one reads the rest by itself. The delivery of an event that failed is stored, and the position of
 * its subscription moves on.
 */
export class EventReader {
  readonly #options: EventReaderOptions;
  readonly #lease: HeldLease;
  readonly #progress: ProgressStore;
  readonly #pace: DeliveryPace;
  readonly #pool: DeliveryPool;
  readonly #scan: LogScan;
  readonly #due: DueDeliveries;
  readonly #wakeups: Wakeups;
  readonly #endpoints: Endpoints;
  readonly #reports: StoreReports;
  /** True if this process had the lease at the last check: memory and store then agree. */
  #isCurrent = false;
  #saving: Promise<void> | null = null;
  /** Monotonic milliseconds before which results wait in memory, because they could not be stored. */
  #nextSave = 0;
  /** Monotonic milliseconds before which positions wait in memory, so that many are stored together. */
  #nextPositions = 0;
  #stopped = false;
  /** True if `stop` timed out: the store may be closed. */
  #abandoned = false;

  constructor(options: EventReaderOptions) {
    this.#options = options;
    const { store, subscriber, clock, owner, elapsed } = options;
    const { deliveries, writes } = store;
    this.#reports = new StoreReports(options.observe);
    const { name: reader, timeout, schedule } = subscriber;
    this.#endpoints = new Endpoints({ subscriber, deliveries, flush: () => this.#save('now') });
    this.#lease = new HeldLease({ reader, timeout, deliveries, clock, owner });
    this.#progress = new ProgressStore({
      writes,
      lease: this.#lease,
      endpoints: this.#endpoints,
      subscriber,
      onStored: (stored) => this.#due.release(stored),
    });
    this.#pace = new DeliveryPace({ ...options, busyRate: subscriber.busyRate });
    this.#pool = new DeliveryPool({
      ...options,
      pace: this.#pace,
      progress: this.#progress,
      onEnd: (endpoint) => this.#ended(endpoint),
    });
    this.#scan = new LogScan({
      events: store.events,
      endpoints: this.#endpoints,
      progress: this.#progress,
      pool: this.#pool,
      onStep: () => this.#start(),
    });
    this.#due = new DueDeliveries({ deliveries, reader, schedule, clock, elapsed });
    this.#wakeups = new Wakeups(() => this.#run(), elapsed);
  }

  /** Begins to deliver. A new subscription gets the events that are written from now on. */
  start(): void {
    this.#wakeups.start();
  }

  /** Announces new events; cheap to call often. While writes need the time of the process, many are read together. */
  wake(): void {
    if (this.#stopped) return;
    if (this.#pace.isLimited) this.#wakeups.in(BURST_INTERVAL);
    else this.#wakeups.now();
  }

  /**
   * Starts no more attempts, and waits for those in flight and their results.
   *
   * @returns the number that did not end in time
   */
  async stop(timeout: number): Promise<number> {
    if (this.#abandoned) return 0;
    this.#stopped = true;
    const done = await settlesWithin(this.#end(), timeout);
    if (done) return 0;
    this.#abandoned = true;
    return this.#pool.size;
  }

  async #end(): Promise<void> {
    await Promise.all([this.#wakeups.stop(), this.#pool.stop()]);
    await this.#saving;
    await this.#options.subscriber.flush?.(0);
    if (!this.#isCurrent || this.#abandoned) return;
    await this.#progress.save('last').catch((error: unknown) => this.#failed(error));
  }

  /** Never rejects: work that fails here is done by the next run. */
  async #run(): Promise<void> {
    try {
      await this.#endpoints.register();
      if (this.#isCurrent && !(await this.#hasWork())) return this.#reports.succeeded();
      const held = await this.#lease.hold();
      this.#isCurrent = held.kind !== 'elsewhere';
      if (held.kind === 'elsewhere') this.#wakeups.in(held.recheck);
      else await this.#deliver(held);
      this.#reports.succeeded();
    } catch (error) {
      this.#failed(error);
      this.#wakeups.in(RETRY_DELAY);
    }
  }

  async #deliver(held: Exclude<Held, { kind: 'elsewhere' }>): Promise<void> {
    const { events } = this.#options.store;
    // The subscriptions are read after this sequence, so none is older than the events it gets. Events that are logged
    // from now on wait for the next run.
    const last = await events.lastSequence();
    if (held.kind === 'taken') await this.#begin(held);
    else await this.#endpoints.refresh(this.#progress.sequence);
    // Storing results may have shown that another process has the lease.
    if (!this.#isCurrent) return;
    await this.#scan.readNew(last);
    if (await this.#scan.readBehind()) this.#wakeups.now();
    await this.#claim();
    this.#start();
    this.#saveSoon();
  }

  #failed(error: unknown): void {
    if (!this.#abandoned) this.#reports.failed(error);
  }

  /** True if there is anything to deliver or to store. Otherwise no lease is needed. */
  async #hasWork(): Promise<boolean> {
    const { events } = this.#options.store;
    if ((await events.lastSequence()) > this.#progress.sequence || this.#progress.isDirty) return true;
    if (await this.#endpoints.haveChanged()) return true;
    if (this.#pool.isWaiting || (this.#pool.size > 0 && this.#lease.extendIn <= 0)) return true;
    const isSlow = [...this.#endpoints].some((endpoint) => !endpoint.isFollowing);
    const isDue = isSlow || (await this.#due.isAnyDue());
    this.#wakeAtNextDue();
    return isDue;
  }

  /** Starts from the stored state. */
  async #begin({ reader, isClean }: Extract<Held, { kind: 'taken' }>): Promise<void> {
    this.#pool.reset();
    this.#due.reset();
    this.#progress.reset(reader.sequence);
    await this.#scan.begin(reader.sequence, isClean);
    await this.#endpoints.reload(reader.sequence);
    this.#progress.touch();
  }

  /**
   * Starts the stored deliveries that are due. Their attempts are counted before, so that one that ends the process is
   * not repeated forever.
   */
  async #claim(): Promise<void> {
    if (this.#stopped) return;
    const claimed = await this.#due.take((name) => this.#endpoints.get(name)?.freeSlots ?? null);
    this.#wakeAtNextDue();
    if (claimed.length === 0) return;
    const begun: DeliveryChange[] = [];
    for (const delivery of claimed) {
      if (this.#endpoints.get(delivery.endpoint) === null) this.#giveUp(delivery, 'subscription');
      else begun.push({ ...delivery, attempts: delivery.attempts + 1 });
    }
    try {
      await this.#save('now', begun);
    } catch (error) {
      this.#due.release(begun);
      throw error;
    }
    await this.#retry(begun);
  }

  async #retry(begun: readonly DeliveryChange[]): Promise<void> {
    const events = await this.#options.store.events.lookup([...new Set(begun.map(({ sequence }) => sequence))]);
    if (!this.#isCurrent) return;
    const bySequence = new Map(events.map((event) => [event.sequence, event]));
    for (const delivery of begun) {
      const [event, endpoint] = [bySequence.get(delivery.sequence), this.#endpoints.get(delivery.endpoint)];
      if (event === undefined || endpoint === null) {
        this.#giveUp(delivery, endpoint === null ? 'subscription' : 'event');
        continue;
      }
      endpoint.retry(event, delivery);
      this.#pool.add(endpoint);
    }
  }

  /** Abandons a delivery. The next one of its resource passes, or is abandoned too. */
  #giveUp(delivery: DeliveryChange, missing: 'subscription' | 'event'): void {
    const { clock, observe, subscriber } = this.#options;
    const { endpoint, resource } = delivery;
    const reason = missing === 'event' ? 'the event is no longer in the log' : 'the subscription no longer exists';
    const error = new Error(`A delivery to ${endpoint} was given up: ${reason}`);
    const isExpected = missing === 'subscription' && subscriber.isRemovable === true;
    if (!isExpected) observe({ kind: 'error', correlationId: null, error });
    this.#progress.add({ ...delivery, state: 'dead', due: clock.now() });
    if (resource === null) return;
    this.#endpoints.atWork(endpoint)?.close(resource);
    this.#progress.release({ endpoint, resource, due: clock.now() });
  }

  #wakeAtNextDue(): void {
    const { delay } = this.#due;
    if (delay !== null) this.#wakeups.in(delay);
  }

  /** Starts the attempts that may start now. @returns true if more may start later */
  #start(): boolean {
    const delay = this.#pool.start();
    if (delay !== null) this.#wakeups.in(delay);
    if (this.#pool.size > 0) this.#wakeups.in(this.#lease.extendIn);
    return !this.#stopped;
  }

  #ended(endpoint: Endpoint): void {
    if (!this.#isCurrent || this.#abandoned) return;
    this.#start();
    this.#saveSoon();
    const isHungry = !endpoint.isFollowing && endpoint.hasRoom;
    if (isHungry || this.#due.isAnyWaiting) this.wake();
  }

  #saveSoon(): void {
    const { elapsed } = this.#options;
    const now = elapsed();
    if (this.#saving !== null || !this.#progress.isDirty || !this.#isCurrent || now < this.#nextSave) return;
    if (now < this.#nextPositions && !this.#progress.hasChanges) {
      this.#wakeups.in(this.#nextPositions - now);
      return;
    }
    this.#nextPositions = now + SAVE_INTERVAL;
    this.#save('soon').catch((error: unknown) => {
      this.#failed(error);
      this.#nextSave = elapsed() + RETRY_DELAY;
      this.#wakeups.in(RETRY_DELAY);
    });
  }

  /** Saves progress, one unit after another: a later unit presumes the earlier ones. */
  async #save(how: 'soon' | 'now', claims: readonly DeliveryChange[] = []): Promise<void> {
    // A unit that does not wait also commits the one that does.
    while (this.#saving !== null) await Promise.all([this.#saving, this.#options.store.writes.commit({ plans: [] })]);
    const saving = this.#progress.save(how, claims).finally(() => (this.#saving = null));
    this.#saving = saving.then(
      () => undefined,
      () => undefined,
    );
    const saved = await saving;
    if (saved === 'lost') this.#lose();
    else this.#endpoints.prune();
    this.#start();
    if (saved === 'waiting') this.#due.changed();
    if (this.#due.isAnyWaiting || saved === 'waiting') this.wake();
    this.#saveSoon();
  }

  /** Discards the state in memory, because another process has the lease and delivers. */
  #lose(): void {
    this.#isCurrent = false;
    this.#lease.lost();
    this.#pool.reset();
    this.wake();
  }
}
