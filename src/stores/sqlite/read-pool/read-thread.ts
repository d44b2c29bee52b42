import { Worker } from 'node:worker_threads';
import { workerFile } from '../../../platform/process/worker-file.ts';
import type { BatchRows, StatementBatch } from '../../sql/sql-client.ts';
import { StoreUnavailable } from '../../store.ts';
import { unpackBatch } from './packed-rows.ts';
import { rebuildError, type ReadThreadSettings, type ThreadReply } from './statement-batch.ts';

const ENTRY = workerFile(import.meta.url, 'read-thread-entry');

/** MiB. Rows only pass through a thread: a larger young generation would fill up with garbage. */
const LIMITS = { maxYoungGenerationSizeMb: 8 };

/**
 * A worker thread with its own connection that reads one batch at a time. It keeps the process alive only while it
 * reads or closes.
 */
export class ReadThread {
  readonly #worker: Worker;
  readonly #exit = Promise.withResolvers<void>();
  #reply: PromiseWithResolvers<BatchRows> | null = null;
  #closing = false;
  #ended = false;
  /** The error that ended the thread. */
  #failure: unknown = null;

  /** @throws {StoreUnavailable} where the system cannot start another thread */
  constructor(settings: ReadThreadSettings) {
    this.#worker = start(settings);
    this.#worker.unref();
    this.#worker.on('message', (reply: ThreadReply) => this.#settle(reply));
    this.#worker.on('error', (error) => {
      this.#failure = error;
    });
    this.#worker.on('exit', () => this.#end());
  }

  get state(): 'idle' | 'reading' | 'ended' {
    if (this.#ended) return 'ended';
    return this.#reply === null ? 'idle' : 'reading';
  }

  /**
   * Reads a batch. The thread must be idle.
   *
   * @throws {StatementTimeout} after the statement timeout
   * @throws {StoreUnavailable} where the store is closed meanwhile or the thread dies
   */
  read(batch: StatementBatch): Promise<BatchRows> {
    this.#reply = Promise.withResolvers();
    this.#worker.ref();
    this.#worker.postMessage(batch, []);
    return this.#reply.promise;
  }

  /**
   * Ends the thread once it has replied, and resolves when it has ended. `ReadThreadSettings.closing` stops a batch
   * that runs.
   */
  close(): Promise<void> {
    this.#closing = true;
    this.#worker.ref();
    this.#worker.postMessage(null, []);
    return this.#exit.promise;
  }

  #settle(reply: ThreadReply): void {
    if (!this.#closing) this.#worker.unref();
    if (reply.kind === 'rows') this.#reply?.resolve(unpackBatch(reply.rows));
    else this.#reply?.reject(rebuildError(reply));
    this.#reply = null;
  }

  #end(): void {
    this.#ended = true;
    this.#reply?.reject(
      new StoreUnavailable('The thread of a slow read ended before its reply', { cause: this.#failure }),
    );
    this.#reply = null;
    this.#exit.resolve();
  }
}

function start(workerData: ReadThreadSettings): Worker {
  try {
    // The process's own flags are meant for its program. Some of them would make a thread fail.
    return new Worker(ENTRY, { workerData, execArgv: [], resourceLimits: LIMITS, name: 'slow reads' });
  } catch (error) {
    throw new StoreUnavailable('No thread for slow reads could be started', { cause: error });
  }
}
