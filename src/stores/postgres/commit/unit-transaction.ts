import type { Refusal, WriteUnit } from '../../../plan/plan.ts';
import { indexesOf } from '../../../plan/indexes.ts';
import type { Statement } from '../../sql/dialect.ts';
import type { Tables } from '../../sql/tables.ts';
import {
  closingStatements,
  type CompiledUnit,
  compileUnit,
  type Counters,
  countersOf,
  type UnitStatement,
  type Violation,
} from '../../sql/write/compile-unit.ts';
import type { UnitResult } from '../../sql/write/unit-queue.ts';
import { explainViolation, violationProbes } from '../../sql/write/refusals.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection, QueryResult } from '../driver/pg.ts';
import { isConstraintFailure, isOfStatement, isOverIndexLimit } from '../driver/postgres-errors.ts';

/** The lock on this row orders all transactions that write: revisions and sequences are assigned in the order of commits (REP-8, EVT-3). */
const LOCK = 'select revision, event from restwright_sequences for update';

/** Bytes that an entry of an index can always have; the database compresses longer ones, of which some fit. */
const MAX_INDEXED = 2_600;

/** What a statement of a unit did. */
type Answer = PromiseSettledResult<QueryResult>;

/** A statement that did not do what it must, and the first of its unit. */
interface Deviation {
  readonly at: number;
  readonly statement: UnitStatement;
  readonly answer: Answer;
}

/**
 * One transaction of write units. It reads the counters when it begins and stores them before it ends; the row of the counters is locked in between.
 */
export class UnitTransaction {
  readonly #session: PostgresConnection;
  readonly #tables: Tables;
  readonly #now: number;
  readonly #begun: Counters;
  #counters: Counters;

  private constructor(session: PostgresConnection, tables: Tables, now: number, begun: Counters) {
    this.#session = session;
    this.#tables = tables;
    this.#now = now;
    this.#begun = begun;
    this.#counters = begun;
  }

  /** @param now milliseconds since the epoch */
  static async begin(session: PostgresConnection, tables: Tables, now: number): Promise<UnitTransaction> {
    const [, locked] = await allAnswers([session.query('begin'), session.query(LOCK)]);
    return new UnitTransaction(session, tables, now, countersOf(locked?.rows[0] ?? null));
  }

  /**
   * Runs units, and sends all of their statements together.
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
    const statements = compiled.flatMap((each) => each.statements);
    if ((await this.#deviation(statements)) !== null) return null;
    return compiled.map(({ outcome }) => ({ outcome }));
  }

  /** Runs one unit under a savepoint, and rolls it back unless it is kept. @throws where the database fails */
  async runAlone(unit: WriteUnit): Promise<UnitResult> {
    await this.#session.query('savepoint unit');
    const result = await this.#attempt(unit);
    const isKept = unit.dry !== true && 'outcome' in result && result.outcome.kind === 'committed';
    await this.#session.query(isKept ? 'release savepoint unit' : 'rollback to savepoint unit');
    return result;
  }

  /** The last revision before the transaction, and in it. */
  get revisions(): { readonly from: number; readonly to: number } {
    return { from: this.#begun.revision, to: this.#counters.revision };
  }

  /** Stores the counters and commits. */
  async commit(): Promise<void> {
    const closing = closingStatements(this.#tables, this.#begun, this.#counters, this.#now);
    const sent = [...closing, { text: 'commit', values: [] }];
    await allAnswers(sent.map(({ text, values }) => this.#session.query(text, values)));
  }

  async rollBack(): Promise<void> {
    await this.#session.query('rollback');
  }

  #compile(unit: WriteUnit): CompiledUnit | { readonly error: unknown } {
    try {
      return compileUnit(this.#tables, unit, this.#counters, this.#now);
    } catch (error) {
      return { error };
    }
  }

  async #attempt(unit: WriteUnit): Promise<UnitResult> {
    const compiled = this.#compile(unit);
    if ('error' in compiled) return compiled;
    const { statements, outcome, counters } = compiled;
    try {
      const deviation = await this.#deviation(statements);
      if (deviation !== null) return { outcome: await this.#refusal(statements, deviation) };
      if (outcome.kind === 'committed' && unit.dry !== true) this.#counters = counters;
      return { outcome };
    } catch (error) {
      if (!isOfStatement(error)) throw error;
      return { error };
    }
  }

  /** Runs statements. @returns the first that does not do what it must; null where all do @throws where the database fails */
  async #deviation(statements: readonly UnitStatement[]): Promise<Deviation | null> {
    const sent = statements.map(({ statement: { text, values } }) => this.#session.query(text, values));
    const answers = await Promise.allSettled(sent);
    for (const [at, statement] of statements.entries()) {
      const answer = answers[at];
      if (answer?.status === 'rejected' && !isOfStatement(answer.reason)) throw answer.reason;
      if (answer !== undefined && !meets(statement, answer)) return { at, statement, answer };
    }
    return null;
  }

  /** Why a unit is refused. @throws the error of its statement, where that is no refusal */
  async #refusal(statements: readonly UnitStatement[], { at, statement, answer }: Deviation): Promise<Refusal> {
    const { refusal, violation } = statement;
    if (answer.status === 'fulfilled' && refusal !== null) return refusal;
    if (answer.status === 'fulfilled') throw new Error('A statement that may do anything has deviated');
    const { reason } = answer;
    if (isOverIndexLimit(reason) && violation?.kind === 'unexplained') return tooLong(this.#tables, violation, reason);
    if (violation === null || !isConstraintFailure(reason)) throw reason;
    if (violation.kind !== 'unexplained') return violation;
    await this.#session.query('rollback to savepoint unit');
    // The probes see what the unit had written before.
    await this.#deviation(statements.slice(0, at));
    const probes = violationProbes(this.#tables, violation.plan);
    const found = await this.#found([...probes.references, ...probes.conflicts].map((probe) => probe.statement));
    const explained = explainViolation(probes, violation.index, (probe) => found.has(probe));
    if (explained === null) throw reason;
    return explained;
  }

  /** Those of several statements that read a row. */
  async #found(statements: readonly Statement[]): Promise<ReadonlySet<Statement>> {
    const answers = await allAnswers(statements.map(({ text, values }) => this.#session.query(text, values)));
    return new Set(statements.filter((_, index) => answers[index]?.count !== 0));
  }
}

/** The refusal of a plan with a value that is too long for an index. @throws the error of the database where no value is */
function tooLong(
  tables: Tables,
  { plan, index }: Extract<Violation, { kind: 'unexplained' }>,
  error: unknown,
): Refusal {
  const { resource } = tables.of(plan.resource);
  const indexed = new Set(
    indexesOf(resource).flatMap(({ keys }) => keys.map(({ path }) => path.split('.')[0] ?? path)),
  );
  const fields = [...indexed].filter((field) => {
    const value = plan.values[field];
    return value !== undefined && Buffer.byteLength(JSON.stringify(value)) > MAX_INDEXED;
  });
  if (fields.length === 0) throw error;
  return { kind: 'too-long', plan: index, fields };
}

/** Whether a statement did what it must. */
function meets({ expects }: UnitStatement, answer: Answer): boolean {
  if (answer.status === 'rejected') return false;
  switch (expects) {
    case 'row':
    case 'change':
      return answer.value.count > 0;
    case 'no row':
      return answer.value.count === 0;
    case null:
      return true;
  }
}
