import type { Clock } from '../../platform/clock.ts';
import type { Effort } from '../../plan/plan.ts';
import type { Looks } from '../sql/dialect.ts';
import { looksOf } from '../sql/read-statements.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import { StatementTimeout } from '../store.ts';
import type { Deadline } from './deadline.ts';
import type { HeavyReads } from './heavy-reads.ts';
import type { MainConnection } from './main-connection.ts';
import { type Reading, readTogether, type RowsRead } from './reading.ts';

/**
 * Milliseconds after which a heavy reading of a small collection leaves the caller's thread: rows can be of any size, and one of ten thousand
 * items takes 2.5 ms.
 */
const TIME_IN_PLACE = 5;

/** Milliseconds for which a collection that took longer is read apart: trying costs 0.1 ms of each second then, if anybody reads it. */
const APART_FOR = 60_000;

/** The number of all rows of a resource, which every commit keeps (PAGE-9). */
export const KEPT_COUNT = 'select count from restwright_counts where resource = ?';

/** A reading, and what decides where it is done. */
export interface PlacedReading {
  /** The resource of which rows are read. */
  readonly resource: string;
  readonly effort: Effort;
  /** Its statements, looking at their deadline so. */
  readonly statements: (looks: Looks) => Reading;
}

/** Where readings can be done. */
export interface ReadingPlaceOptions {
  /** On the caller's thread. */
  readonly main: MainConnection;
  /** Of its connection. */
  readonly deadline: Deadline;
  readonly clock: Clock;
  /** null for a database that only one connection can see. */
  readonly heavy: HeavyReads | null;
  /** Rows of a collection up to which heavy readings are tried on the caller's thread. */
  readonly rowsInPlace: number;
}

/** Reads on the caller's thread what ends soon, and apart from it what may take long. */
export class ReadingPlace {
  readonly #where: ReadingPlaceOptions;
  /** Until when small collections are read apart, by resource, in milliseconds since the epoch. */
  readonly #apart = new Map<string, number>();

  constructor(where: ReadingPlaceOptions) {
    this.#where = where;
  }

  /** @throws {StatementTimeout} {StoreOverloaded} {StoreUnavailable} as `HeavyReads` does */
  read({ resource, effort, statements }: PlacedReading): MaybePromise<RowsRead> {
    const { main, deadline, heavy } = this.#where;
    if (effort === 'light') return readTogether(main.toRead(), statements('never'));
    if (heavy === null) {
      deadline.begin();
      return readTogether(main.toRead(), statements(looksOf(effort)));
    }
    const inPlace = this.#isSmall(resource) ? this.#tried(resource, statements('always')) : null;
    return inPlace ?? heavy.read(statements(looksOf(effort)), effort);
  }

  #isSmall(resource: string): boolean {
    const { main, clock, rowsInPlace } = this.#where;
    if (clock.now() < (this.#apart.get(resource) ?? 0)) return false;
    return Number(main.toRead().get(KEPT_COUNT, [resource])?.['count'] ?? 0) <= rowsInPlace;
  }

  /** What was read, or null where it took too long for this thread. */
  #tried(resource: string, reading: Reading): RowsRead | null {
    const { main, deadline, clock } = this.#where;
    deadline.begin(TIME_IN_PLACE);
    try {
      return readTogether(main.toRead(), reading);
    } catch (error) {
      if (!(error instanceof StatementTimeout)) throw error;
      this.#apart.set(resource, clock.now() + APART_FOR);
      return null;
    }
  }
}
