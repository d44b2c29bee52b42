import type { Refusal, WriteOutcome, WriteUnit } from '../../../plan/write-unit.ts';
import type { SqlRow, SqlValue, Statement } from '../../sql/dialect.ts';
import type { BlockShapes } from '../../sql/events/append-event.ts';
import { commitTables } from '../../sql/existing/table-unit.ts';
import type { Tables } from '../../sql/tables.ts';
import { compileUnit, type UnitStatement, type Violation } from '../../sql/write/compile-unit.ts';
import { closingStatements, beginCounters, hasNumbers, listTimes } from '../../sql/write/counters.ts';
import { explainViolation, violationProbes } from '../../sql/write/refusals.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { isConstraintFailure } from '../driver/sqlite-errors.ts';
import type { TableWriter } from '../existing/table-writer.ts';

const NOT_BEGUN = beginCounters({ revision: 0, event: 0 });

/** Changes when another connection has committed: shapes may have been removed then. */
const VERSION = 'pragma data_version';

/**
 * Runs compiled units within a transaction that `GroupCommit` begins and ends. The counters are read once when it
 * begins and written once before it ends. All processes assign revisions and sequences from the same counters, in
 * commit order (REP-8, EVT-3).
 */
export class UnitWriter {
  readonly #connection: SqliteConnection;
  readonly #tables: Tables;
  readonly #tableWriter: TableWriter | null;
  #begun = NOT_BEGUN;
  #counters = NOT_BEGUN;
  /** The version of the database in which the known shapes are stored. */
  #version: SqlValue | undefined;
  #known: BlockShapes | undefined;

  /** @param tableWriter writes the tables of another program; null for a model that shows none */
  constructor(connection: SqliteConnection, tables: Tables, tableWriter: TableWriter | null = null) {
    this.#connection = connection;
    this.#tables = tables;
    this.#tableWriter = tableWriter;
  }

  /** Reads the counters. The transaction must hold the write lock. */
  begin(): void {
    const version = this.#connection.get(VERSION)?.['data_version'];
    if (version !== this.#version) this.#known = undefined;
    this.#version = version;
    this.#begun = beginCounters(this.#get(this.#tables.system.counters()), this.#known);
    this.#counters = this.#begun;
    this.#tableWriter?.begin(version);
  }

  /**
   * Stores the counters, and purges expired idempotency records where some were added.
   *
   * @param now milliseconds since the epoch
   */
  end(now: number): void {
    const { revision, log } = this.#counters;
    const numbers = this.#tables.system.setCounters(revision, log.sequence, ...listTimes(log.open));
    const stored = hasNumbers(this.#begun, this.#counters) ? [numbers] : [];
    for (const { text, values } of [...stored, ...closingStatements(this.#tables, this.#counters, now)]) {
      this.#connection.run(text, values);
    }
  }

  /** Keeps in mind what is stored now. To be called once the transaction is committed. */
  committed(): void {
    this.#known = this.#counters.log.shapes;
  }

  /**
   * Runs a unit. After a refusal, an error or a dry run the caller rolls it back.
   *
   * @param now milliseconds since the epoch
   */
  write(unit: WriteUnit, now: number): WriteOutcome {
    const written = this.#tableWriter?.write(unit, now) ?? null;
    if (written?.kind === 'refused') return written.refusal;
    const { statements, outcome, counters } = compileUnit(this.#tables, written?.unit ?? unit, this.#counters, now);
    for (const statement of statements) {
      const refusal = this.#run(statement);
      if (refusal !== null) return refusal;
    }
    const refusal = written === null ? null : (this.#tableWriter?.findBroken(unit) ?? null);
    if (refusal !== null) return refusal;
    if (outcome.kind === 'committed' && unit.dry !== true) this.#counters = counters;
    if (outcome.kind !== 'committed' || written === null) return outcome;
    return commitTables(unit, written.rows, outcome.revisions);
  }

  #run({ statement, expects, refusal, violation }: UnitStatement): Refusal | null {
    try {
      return this.#meets(statement, expects) ? null : refusal;
    } catch (error) {
      if (violation === null || !isConstraintFailure(error)) throw error;
      const explained = this.#explain(violation);
      if (explained === null) throw error;
      return explained;
    }
  }

  #meets(statement: Statement, expects: UnitStatement['expects']): boolean {
    switch (expects) {
      case 'row':
        return this.#get(statement) !== null;
      case 'no row':
        return this.#get(statement) === null;
      case 'change':
        return this.#connection.run(statement.text, statement.values) > 0;
      case null:
        this.#connection.run(statement.text, statement.values);
        return true;
    }
  }

  #explain(violation: Violation): Refusal | null {
    if (violation.kind !== 'unexplained') return violation;
    const probes = violationProbes(this.#tables, violation.plan);
    return explainViolation(probes, violation.index, ({ text, values }) => this.#connection.all(text, values));
  }

  #get({ text, values }: Statement): SqlRow | null {
    return this.#connection.get(text, values);
  }
}
