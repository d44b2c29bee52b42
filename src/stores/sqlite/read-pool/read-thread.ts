import { Worker } from 'node:worker_threads';
import { workerFile } from '../../../platform/worker-file.ts';
import { StoreUnavailable } from '../../store.ts';
import {
  errorOf,
  type StatementBatch,
  type BatchRows,
  type ThreadReply,
  type ReadThreadSettings,
} from './statement-batch.ts';

const ENTRY = workerFile(import.meta.url, 'read-thread-entry');

/** MiB. Rows pass through a thread and are gone: room for more of them would only be filled. */
const LIMITS = { maxYoungGenerationSizeMb: 8 };

/** A thread with a connection of its own that does one reading at a time. It keeps the process alive only while it reads or closes. */
export class ReadThread {
  readonly #worker: Worker;
  readonly #exit = Promise.withResolvers<void>();
  #reading: PromiseWithResolvers<BatchRows> | null = null;
  #closing = false;
  #ended = false;
  /** What the thread died of. */
  #failure: unknown = null;

  /** @throws {StoreUnavailable} where the system has no room for another thread */
  constructor(settings: ReadThreadSettings) {
    this.#worker = start(settings);
    this.#worker.unref();
    this.#worker.on('message', (answer: ThreadReply) => this.#settle(answer));
    this.#worker.on('error', (error) => {
      this.#failure = error;
    });
    this.#worker.on('exit', () => this.#end());
  }

  get state(): 'idle' | 'reading' | 'ended' {
    if (this.#ended) return 'ended';
    return this.#reading === null ? 'idle' : 'reading';
  }

  /**
   * Reads, on a thread that is idle.
   *
   * @throws {StatementTimeout} after the statement timeout
   * @throws {StoreUnavailable} where the store is closed meanwhile or the thread dies
   */
  read(reading: StatementBatch): Promise<BatchRows> {
    this.#reading = Promise.withResolvers();
    this.#worker.ref();
    this.#worker.postMessage(reading, []);
    return this.#reading.promise;
  }

  /** Ends the thread once it has answered, and resolves when it has ended. What it reads is told to stop by `ThreadSettings.closing`. */
  close(): Promise<void> {
    this.#closing = true;
    this.#worker.ref();
    this.#worker.postMessage(null, []);
    return this.#exit.promise;
  }

  #settle(answer: ThreadReply): void {
    if (!this.#closing) this.#worker.unref();
    if (answer.kind === 'rows') this.#reading?.resolve(answer.rows);
    else this.#reading?.reject(errorOf(answer));
    this.#reading = null;
  }

  #end(): void {
    this.#ended = true;
    this.#reading?.reject(
      new StoreUnavailable('The thread of a heavy read ended before its answer', { cause: this.#failure }),
    );
    this.#reading = null;
    this.#exit.resolve();
  }
}

function start(workerData: ReadThreadSettings): Worker {
  try {
    // The flags of the process are meant for its program, and some of them would fail a thread.
    return new Worker(ENTRY, { workerData, execArgv: [], resourceLimits: LIMITS, name: 'heavy reads' });
  } catch (error) {
    throw new StoreUnavailable('No thread for heavy reads could be started', { cause: error });
  }
}
