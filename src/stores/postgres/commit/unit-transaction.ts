import type { Refusal, WriteUnit } from '../../../plan/write-unit.ts';
import type { SqlRow, Statement } from '../../sql/dialect.ts';
import { logState } from '../../sql/events/append-event.ts';
import { FROM_LOG, METADATA } from '../../sql/system-statements.ts';
import type { Tables } from '../../sql/tables.ts';
import { type CompiledUnit, compileUnit, type UnitStatement, type Violation } from '../../sql/write/compile-unit.ts';
import { closingStatements, type Counters, beginCounters, storeCounters } from '../../sql/write/counters.ts';
import { isKept, type UnitResult } from '../../sql/write/unit-queue.ts';
import { explainViolation, probeStatements, violationProbes } from '../../sql/write/refusals.ts';
import { type OwnCommit, STATE_COLUMNS, parseState } from './change-stamps.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection, QueryResult } from '../driver/pg.ts';
import { commitError, isConstraintFailure, isOfStatement } from '../driver/postgres-errors.ts';
import { type ExpectingStatement, mergeStatements } from './merge-statements.ts';

/**
 * The lock on this row orders all transactions that write: revisions and sequences are assigned in the order of commits
 * (REP-8, EVT-3).
 */
const LOCK = `select ${STATE_COLUMNS}, block, first_at, last_at, first_id, last_id, left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline,
  (select value from restwright_meta where name = '${METADATA.timeline}') as last_timeline
${FROM_LOG} for update`;

/**
 * The revisions and sequences that are skipped on a new timeline: more than a replica can lack when it is promoted.
 * Clients still have those that the old server assigned to lost commits, in ETags and in positions of feeds.
 */
const LEFT_OUT = { revisions: 1_048_576, sequences: 8_192 };

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
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Default: null. */
  readonly shared?: SharedWrites | null;
}

/**
 * One transaction of write units. It reads the counters when it begins and stores them before it ends; the row of the
 * counters is locked in between.
 */
export class UnitTransaction {
  readonly #session: PostgresConnection;
  readonly #tables: Tables;
  readonly #now: number;
  readonly #shared: SharedWrites | null;
  readonly #locked: SqlRow | null;
  /** The timeline to store; null where it is stored. */
  readonly #timeline: string | null;
  readonly #begun: Counters;
  #counters: Counters;

  private constructor({ session, tables, now, shared = null }: TransactionOptions, locked: SqlRow | null) {
    this.#session = session;
    this.#tables = tables;
    this.#now = now;
    this.#shared = shared;
    this.#locked = locked;
    this.#timeline = newTimeline(locked);
    this.#begun = begunCounters(locked);
    this.#counters = this.#begun;
  }

  static async begin(options: TransactionOptions): Promise<UnitTransaction> {
    const { session, shared = null } = options;
    const [, locked] = await allAnswers([session.query('begin'), session.query(LOCK)]);
    await shared?.begin(session);
    return new UnitTransaction(options, locked?.rows[0] ?? null);
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

  /** The state of the database before the transaction, and after it. */
  get states(): Pick<OwnCommit, 'before' | 'after'> {
    const before = parseState(this.#locked);
    return { before, after: { ...before, revision: this.#counters.revision, event: this.#counters.log.sequence } };
  }

  /** Stores the counters and commits. @throws {WriteOutcomeUnknown} where the commit is not answered */
  async commit(): Promise<void> {
    const closing = closingStatements(this.#tables, this.#begun, this.#counters, this.#now);
    const sent = [...closing, ...this.#timelineStatements(), { text: 'commit', values: [] }];
    try {
      await allAnswers(sent.map(({ text, values }) => this.#session.query(text, values)));
    } catch (error) {
      throw commitError(error);
    }
  }

  /** The statements that begin a new timeline, also where nothing else changes the counters. */
  #timelineStatements(): readonly Statement[] {
    if (this.#timeline === null) return [];
    const { setMetadata } = this.#tables.system;
    return [storeCounters(this.#tables, this.#counters), setMetadata(METADATA.timeline, this.#timeline)];
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

  /** Finds the reason for which a unit is refused. @throws the error of its statement, where that is no refusal */
  async #refusal(
    statements: readonly UnitStatement[],
    { at, statement, answer }: Deviation<UnitStatement>,
  ): Promise<Refusal> {
    const { refusal, violation } = statement;
    if (answer.status === 'fulfilled' && refusal !== null) return refusal;
    if (answer.status === 'fulfilled') throw new Error('A statement that may do anything has deviated');
    const { reason } = answer;
    if (violation === null || !isConstraintFailure(reason)) throw reason;
    if (violation.kind !== 'unexplained') return violation;
    const explained = await this.#explain(statements.slice(0, at), violation);
    if (explained === null) throw reason;
    return explained;
  }

  /** Finds the row that a plan conflicts with. @param before the statements of the unit before those of the plan */
  async #explain(
    before: readonly UnitStatement[],
    { plan, index }: Extract<Violation, { kind: 'unexplained' }>,
  ): Promise<Refusal | null> {
    await this.#session.query('rollback to savepoint unit');
    // The probes see what the unit had written before.
    await this.#deviation(before);
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

/** The timeline of a transaction, where the last one that committed had another one. */
function newTimeline(locked: SqlRow | null): string | null {
  const timeline = String(locked?.['timeline']);
  return timeline === locked?.['last_timeline'] ? null : timeline;
}

/** The counters that a transaction begins with. @throws {Error} where their row is missing */
function begunCounters(locked: SqlRow | null): Counters {
  const counters = beginCounters(locked);
  // A database without commits has left nothing behind.
  if (newTimeline(locked) === null || (locked?.['last_timeline'] ?? null) === null) return counters;
  const { revision, log } = counters;
  return {
    ...counters,
    revision: revision + LEFT_OUT.revisions,
    log: logState(log.sequence + LEFT_OUT.sequences, log.open),
  };
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
