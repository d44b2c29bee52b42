import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../stores/store.ts';
import type { HeldLease } from '../reader-lease.ts';

/** Milliseconds that a position waits for a write whose transaction it can share. */
const MAX_DELAY = 10;
/** Events that no relay sends, after which the position is stored all the same. */
const UNSTORED_EVENTS = 1_000;
/** Milliseconds between two reports of an unchanged state. */
const REPORT_INTERVAL = 1_000;

/** The progress of a relay, for operators. */
export interface RelayReport {
  /** The sequence up to which all events are sent, or are of no interest to the relay. */
  readonly position: number;
  /** The number of events of the log after it. */
  readonly lag: number;
  readonly state: 'running' | 'failing';
  /** The reason why the broker does not take more; null while it does. It has no credentials. */
  readonly problem: string | null;
  /** The time of the last acknowledgement since this process began: milliseconds since the epoch; null for none. */
  readonly sentAt: number | null;
}

/** Stores a report. */
export type ReportRelay = (report: RelayReport) => Promise<void>;

interface RelayProgressOptions {
  readonly store: Pick<Store, 'events' | 'writes'>;
  readonly lease: HeldLease;
  readonly clock: Clock;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly report: ReportRelay;
}

/** The position of a relay in the log, and its state. */
export class RelayProgress {
  readonly #options: RelayProgressOptions;
  #sequence = 0;
  #stored = 0;
  #problem: string | null = null;
  #sentAt: number | null = null;
  /** The commit of the last position. One is in flight while the next block is sent. */
  #saving: Promise<boolean> = Promise.resolve(true);
  #isDirty = true;
  /** Monotonic milliseconds before which the same state is not reported again. */
  #nextReport = 0;
  #reported: RelayReport['state'] | null = null;

  constructor(options: RelayProgressOptions) {
    this.#options = options;
  }

  /** The sequence up to which all events are done. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Starts from a stored position. */
  reset(sequence: number): void {
    this.#sequence = sequence;
    this.#stored = sequence;
    this.#saving = Promise.resolve(true);
    this.#isDirty = true;
  }

  /** Notes that the broker has acknowledged messages. */
  sent(): void {
    this.#sentAt = this.#options.clock.now();
  }

  /** @param problem the reason why the broker takes no more; null if it does */
  setProblem(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#isDirty = true;
  }

  /**
   * Moves the position after an acknowledgement. It is stored with the next write, or shortly after. It waits for the
   * position before it, so that a process that ends repeats two blocks at most.
   *
   * @returns false if another process has the lease: nothing was stored
   * @throws {StoreUnavailable}
   */
  async advance(sequence: number): Promise<boolean> {
    if (!(await this.#saved())) return false;
    this.#pass(sequence);
    this.#store(MAX_DELAY);
    return true;
  }

  /** Moves the position over events that are not sent: it need not be stored each time. @see advance */
  async skip(sequence: number): Promise<boolean> {
    if (sequence - this.#stored >= UNSTORED_EVENTS) return this.advance(sequence);
    this.#pass(sequence);
    return true;
  }

  /** Stores the position, and releases the lease. @throws {StoreUnavailable} */
  async release(): Promise<void> {
    if (!(await this.#saved())) return;
    const progress = { ...this.#options.lease.released(), sequence: this.#sequence, positions: [] };
    await this.#options.store.writes.commit({ plans: [], delivery: { progress } });
    this.#isDirty = true;
    await this.#writeReport();
  }

  /**
   * Reports the state where it has changed, each second at most while it is the same.
   *
   * @returns milliseconds until the next call; null if nothing is left to report
   * @throws {StoreUnavailable}
   */
  async report(): Promise<number | null> {
    if (!this.#isDirty) return null;
    const wait = this.#nextReport - this.#options.elapsed();
    if (wait > 0 && this.#state === this.#reported) return wait;
    if (this.#stored !== this.#sequence) this.#store(0);
    await this.#writeReport();
    return this.#isDirty ? REPORT_INTERVAL : null;
  }

  async #writeReport(): Promise<void> {
    const { store, elapsed, report } = this.#options;
    const last = await store.events.lastSequence();
    this.#isDirty = false;
    this.#nextReport = elapsed() + REPORT_INTERVAL;
    this.#reported = this.#state;
    const lag = Math.max(0, last - this.#sequence);
    await report({ position: this.#sequence, lag, state: this.#state, problem: this.#problem, sentAt: this.#sentAt });
    // The lag of a broker that is away grows with each event.
    if (lag > 0) this.#isDirty = true;
  }

  get #state(): RelayReport['state'] {
    return this.#problem === null ? 'running' : 'failing';
  }

  #pass(sequence: number): void {
    this.#sequence = sequence;
    this.#isDirty = true;
  }

  /** Waits for the commit of the last position. @returns false if it was refused @throws {StoreUnavailable} */
  #saved(): Promise<boolean> {
    const saving = this.#saving;
    this.#saving = Promise.resolve(true);
    return saving;
  }

  #store(maxDelay: number): void {
    this.#stored = this.#sequence;
    this.#saving = this.#save(maxDelay);
    // Its error is that of the next call.
    this.#saving.catch(() => undefined);
  }

  async #save(maxDelay: number): Promise<boolean> {
    const { store, lease } = this.#options;
    const progress = { ...lease.extended(), sequence: this.#sequence, positions: [] };
    const { kind } = await store.writes.commit({ plans: [], delivery: { progress }, maxDelay });
    return kind === 'committed';
  }
}
