import type { Observe } from '../../../observe/observation.ts';
import type { StoreUnavailable } from '../../store.ts';
import {
  findChange,
  type FileChange,
  type LocateFile,
  locateFile,
  lostError,
  type OpenFile,
} from './database-files.ts';

/** Milliseconds between two checks, so that a loss without requests is noticed within a second. */
const INTERVAL = 250;

/** So many checks try to copy the log while other connections read or write: 5 s. */
const MAX_SAVES = 20;

interface FileGuardOptions {
  /** The files that SQLite has open; none for a database in memory. The database is the first. */
  readonly files: readonly OpenFile[];
  readonly observe: Observe;
  /**
   * Copies what is committed from the log to the database file that is open, and empties the log.
   *
   * @returns whether all of it was copied
   */
  readonly save: () => boolean;
  /** Default: the file system. */
  readonly locate?: LocateFile;
  /** Milliseconds between two checks. Default: 250. */
  readonly interval?: number;
}

/**
 * Notices that the files of an open database were moved, deleted or replaced (OPS-7). SQLite goes on with the open
 * files, which no later start finds: from then on nothing is read or acknowledged, until a restart. A file that returns
 * changes nothing: other programs may have used the path with the log of this one in between.
 */
export class FileGuard {
  readonly #options: FileGuardOptions;
  readonly #locate: LocateFile;
  readonly #timer: NodeJS.Timeout | null;
  #lost: StoreUnavailable | null = null;
  #saves = 0;

  constructor(options: FileGuardOptions) {
    const { files, locate = locateFile, interval = INTERVAL } = options;
    this.#options = options;
    this.#locate = locate;
    this.#timer = files.length === 0 ? null : setInterval(() => this.#tick(), interval).unref();
  }

  /** Costs nothing: looks at no file. @throws {StoreUnavailable} once a check has found the files lost */
  requireIntact(): void {
    if (this.#lost !== null) throw this.#lost;
  }

  /**
   * Looks at the files: 1.5 µs for each. After a commit it proves that the commit is where the next start finds it.
   *
   * @throws {StoreUnavailable}
   */
  check(): void {
    this.#look();
    this.requireIntact();
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  #tick(): void {
    if (this.#lost === null) this.#look();
    else this.#save();
  }

  #look(): void {
    if (this.#lost !== null) return;
    for (const file of this.#options.files) {
      const change = findChange(file, this.#locate);
      if (change !== null) {
        this.#lose(change);
        return;
      }
    }
  }

  #lose({ path, change }: FileChange): void {
    this.#lost = lostError();
    this.#options.observe({ kind: 'database-lost', path, change });
    this.#save();
  }

  /** Copies acknowledged commits from the log to the open file, so that a file that was moved alone is complete. */
  #save(): void {
    this.#saves += 1;
    if (this.#trySave() || this.#saves === MAX_SAVES) this.close();
  }

  #trySave(): boolean {
    try {
      return this.#options.save();
    } catch {
      // Busy, or a disk that fails as well: the next check tries again, and the loss is reported already.
      return false;
    }
  }
}
