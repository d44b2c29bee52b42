import type { Clock } from '../../platform/clock.ts';
import { StatementTimeout } from '../store.ts';
import { DEADLINE } from './dialect.ts';
import type { Connection } from './driver.ts';

/** Rows that a statement looks at between two looks at the clock. */
const ROWS_PER_LOOK = 64;

/**
 * Ends a statement that runs too long (QRY-3). No driver can interrupt one that runs on its own thread, so the statement asks:
 * a condition of every heavy read calls a function that throws once the time is over.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #timeout: number;
  #until = Number.POSITIVE_INFINITY;
  #rows = 0;

  /** @param timeout milliseconds that a statement may run */
  constructor(connection: Connection, clock: Clock, timeout: number) {
    this.#clock = clock;
    this.#timeout = timeout;
    connection.define(DEADLINE, false, () => {
      this.#rows += 1;
      if (this.#rows % ROWS_PER_LOOK === 0 && this.#clock.now() >= this.#until) {
        throw new StatementTimeout(`The statement ran for more than ${this.#timeout} ms`);
      }
      return 1;
    });
  }

  /** Starts the time of the statements that are run next. */
  begin(): void {
    this.#until = this.#clock.now() + this.#timeout;
    this.#rows = 0;
  }
}
