import { StatementTimeout, StoreUnavailable } from '../../store.ts';
import { DEADLINE_FUNCTION } from '../dialect.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';

export interface DeadlineOptions {
  /** Milliseconds, counted from anywhere. */
  readonly now: () => number;
  /** Milliseconds that the statements of one reading may run together. */
  readonly timeout: number;
  /** Whether every statement is to end at once, whatever time it has left; asked as often as the time. */
  readonly isClosing?: () => boolean;
}

/**
 * Ends a statement that runs too long (QRY-3). No driver can interrupt one that runs on its own thread, so the statement asks:
 * a condition of every unbounded read calls a function that throws once the time is over.
 */
export class StatementDeadline {
  readonly #now: () => number;
  readonly #timeout: number;
  readonly #closing: () => boolean;
  #time = 0;
  #until = Number.POSITIVE_INFINITY;

  constructor(connection: SqliteConnection, { now, timeout, isClosing = () => false }: DeadlineOptions) {
    this.#now = now;
    this.#timeout = timeout;
    this.#closing = isClosing;
    connection.defineFunction(DEADLINE_FUNCTION, false, () => this.#look());
  }

  /** Starts the time of the statements that are run next. @param time milliseconds, where they have other than the statement timeout */
  start(time: number = this.#timeout): void {
    this.#time = time;
    this.#until = this.#now() + time;
  }

  /** @returns 1: what is no error goes on */
  #look(): number {
    if (this.#closing()) throw new StoreUnavailable('The store is closed');
    if (this.#now() >= this.#until) throw new StatementTimeout(`The statement ran for more than ${this.#time} ms`);
    return 1;
  }
}
