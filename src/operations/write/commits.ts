import type { WriteOutcome, WriteUnit } from '../../plan/write-unit.ts';
import type { Writer } from '../../stores/store.ts';

/** Share of its time after which a write does not start: it could end after the client received a timeout (ERR-7). */
export const LATEST_START = 0.9;

/** The deadline of a write. */
export interface CommitTiming {
  /** Milliseconds since the epoch at which it began. */
  readonly since: number;
  /** Share of the time after which it does not start. Default: {@link LATEST_START}. */
  readonly latest?: number;
}

/** The part of a store that commits. */
export type Committer = Pick<Writer, 'commit'>;

/** Parameters of {@link Commits}. */
export interface CommitsOptions {
  readonly writer: Committer;
  /** Milliseconds that a request may take. */
  readonly handlerTimeout: number;
  /** Called after every commit of this process. */
  readonly onCommit: () => void;
}

/** Hands write units to the store. */
export class Commits {
  readonly #options: CommitsOptions;
  readonly #last: Map<string, Promise<unknown>>;
  /** The resources whose hooks read other rows, or whose row policies read rows of the resource itself. */
  readonly #readers: Set<string>;

  /** @param order commits whose order these follow. Default: none */
  constructor(options: CommitsOptions, order: Commits | null = null) {
    this.#options = options;
    this.#last = order === null ? new Map<string, Promise<unknown>>() : order.#last;
    this.#readers = order === null ? new Set<string>() : order.#readers;
  }

  /** Returns the same commits, in the same order, through a writer around that of the store. */
  through(wrap: (writer: Committer) => Committer): Commits {
    return new Commits({ ...this.#options, writer: wrap(this.#options.writer) }, this);
  }

  /** Commits a unit, or refuses it if it could not end in time. */
  async commit(unit: WriteUnit, { since, latest = LATEST_START }: CommitTiming): Promise<WriteOutcome> {
    const { writer, handlerTimeout, onCommit } = this.#options;
    const outcome = await writer.commit(unit, since + handlerTimeout * latest);
    if (outcome.kind === 'committed') onCommit();
    return outcome;
  }

  /** Announces what the store has committed by itself. */
  announce(): void {
    this.#options.onCommit();
  }

  /**
   * Notes that writes to a resource read rows. Of concurrent ones only one can commit, because each changes rows that
   * others have read.
   */
  readsRows(resource: string): void {
    this.#readers.add(resource);
  }

  isReader(resource: string): boolean {
    return this.#readers.has(resource);
  }

  /**
   * Runs writes after all earlier writes of this process to those of their resources whose writes read rows, so that
   * they do not race.
   *
   * @param resources names of the resources that are written
   */
  afterReaders<T>(resources: readonly string[], write: () => Promise<T>): Promise<T> {
    const readers = [...new Set(resources)].filter((resource) => this.#readers.has(resource)).sort();
    return readers.reduceRight<() => Promise<T>>(
      (run, name) => () => this.runExclusive(`readers of ${name}`, run),
      write,
    )();
  }

  /**
   * Runs work after all earlier work under the same key, however that ended: two writes to one row of this process do
   * not race.
   */
  runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const current = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, current);
    const end = (): void => {
      if (this.#last.get(key) === current) this.#last.delete(key);
    };
    current.then(end, end);
    return current;
  }
}
