import type { Clock } from '../../../platform/clock.ts';
import type { Effort } from '../../../plan/plan.ts';
import { StoreOverloaded, StoreUnavailable } from '../../store.ts';
import { ReadThread } from './read-thread.ts';
import type { StatementBatch, BatchRows, ReadThreadSettings } from './statement-batch.ts';

/**
 * Threads for the readings of one effort: two, so that one long reading does not hold up all others. There is one more thread than that, so
 * that neither effort can take them all; more would take processors from the thread that answers requests.
 */
const MAX_THREADS = 2;

/** With so many before it, a reading still has its turn within a statement timeout of 5 s where each of them takes 150 ms of a thread. */
const MAX_QUEUED = 64;

/** Milliseconds without any reading after which threads end: each has memory of its own, and another starts within a few hundredths of a second. */
const IDLE_TIMEOUT = 10_000;

/** What is read apart. */
export type HeavyEffort = Exclude<Effort, 'light'>;

export interface ReadPoolOptions {
  /** An absolute path. */
  readonly path: string;
  /** Milliseconds that a reading may wait, and then may run. */
  readonly timeout: number;
  readonly clock: Clock;
  /** Most threads that readings of one effort have at a time. Default: 2. */
  readonly maxThreads?: number;
  /** Most readings of one effort that wait for a thread. Default: 64. */
  readonly maxQueued?: number;
  /** Milliseconds without any reading after which threads end. Default: 10 s. */
  readonly idleTimeout?: number;
}

interface QueuedRead {
  readonly reading: StatementBatch;
  /** When it came, in milliseconds since the epoch. */
  readonly since: number;
  readonly resolve: (rows: BatchRows) => void;
  readonly reject: (error: unknown) => void;
}

/** The readings of one effort, in the order in which they came. */
interface EffortQueue {
  readonly queue: QueuedRead[];
  /** How many are being read. */
  running: number;
}

/**
 * Runs heavy readings apart from the thread that answers requests (QRY-3). Those of one effort have their turns in the order in which they
 * come, and never wait for all of the other's: what ends by itself goes past scans. Threads start when they are needed and end when there
 * has been nothing to read for a while; one that dies rejects its reading, and another takes its place.
 */
export class ReadPool {
  readonly #settings: ReadThreadSettings;
  readonly #closing: Int32Array;
  readonly #clock: Clock;
  readonly #mostThreads: number;
  readonly #mostWaiting: number;
  readonly #idle: number;
  readonly #lanes: Readonly<Record<HeavyEffort, EffortQueue>> = {
    bounded: { queue: [], running: 0 },
    unbounded: { queue: [], running: 0 },
  };
  #threads: readonly ReadThread[] = [];
  /** Ends the threads where it is not begun anew before; null where none has read. */
  #rest: NodeJS.Timeout | null = null;
  #ending: Promise<unknown> = Promise.resolve();
  #closed: Promise<unknown> | null = null;

  constructor(options: ReadPoolOptions) {
    const {
      path,
      timeout,
      clock,
      maxThreads = MAX_THREADS,
      maxQueued = MAX_QUEUED,
      idleTimeout = IDLE_TIMEOUT,
    } = options;
    const closing = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    this.#settings = { path, timeout, closing };
    this.#closing = new Int32Array(closing);
    this.#clock = clock;
    this.#mostThreads = maxThreads;
    this.#mostWaiting = maxQueued;
    this.#idle = idleTimeout;
  }

  /**
   * Reads on a thread of its own, once one is free.
   *
   * @throws {StatementTimeout} where it runs past the statement timeout
   * @throws {StoreOverloaded} where too many wait before it, or it waits too long
   * @throws {StoreUnavailable} where the store is closed or the thread dies
   */
  read(reading: StatementBatch, effort: HeavyEffort): Promise<BatchRows> {
    if (this.#closed !== null) return Promise.reject(closedError());
    const { promise, resolve, reject } = Promise.withResolvers<BatchRows>();
    const { queue } = this.#lanes[effort];
    queue.push({ reading, since: this.#clock.now(), resolve, reject });
    this.#advance();
    if (queue.length > this.#mostWaiting) {
      queue.pop()?.reject(new StoreOverloaded(`${this.#mostWaiting} heavy reads wait already`));
    }
    return promise;
  }

  /** Takes no more readings, rejects those that wait, ends those that run, and resolves once every thread has ended. */
  async close(): Promise<void> {
    if (this.#closed === null) {
      Atomics.store(this.#closing, 0, 1);
      const waiting = Object.values(this.#lanes).flatMap(({ queue }) => queue.splice(0));
      for (const { reject } of waiting) reject(closedError());
      if (this.#rest !== null) clearTimeout(this.#rest);
      this.#endThreads();
      this.#closed = this.#ending;
    }
    await this.#closed;
  }

  #endThreads(): void {
    const ending = this.#threads.map((thread) => thread.close());
    this.#threads = [];
    this.#ending = Promise.all([this.#ending, ...ending]);
  }

  /** Where nothing is read for a while from now on, the threads end. What is being read by then begins a rest of its own. */
  #beginRest(): void {
    if (this.#closed !== null) return;
    const isQuiet = (): boolean => Object.values(this.#lanes).every(({ running }) => running === 0);
    this.#rest ??= setTimeout(() => isQuiet() && this.#endThreads(), this.#idle).unref();
    this.#rest.refresh();
  }

  /** Gives readings from the heads of the queues to threads that are free, to those that end by themselves first. */
  #advance(): void {
    this.#threads = this.#threads.filter(({ state }) => state !== 'ended');
    for (const lane of [this.#lanes.bounded, this.#lanes.unbounded]) {
      while (lane.running < this.#mostThreads && this.#hasFreeThread()) {
        const next = lane.queue.shift();
        if (next === undefined) break;
        const patience = next.since + this.#settings.timeout;
        if (this.#clock.now() <= patience) void this.#run(lane, next);
        else next.reject(new StoreOverloaded(`The read waited for more than ${this.#settings.timeout} ms`));
      }
    }
  }

  async #run(lane: EffortQueue, { reading, resolve, reject }: QueuedRead): Promise<void> {
    lane.running += 1;
    try {
      resolve(await this.#freeThread().read(reading));
    } catch (error) {
      reject(error);
    }
    lane.running -= 1;
    this.#advance();
    this.#beginRest();
  }

  #hasFreeThread(): boolean {
    return this.#threads.length <= this.#mostThreads || this.#threads.some(({ state }) => state === 'idle');
  }

  #freeThread(): ReadThread {
    const idle = this.#threads.find(({ state }) => state === 'idle');
    if (idle !== undefined) return idle;
    const thread = new ReadThread(this.#settings);
    this.#threads = [...this.#threads, thread];
    return thread;
  }
}

function closedError(): StoreUnavailable {
  return new StoreUnavailable('The store is closed');
}
