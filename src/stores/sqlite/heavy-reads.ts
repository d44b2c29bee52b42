import type { Clock } from '../../platform/clock.ts';
import { StoreUnavailable } from '../store.ts';
import { ReadThread } from './read-thread.ts';
import type { Reading, RowsRead, ThreadSettings } from './reading.ts';

/** Two, so that one long reading does not hold up all others; more would take processors from the thread that answers requests. */
const MOST_THREADS = 2;

/** With so many before it, a reading still has its turn within a statement timeout of 5 s where each of them takes 150 ms of a thread. */
const MOST_WAITING = 64;

export interface HeavyReadsOptions {
  /** An absolute path. */
  readonly path: string;
  /** Milliseconds that a reading may wait, and then may run. */
  readonly timeout: number;
  readonly clock: Clock;
  /** Most threads. Default: 2. */
  readonly threads?: number;
  /** Most readings that wait for a thread. Default: 64. */
  readonly waiting?: number;
}

interface Waiting {
  readonly reading: Reading;
  /** When it came, in milliseconds since the epoch. */
  readonly since: number;
  readonly resolve: (rows: RowsRead) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs heavy readings apart from the thread that answers requests, in the order in which they come (QRY-3). Threads start when they are
 * first needed; one that dies rejects its reading, and another takes its place.
 */
export class HeavyReads {
  readonly #settings: ThreadSettings;
  readonly #closing: Int32Array;
  readonly #clock: Clock;
  readonly #mostThreads: number;
  readonly #mostWaiting: number;
  #threads: readonly ReadThread[] = [];
  readonly #queue: Waiting[] = [];
  #closed: Promise<unknown> | null = null;

  constructor({ path, timeout, clock, threads = MOST_THREADS, waiting = MOST_WAITING }: HeavyReadsOptions) {
    const closing = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    this.#settings = { path, timeout, closing };
    this.#closing = new Int32Array(closing);
    this.#clock = clock;
    this.#mostThreads = threads;
    this.#mostWaiting = waiting;
  }

  /**
   * Reads on a thread of its own, once one is free.
   *
   * @throws {StatementTimeout} where it runs past the statement timeout
   * @throws {StoreUnavailable} where too many wait before it, it waits too long, the store is closed or the thread dies
   */
  read(reading: Reading): Promise<RowsRead> {
    if (this.#closed !== null) return Promise.reject(closed());
    const { promise, resolve, reject } = Promise.withResolvers<RowsRead>();
    this.#queue.push({ reading, since: this.#clock.now(), resolve, reject });
    this.#advance();
    if (this.#queue.length > this.#mostWaiting) {
      this.#queue.pop()?.reject(new StoreUnavailable(`${this.#mostWaiting} heavy reads wait already`));
    }
    return promise;
  }

  /** Takes no more readings, rejects those that wait, ends those that run, and resolves once every thread has ended. */
  async close(): Promise<void> {
    if (this.#closed === null) {
      Atomics.store(this.#closing, 0, 1);
      for (const { reject } of this.#queue.splice(0)) reject(closed());
      this.#closed = Promise.all(this.#threads.map((thread) => thread.close()));
    }
    await this.#closed;
  }

  /** Gives readings from the head of the queue to threads that are free. */
  #advance(): void {
    this.#threads = this.#threads.filter(({ state }) => state !== 'ended');
    while (this.#threads.length < this.#mostThreads || this.#threads.some(({ state }) => state === 'idle')) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      const patience = next.since + this.#settings.timeout;
      if (this.#clock.now() <= patience) void this.#run(next);
      else next.reject(new StoreUnavailable(`The read waited for more than ${this.#settings.timeout} ms`));
    }
  }

  async #run({ reading, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await this.#freeThread().read(reading));
    } catch (error) {
      reject(error);
    }
    this.#advance();
  }

  #freeThread(): ReadThread {
    const idle = this.#threads.find(({ state }) => state === 'idle');
    if (idle !== undefined) return idle;
    const thread = new ReadThread(this.#settings);
    this.#threads = [...this.#threads, thread];
    return thread;
  }
}

function closed(): StoreUnavailable {
  return new StoreUnavailable('The store is closed');
}
