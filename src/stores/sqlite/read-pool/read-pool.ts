import type { Effort } from '../../../plan/plan.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { BatchRows, StatementBatch } from '../../sql/sql-client.ts';
import type { TableViews } from '../existing/open-source.ts';
import type { DatabaseFile } from '../health/database-files.ts';
import { StoreOverloaded, StoreUnavailable } from '../../store.ts';
import { ReadThread } from './read-thread.ts';
import type { ReadThreadSettings } from './statement-batch.ts';

/**
 * The most threads for batches of one effort: two, so that one long read does not block all others. There is one more
 * thread in all, so that neither effort can occupy every thread; more would take processors from the main thread.
 */
const MAX_THREADS = 2;

/** The last of so many batches still begins within a statement timeout of 5 s if each batch takes a thread 150 ms. */
const MAX_QUEUED = 64;

/**
 * Milliseconds without reads after which threads end: each has its own memory, and a new one starts within a few
 * hundredths of a second.
 */
const IDLE_TIMEOUT = 10_000;

/** The efforts that the pool reads. */
type PooledEffort = Exclude<Effort, 'light'>;

export interface ReadPoolOptions {
  readonly database: DatabaseFile;
  /** The views of tables of another program. Default: null, for a database of own rows. */
  readonly views?: TableViews | null;
  /** Milliseconds that a batch may wait, and may then run. */
  readonly timeout: number;
  readonly clock: Clock;
  /** The most threads that read batches of one effort at a time. Default: 2. */
  readonly maxThreads?: number;
  /** The most batches of one effort that wait for a thread. Default: 64. */
  readonly maxQueued?: number;
  /** Milliseconds without reads after which threads end. Default: 10 s. */
  readonly idleTimeout?: number;
}

interface QueuedRead {
  readonly batch: StatementBatch;
  /** When it was queued, in milliseconds since the epoch. */
  readonly since: number;
  readonly resolve: (rows: BatchRows) => void;
  readonly reject: (error: unknown) => void;
}

/** The batches of one effort, first in, first out. */
interface EffortQueue {
  readonly queue: QueuedRead[];
  /** The number of batches that run. */
  running: number;
}

/**
 * Reads batches on worker threads (QRY-3). Each effort has a queue, and the two share the threads in such a way that
 * bounded reads never wait for scans. Threads start on demand and end when idle. A thread that dies rejects its batch
 * and is replaced.
 */
export class ReadPool {
  readonly #settings: ReadThreadSettings;
  readonly #closing: Int32Array;
  readonly #clock: Clock;
  readonly #maxThreads: number;
  readonly #maxQueued: number;
  readonly #idleTimeout: number;
  readonly #queues: Readonly<Record<PooledEffort, EffortQueue>> = {
    bounded: { queue: [], running: 0 },
    unbounded: { queue: [], running: 0 },
  };
  #threads: readonly ReadThread[] = [];
  /** Ends idle threads. null until a thread has read. */
  #idleTimer: NodeJS.Timeout | null = null;
  #ending: Promise<unknown> = Promise.resolve();
  #closed: Promise<unknown> | null = null;

  constructor(options: ReadPoolOptions) {
    const { database, views = null, timeout, clock } = options;
    const { maxThreads = MAX_THREADS, maxQueued = MAX_QUEUED, idleTimeout = IDLE_TIMEOUT } = options;
    const closing = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    this.#settings = { database, views, timeout, closing };
    this.#closing = new Int32Array(closing);
    this.#clock = clock;
    this.#maxThreads = maxThreads;
    this.#maxQueued = maxQueued;
    this.#idleTimeout = idleTimeout;
  }

  /**
   * Reads a batch once a thread is free.
   *
   * @throws {StatementTimeout} where it exceeds the statement timeout
   * @throws {StoreOverloaded} where its queue is full, or it waits for too long
   * @throws {StoreUnavailable} where the store is closed or the thread dies
   */
  read(batch: StatementBatch, effort: PooledEffort): Promise<BatchRows> {
    if (this.#closed !== null) return Promise.reject(closedError());
    const { promise, resolve, reject } = Promise.withResolvers<BatchRows>();
    const { queue } = this.#queues[effort];
    queue.push({ batch, since: this.#clock.now(), resolve, reject });
    this.#advance();
    if (queue.length > this.#maxQueued) {
      queue.pop()?.reject(new StoreOverloaded(`${this.#maxQueued} slow reads are queued already`));
    }
    return promise;
  }

  /** Batches that wait for a thread. */
  get queued(): number {
    return Object.values(this.#queues).reduce((sum, { queue }) => sum + queue.length, 0);
  }

  /** Rejects queued and new batches, stops those that run, and resolves once all threads have ended. */
  async close(): Promise<void> {
    if (this.#closed === null) {
      Atomics.store(this.#closing, 0, 1);
      const queued = Object.values(this.#queues).flatMap(({ queue }) => queue.splice(0));
      for (const { reject } of queued) reject(closedError());
      if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
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

  /** Restarts the idle timer. A batch that still runs when the timer fires restarts it when it is done. */
  #touchIdleTimer(): void {
    if (this.#closed !== null) return;
    const isIdle = (): boolean => Object.values(this.#queues).every(({ running }) => running === 0);
    this.#idleTimer ??= setTimeout(() => isIdle() && this.#endThreads(), this.#idleTimeout).unref();
    this.#idleTimer.refresh();
  }

  /** Assigns batches from the heads of the queues to free threads, bounded ones first. */
  #advance(): void {
    this.#threads = this.#threads.filter(({ state }) => state !== 'ended');
    for (const queue of [this.#queues.bounded, this.#queues.unbounded]) {
      while (queue.running < this.#maxThreads && this.#hasFreeThread()) {
        const next = queue.queue.shift();
        if (next === undefined) break;
        if (this.#clock.now() <= next.since + this.#settings.timeout) void this.#run(queue, next);
        else next.reject(new StoreOverloaded(`The read waited for more than ${this.#settings.timeout} ms`));
      }
    }
  }

  async #run(queue: EffortQueue, { batch, resolve, reject }: QueuedRead): Promise<void> {
    queue.running += 1;
    try {
      resolve(await this.#freeThread().read(batch));
    } catch (error) {
      reject(error);
    }
    queue.running -= 1;
    this.#advance();
    this.#touchIdleTimer();
  }

  #hasFreeThread(): boolean {
    return this.#threads.length <= this.#maxThreads || this.#threads.some(({ state }) => state === 'idle');
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
