import { Worker } from 'node:worker_threads';
import { workerFile } from '../../../platform/worker-file.ts';
import type { MainConnection } from '../connection/main-connection.ts';

const ENTRY = workerFile(import.meta.url, 'checkpoint-thread');

/** Rows written after which a checkpoint is due: 30 MB of log where each has a commit of its own, 10 MB where many share one. */
const ROWS_PER_CHECKPOINT = 1_000;
/** Milliseconds after which a checkpoint is due however little was written: reads go past the mapped file as long as anything is left in the log. */
const MAX_DELAY = 1_000;

export interface CheckpointTriggers {
  /** Rows after which a checkpoint is due. */
  readonly rows?: number;
  /** Milliseconds after the first of them. */
  readonly maxDelay?: number;
}

/**
 * Brings what is committed from SQLite's log into the database file, on a thread of its own: a checkpoint takes longer than a hundred
 * requests, and would hold up all of them. What is written meanwhile is brought over by the writer itself, which takes a moment: only a log
 * that is empty can begin anew. Where somebody always reads from it the thread has it begin anew once it is long, and writers wait for that.
 * Where the thread cannot run, the writer does as SQLite does by itself, later.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #main: MainConnection;
  readonly #due: number;
  readonly #latest: number;
  #timer: NodeJS.Timeout | null = null;
  #worker: Worker | null = null;
  #ended: Promise<void> = Promise.resolve();
  #running = false;
  #ending = false;
  #written = 0;

  /** @param path an absolute path */
  constructor(
    path: string,
    main: MainConnection,
    { rows = ROWS_PER_CHECKPOINT, maxDelay = MAX_DELAY }: CheckpointTriggers = {},
  ) {
    this.#path = path;
    this.#main = main;
    this.#due = rows;
    this.#latest = maxDelay;
  }

  /** Rows were committed. */
  rowsCommitted(rows: number): void {
    this.#written += rows;
    if (this.#written >= this.#due) this.#begin();
    else this.#timer ??= setTimeout(this.#begin, this.#latest).unref();
  }

  /** Resolves once the thread has ended; it finishes what it does. */
  async close(): Promise<void> {
    this.#ending = true;
    this.#stopTimer();
    this.#worker?.ref();
    this.#worker?.postMessage('end', []);
    await this.#ended;
  }

  readonly #begin = (): void => {
    this.#stopTimer();
    if (this.#running) return;
    this.#written = 0;
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
      const worker = new Worker(ENTRY, { workerData: this.#path, execArgv: [], name: 'checkpoints' });
      const { promise, resolve } = Promise.withResolvers<void>();
      worker.unref();
      worker.on('message', () => this.#finish());
      // Nothing is lost with it: the log is still there, and the next checkpoint starts another thread.
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
      // As with those that SQLite makes by itself: nothing is lost, and what is wrong with the disk the next commit is told.
    }
    if (this.#written > 0 && !this.#ending) this.rowsCommitted(0);
  }
}
