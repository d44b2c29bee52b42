import type { Refusal, WriteUnit } from '../../../plan/write-unit.ts';
import type { SqlRow, Statement } from '../../sql/dialect.ts';
import type { LogState } from '../../sql/events/append-event.ts';
import type { Tables } from '../../sql/tables.ts';
import { type CompiledUnit, compileUnit, type UnitStatement, type Violation } from '../../sql/write/compile-unit.ts';
import { closingStatements, type Counters, hasNumbers, listTimes } from '../../sql/write/counters.ts';
import { isKept, type UnitResult } from '../../sql/write/unit-queue.ts';
import { explainViolation, probeStatements, violationProbes } from '../../sql/write/refusals.ts';
import { type BegunTransaction, beginTransaction } from './begin-transaction.ts';
import type { OwnCommit } from './change-stamps.ts';
import type { KnownShapes } from './known-shapes.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection, QueryResult } from '../driver/pg.ts';
import { commitError, isConstraintFailure, isOfStatement } from '../driver/postgres-errors.ts';
import { type ExpectingStatement, mergeStatements } from './merge-statements.ts';

/** The most times that a unit is run whose conflict cannot be found any more: other transactions change its rows. */
const MAX_ATTEMPTS = 10;

/** The result of a statement of a unit. */
type Answer = PromiseSettledResult<QueryResult>;

/** The first of several statements that did not do what it must. */
interface Deviation<S> {
  readonly at: number;
  readonly statement: S;
  readonly answer: Answer;
}

/** The work of a transaction for the instances of an older model, whose rows differ (VER-5d). */
export interface SharedWrites {
  /** Once it has the lock of all writes. */
  begin(session: PostgresConnection): Promise<void>;
  /** Once it has written rows. */
  end(session: PostgresConnection): Promise<void>;
}

interface TransactionOptions {
  readonly session: PostgresConnection;
  readonly tables: Tables;
  /** Those that the transaction may run. */
  readonly units: readonly WriteUnit[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly shapes: KnownShapes;
  /** Default: null. */
  readonly shared?: SharedWrites | null;
  /** True if the transaction is begun already, and has locked what it writes. Default: false. */
  readonly isBegun?: boolean;
}

/**
 * One transaction of write units. When it begins, it locks what they write, and a slot of the log; others may run
 * meanwhile with other slots. It adds its changes to the totals of the slot before it ends.
 */
export class UnitTransaction {
  readonly #session: PostgresConnection;
  readonly #tables: Tables;
  readonly #now: number;
  readonly #shared: SharedWrites | null;
  readonly #shapes: KnownShapes;
  readonly #begun: BegunTransaction;
  #counters: Counters;

  private constructor({ session, tables, now, shapes, shared = null }: TransactionOptions, begun: BegunTransaction) {
    this.#session = session;
    this.#tables = tables;
    this.#now = now;
    this.#shared = shared;
    this.#shapes = shapes;
    this.#begun = begun;
    this.#counters = begun.counters;
  }

  static async begin(options: TransactionOptions): Promise<UnitTransaction> {
    const { session, shared = null } = options;
    const begun = await beginTransaction({ ...options, isAlone: shared !== null });
    await shared?.begin(session);
    return new UnitTransaction(options, begun);
  }

  /**
   * Runs units. All of their statements are sent together, and those of the same form are one.
   *
   * @returns null where one of them is refused or fails: the transaction has to be rolled back then
   */
  async runTogether(units: readonly WriteUnit[]): Promise<readonly UnitResult[] | null> {
    const compiled: CompiledUnit[] = [];
    for (const unit of units) {
      const each = this.#compile(unit);
      // Alone, its error is its result.
      if ('error' in each || each.outcome.kind !== 'committed') return null;
      compiled.push(each);
      this.#counters = each.counters;
    }
    const statements = mergeStatements(compiled.flatMap((each) => each.statements));
    if ((await this.#deviation(statements)) !== null) return null;
    try {
      await this.#shared?.end(this.#session);
    } catch (error) {
      if (isOfStatement(error)) return null;
      throw error;
    }
    return compiled.map(({ outcome }) => ({ outcome }));
  }

  /** Runs one unit under a savepoint, and rolls it back unless it is kept. @throws where the database fails */
  async runAlone(unit: WriteUnit): Promise<UnitResult> {
    await this.#session.query('savepoint unit');
    const result = await this.#attempt(unit);
    await this.#session.query(isKept(unit, result) ? 'release savepoint unit' : 'rollback to savepoint unit');
    return result;
  }

  /** The additions of the transaction to its slot. */
  get states(): Omit<OwnCommit, 'plans'> {
    const { server, slot, counters } = this.#begun;
    const { changes, log } = this.#counters;
    return { server, before: slot, changes, events: listNumbers(counters.log, log) };
  }

  /** Stores what is added to the slot, and commits. @throws {WriteOutcomeUnknown} where the commit is not answered */
  async commit(): Promise<void> {
    const closing = closingStatements(this.#tables, this.#counters, this.#now);
    const sent = [...this.#slotStatements(), ...closing, { text: 'commit', values: [] }];
    try {
      await allAnswers(sent.map(({ text, values }) => this.#session.query(text, values)));
    } catch (error) {
      throw commitError(error);
    }
    const { slot, removed } = this.#begun;
    this.#shapes.add(slot.slot, this.#counters.log.shapes, removed);
  }

  #slotStatements(): readonly Statement[] {
    const { slot, counters } = this.#begun;
    const { changes, log } = this.#counters;
    if (!hasNumbers(counters, this.#counters)) return [];
    const totals = [slot.changes + changes, slot.events + log.added];
    return [this.#tables.system.setCounters(...totals, ...listTimes(log.open), slot.slot)];
  }

  async rollBack(): Promise<void> {
    this.#shapes.clear();
    await this.#session.query('rollback');
  }

  #compile(unit: WriteUnit): CompiledUnit | { readonly error: unknown } {
    try {
      return compileUnit(this.#tables, unit, this.#counters, this.#now);
    } catch (error) {
      return { error };
    }
  }

  async #attempt(unit: WriteUnit, attempts = 1): Promise<UnitResult> {
    const compiled = this.#compile(unit);
    if ('error' in compiled) return compiled;
    const { statements, outcome, counters } = compiled;
    try {
      const deviation = await this.#deviation(statements);
      if (deviation !== null) {
        const refusal = await this.#refusal(statements, deviation, attempts === MAX_ATTEMPTS);
        return refusal === null ? this.#attempt(unit, attempts + 1) : { outcome: refusal };
      }
      const refused = this.#shared === null ? null : await this.#revert(this.#shared, statements);
      if (refused !== null) return { outcome: refused };
      if (outcome.kind === 'committed' && unit.dry !== true) this.#counters = counters;
      return { outcome };
    } catch (error) {
      if (!isOfStatement(error)) throw error;
      return { error };
    }
  }

  /** Converts the rows of a unit for the older model. @returns why that refuses the unit; null where it does not */
  async #revert(shared: SharedWrites, statements: readonly UnitStatement[]): Promise<Refusal | null> {
    try {
      await shared.end(this.#session);
      return null;
    } catch (error) {
      if (!isConstraintFailure(error)) throw error;
      for (const [at, statement] of statements.entries()) {
        if (statement.violation?.kind !== 'unexplained') continue;
        const found = await this.#explain(statements.slice(0, at), statement.violation);
        if (found !== null) return found;
      }
      throw error;
    }
  }

  /**
   * Runs statements.
   *
   * @returns the first that does not do what it must; null where all do
   * @throws where the database fails
   */
  async #deviation<S extends ExpectingStatement>(statements: readonly S[]): Promise<Deviation<S> | null> {
    const sent = statements.map(({ statement: { text, values } }) => this.#session.query(text, values));
    const answers = await Promise.allSettled(sent);
    for (const [at, statement] of statements.entries()) {
      const answer = answers[at];
      if (answer?.status === 'rejected' && !isOfStatement(answer.reason)) throw answer.reason;
      if (answer !== undefined && !meets(statement, answer)) return { at, statement, answer };
    }
    return null;
  }

  /**
   * Finds the reason for which a unit is refused.
   *
   * @returns null where the row that it conflicted with is gone by now
   * @throws the error of its statement, where that is no refusal
   */
  async #refusal(
    statements: readonly UnitStatement[],
    { at, statement, answer }: Deviation<UnitStatement>,
    isLast: boolean,
  ): Promise<Refusal | null> {
    const { refusal, violation } = statement;
    if (answer.status === 'fulfilled' && refusal !== null) return refusal;
    if (answer.status === 'fulfilled') throw new Error('A statement that may do anything has deviated');
    const { reason } = answer;
    if (violation === null || !isConstraintFailure(reason)) throw reason;
    if (violation.kind !== 'unexplained') return violation;
    const explained = await this.#explain(statements.slice(0, at), violation);
    if (explained === null && isLast) throw reason;
    if (explained === null) await this.#session.query('rollback to savepoint unit');
    return explained;
  }

  /**
   * Finds the row that a plan conflicts with.
   *
   * @param before the statements of the unit before those of the plan
   * @returns null where that row, or one that those statements need, was changed by another transaction meanwhile
   */
  async #explain(
    before: readonly UnitStatement[],
    { plan, index }: Extract<Violation, { kind: 'unexplained' }>,
  ): Promise<Refusal | null> {
    await this.#session.query('rollback to savepoint unit');
    // The probes see what the unit had written before. The rollback has let others change the rows that it needs.
    if ((await this.#deviation(before)) !== null) return null;
    const probes = violationProbes(this.#tables, plan);
    const rows = await this.#readAll(probeStatements(probes));
    return explainViolation(probes, index, (probe) => rows.get(probe) ?? []);
  }

  /** Reads the rows of each of several statements. */
  async #readAll(statements: readonly Statement[]): Promise<ReadonlyMap<Statement, readonly SqlRow[]>> {
    const answers = await allAnswers(statements.map(({ text, values }) => this.#session.query(text, values)));
    return new Map(statements.map((statement, index) => [statement, answers[index]?.rows ?? []]));
  }
}

/** The sequences between two states of the log of a transaction. */
function listNumbers(from: LogState, to: LogState): readonly number[] {
  const sequences: number[] = [];
  for (let last = from.sequence; last !== to.sequence; ) {
    last = from.next(last);
    sequences.push(last);
  }
  return sequences;
}

/** Checks if a statement did what it must. */
function meets({ expects, rows = 1 }: ExpectingStatement, answer: Answer): boolean {
  if (answer.status === 'rejected') return false;
  switch (expects) {
    case 'row':
    case 'change':
      return answer.value.count >= rows;
    case 'no row':
      return answer.value.count === 0;
    case null:
      return true;
  }
}
