import { StatementTimeout, StoreUnavailable } from '../../store.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { DEADLINE_FUNCTION } from '../dialect/sqlite-dialect.ts';

interface StatementDeadlineOptions {
  /** Milliseconds from any starting point. */
  readonly now: () => number;
  /** Milliseconds that the statements of one batch may run together. */
  readonly timeout: number;
  /** Returns true if every statement must stop immediately. Checked as often as the time. */
  readonly isClosing?: () => boolean;
}

/**
 * Stops a statement that exceeds its deadline (QRY-3). No driver can interrupt a statement that runs on its own thread.
 * Instead a condition of every unbounded read calls a SQL function that throws after the deadline.
 */
export class StatementDeadline {
  readonly #now: () => number;
  readonly #timeout: number;
  readonly #isClosing: () => boolean;
  #time = 0;
  #deadline = Number.POSITIVE_INFINITY;

  constructor(connection: SqliteConnection, { now, timeout, isClosing = () => false }: StatementDeadlineOptions) {
    this.#now = now;
    this.#timeout = timeout;
    this.#isClosing = isClosing;
    connection.defineFunction(DEADLINE_FUNCTION, false, () => this.#check());
  }

  /** Sets the deadline of the statements that run next. @param time milliseconds. Default: the statement timeout */
  start(time: number = this.#timeout): void {
    this.#time = time;
    this.#deadline = this.#now() + time;
  }

  /** @returns 1, on which the condition holds */
  #check(): number {
    if (this.#isClosing()) throw new StoreUnavailable('The store is closed');
    if (this.#now() >= this.#deadline) throw new StatementTimeout(`The statement ran for more than ${this.#time} ms`);
    return 1;
  }
}
