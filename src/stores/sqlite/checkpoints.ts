import { Worker } from 'node:worker_threads';
import { besideModule } from '../../platform/beside.ts';
import type { MainConnection } from './main-connection.ts';

const ENTRY = besideModule(import.meta.url, 'checkpoint-thread');

/** Rows written after which a checkpoint is due: 30 MB of log where each has a commit of its own, 10 MB where many share one. */
const DUE = 1_000;

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
  #worker: Worker | null = null;
  #ended: Promise<void> = Promise.resolve();
  #running = false;
  #written = 0;

  /**
   * @param path an absolute path
   * @param due rows after which a checkpoint is due
   */
  constructor(path: string, main: MainConnection, due = DUE) {
    this.#path = path;
    this.#main = main;
    this.#due = due;
  }

  /** Rows were committed. */
  wrote(rows: number): void {
    this.#written += rows;
    if (this.#written < this.#due || this.#running) return;
    this.#written = 0;
    this.#running = true;
    this.#worker ??= this.#start();
    this.#worker?.postMessage('checkpoint', []);
  }

  /** Resolves once the thread has ended; it finishes what it does. */
  async close(): Promise<void> {
    this.#worker?.ref();
    this.#worker?.postMessage('end', []);
    await this.#ended;
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
      this.#main.toWrite().checkpoint();
    } catch {
      // As with those that SQLite makes by itself: nothing is lost, and what is wrong with the disk the next commit is told.
    }
  }
}
