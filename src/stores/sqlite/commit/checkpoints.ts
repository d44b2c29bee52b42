import { Worker } from 'node:worker_threads';
import { workerFile } from '../../../platform/process/worker-file.ts';
import type { MainConnection } from '../connection/main-connection.ts';
import type { DatabaseFile } from '../health/database-files.ts';

const ENTRY = workerFile(import.meta.url, 'checkpoint-thread');

/** Rows written before a checkpoint: 30 MB of WAL if each has its own commit, 10 MB if many share one. */
const ROWS_PER_CHECKPOINT = 1_000;
/**
 * Milliseconds before a checkpoint, however little was written: reads bypass the memory-mapped file for pages that are
 * in the WAL.
 */
const MAX_DELAY = 1_000;

interface CheckpointTriggers {
  /** Rows before a checkpoint. Default: 1,000. */
  readonly rows?: number;
  /** Milliseconds after the first of them. Default: 1,000. */
  readonly maxDelay?: number;
}

/**
 * Makes checkpoints on a worker thread: a checkpoint takes longer than a hundred requests and would block all of them.
 * The writer then copies the few pages written meanwhile, because only an empty WAL can be restarted. If the WAL always
 * has readers, the thread restarts it once it is long, and writers wait for that. If the thread cannot run, SQLite's
 * own automatic checkpoints run later.
 */
export class Checkpoints {
  readonly #database: DatabaseFile;
  readonly #main: MainConnection;
  readonly #rows: number;
  readonly #maxDelay: number;
  #timer: NodeJS.Timeout | null = null;
  #worker: Worker | null = null;
  #ended: Promise<void> = Promise.resolve();
  #running = false;
  #closing = false;
  /** Rows committed since the last checkpoint began. */
  #pending = 0;

  constructor(
    database: DatabaseFile,
    main: MainConnection,
    { rows = ROWS_PER_CHECKPOINT, maxDelay = MAX_DELAY }: CheckpointTriggers = {},
  ) {
    this.#database = database;
    this.#main = main;
    this.#rows = rows;
    this.#maxDelay = maxDelay;
  }

  /** To be called after each commit, with the number of rows that it wrote. */
  rowsCommitted(rows: number): void {
    this.#pending += rows;
    if (this.#pending >= this.#rows) this.#begin();
    else this.#timer ??= setTimeout(this.#begin, this.#maxDelay).unref();
  }

  /** Resolves once the thread has finished its checkpoint and ended. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#stopTimer();
    this.#worker?.ref();
    this.#worker?.postMessage('end', []);
    await this.#ended;
  }

  readonly #begin = (): void => {
    this.#stopTimer();
    if (this.#running) return;
    this.#pending = 0;
    this.#running = true;
    this.#worker ??= this.#start();
    this.#worker?.postMessage('checkpoint', []);
  };

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #start(): Worker | null {
    try {
      const worker = new Worker(ENTRY, { workerData: this.#database, execArgv: [], name: 'checkpoints' });
      const { promise, resolve } = Promise.withResolvers<void>();
      worker.unref();
      worker.on('message', () => this.#finish());
      // Nothing is lost: the WAL is still there, and the next checkpoint starts another thread.
      worker.on('error', () => undefined);
      worker.on('exit', () => {
        this.#worker = null;
        this.#running = false;
        resolve();
      });
      this.#ended = promise;
      return worker;
    } catch {
      this.#running = false;
      return null;
    }
  }

  #finish(): void {
    this.#running = false;
    try {
      this.#main.writer().checkpoint();
    } catch {
      // As with SQLite's automatic checkpoints nothing is lost. The next commit reports what is wrong with the disk.
    }
    if (this.#pending > 0 && !this.#closing) this.rowsCommitted(0);
  }
}
