import type { WriteUnit } from '../../../plan/write-unit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isKept, type UnitResult } from '../../sql/write/unit-queue.ts';
import type { MainConnection } from '../connection/main-connection.ts';
import { isDatabaseFailure } from '../driver/sqlite-errors.ts';
import type { UnitWriter } from './unit-writer.ts';

/** A trigger of a table of another program has rolled back the transaction of a group. */
export class TransactionEnded extends Error {}

/**
 * The number of groups with a savepoint for each unit, after a unit was not kept. If many are refused, few groups are
 * written twice.
 */
const CAREFUL_GROUPS = 16;

interface UnitAttemptsOptions {
  readonly main: MainConnection;
  readonly writer: UnitWriter;
  readonly clock: Clock;
}

/**
 * Runs the units of a group in the transaction that `GroupCommit` has begun, such that only those that are kept have
 * changed anything. They share one savepoint. With one for each unit, SQLite copies the pages that the unit changes,
 * most of which the unit before has changed. If a unit is not kept, all of the group are rolled back and run again,
 * each under its own savepoint.
 */
export class UnitAttempts {
  readonly #options: UnitAttemptsOptions;
  /** The number of groups that still have savepoints for each unit. */
  #careful = 0;

  constructor(options: UnitAttemptsOptions) {
    this.#options = options;
  }

  /**
   * A group of one needs no savepoint: the transaction itself is rolled back.
   *
   * @throws {TransactionEnded} where a unit of several has ended the transaction
   * @throws where the database fails; an error of a unit alone is its result
   */
  run(group: readonly WriteUnit[]): readonly UnitResult[] {
    this.#options.writer.begin();
    if (group.length === 1) return group.map((unit) => this.#attempt(unit));
    return this.#together(group) ?? this.#apart(group);
  }

  /** Runs all units under one savepoint; null, with nothing changed, where one is not kept or may well not be. */
  #together(group: readonly WriteUnit[]): readonly UnitResult[] | null {
    if (this.#careful > 0 || group.some(({ dry }) => dry === true)) return null;
    this.#sql('savepoint all_units');
    const results: UnitResult[] = [];
    for (const unit of group) {
      const result = this.#attempt(unit);
      if (!isKept(unit, result)) {
        this.#rollBackTo('all_units');
        this.#options.writer.begin();
        return null;
      }
      results.push(result);
    }
    return results;
  }

  #apart(group: readonly WriteUnit[]): readonly UnitResult[] {
    this.#careful = Math.max(0, this.#careful - 1);
    return group.map((unit) => {
      this.#sql('savepoint unit');
      const result = this.#attempt(unit);
      if (!isKept(unit, result)) {
        this.#rollBackTo('unit');
        this.#careful = CAREFUL_GROUPS;
      }
      this.#sql('release unit');
      return result;
    });
  }

  #attempt(unit: WriteUnit): UnitResult {
    const { writer, clock } = this.#options;
    try {
      return { outcome: writer.write(unit, clock.now()) };
    } catch (error) {
      if (isDatabaseFailure(error)) throw error;
      return { error };
    }
  }

  /** @throws {TransactionEnded} */
  #rollBackTo(savepoint: string): void {
    if (!this.#options.main.writer().inTransaction) throw new TransactionEnded();
    this.#sql(`rollback to ${savepoint}`);
  }

  #sql(text: string): void {
    this.#options.main.writer().run(text);
  }
}
