import type { CommittedUnit, Refusal, WriteUnit } from '../../../plan/write-unit.ts';
import { DELETED } from '../../../plan/write/pending-revisions.ts';
import type { Statement } from '../../sql/dialect.ts';
import { readRow, refuseOtherKey, type ExistingRowPlan, writeRow } from '../../sql/existing/row-writes.ts';
import { explainProbes, listProbes, listUnguarded, referenceProbes } from '../../sql/existing/table-references.ts';
import {
  commitTables,
  isWritten,
  resolveExpected,
  settleUnit,
  type WrittenTableRow,
} from '../../sql/existing/table-unit.ts';
import type { Tables } from '../../sql/tables.ts';
import { RoleForbidden } from '../../store.ts';
import type { OwnCommit } from '../commit/change-stamps.ts';
import type { KnownShapes } from '../commit/known-shapes.ts';
import { UnitTransaction } from '../commit/unit-transaction.ts';
import { lockParts } from '../commit/write-locks.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection, QueryResult } from '../driver/pg.ts';
import { isOfStatement } from '../driver/postgres-errors.ts';
import { markOwnWrite, queueBehind } from '../triggers/own-entries.ts';
import { becomeCaller, callerError, JUDGE_DEFERRED, RESIGN } from './caller-role.ts';
import { explainFailure } from './table-rules.ts';

interface TableTransactionOptions {
  readonly session: PostgresConnection;
  readonly tables: Tables;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly shapes: KnownShapes;
}

/** The end of the transaction of a unit, with what it has added to the log; null where it has added nothing. */
export interface TableResult {
  readonly outcome: CommittedUnit | Refusal;
  readonly own: OwnCommit | null;
}

/**
 * One transaction of a unit that writes tables of another program. Their rows come first, and wait for locks of others
 * before numbers of the log are allocated: no reader of the log waits for them. What is recorded is that of the rows as
 * the database has completed them.
 */
export class TableTransaction {
  readonly #options: TableTransactionOptions;
  readonly #unit: WriteUnit;
  readonly #written = new Map<number, WrittenTableRow>();

  constructor(options: TableTransactionOptions, unit: WriteUnit) {
    this.#options = options;
    this.#unit = unit;
  }

  /** Runs the unit, and commits it unless it is refused, or dry. @throws where the database fails */
  async run(): Promise<TableResult> {
    const { as } = this.#unit;
    const role = as === undefined ? [] : [becomeCaller(as)];
    const refusal = (await this.#begin()) ?? (await this.#writeAs(role));
    if (refusal !== null) return this.#end(refusal);
    const settled = settleUnit(this.#unit, this.#written);
    const { session, tables } = this.#options;
    const unit = { ...settled, plans: await queueBehind(session, tables, settled.plans) };
    const isRecorded = unit.dry !== true || !unit.plans.every(isWritten);
    const recorded = isRecorded ? await this.#record(unit) : null;
    const own = recorded?.outcome ?? null;
    if (own !== null && own.kind !== 'committed') return this.#end(own);
    const broken = as === undefined ? ((await this.#findBroken()) ?? (await this.#judge([JUDGE_DEFERRED]))) : null;
    const outcome = broken ?? commitTables(this.#unit, this.#written, own?.revisions);
    if (recorded === null || outcome.kind !== 'committed' || unit.dry === true) return this.#end(outcome);
    const { transaction } = recorded;
    await transaction.commit();
    return { outcome, own: { ...transaction.states, plans: unit.plans.filter((plan) => !isWritten(plan)) } };
  }

  async #end(outcome: TableResult['outcome']): Promise<TableResult> {
    await this.#options.session.query('rollback');
    return { outcome, own: null };
  }

  /**
   * Begins, and locks the names of records, and the rows that the unit refers to. A deletion of one locks it alone: it
   * comes before the reference, which is refused, or it finds the reference.
   */
  async #begin(): Promise<Refusal | null> {
    const { tables, now } = this.#options;
    const { plans, records = [] } = this.#unit;
    const locks = lockParts(tables, [this.#unit], listUnguarded(tables, plans));
    const opening: readonly Statement[] = [{ text: 'begin', values: [] }, ...locks];
    const found = records.map(({ name }) => tables.system.hasRecord(name, now));
    const answers = await this.#send([...opening, ...found]);
    const at = answers.slice(opening.length).findIndex(({ count }) => count > 0);
    const record = records[at];
    return record === undefined ? null : { kind: 'recorded', name: record.name };
  }

  #send(statements: readonly Statement[]): Promise<readonly QueryResult[]> {
    return allAnswers(statements.map(({ text, values }) => this.#options.session.query(text, values)));
  }

  /**
   * Writes the rows as the caller of the unit. What is recorded of them is written as the server.
   *
   * @param role the statement that gives the transaction the role of the caller; none for the server
   * @throws {RoleForbidden} after the transaction is rolled back
   */
  async #writeAs(role: readonly Statement[]): Promise<Refusal | null> {
    try {
      await this.#send(role);
      const refusal = await this.#writeRows();
      // A caller refers to rows that it may read. Such models have no own rows.
      return role.length === 0 ? refusal : (refusal ?? (await this.#findBroken()) ?? (await this.#judge(RESIGN)));
    } catch (error) {
      const { as } = this.#unit;
      const reported = as === undefined ? error : callerError(error, as);
      if (reported instanceof RoleForbidden) await this.#options.session.query('rollback');
      throw reported;
    }
  }

  /** Finds what the database has deferred, and refuses. @param statements those that judge it */
  async #judge(statements: readonly Statement[]): Promise<Refusal | null> {
    const last = this.#unit.plans.findLastIndex(({ resource }) => this.#options.tables.of(resource).existing !== null);
    const plan = this.#unit.plans[last];
    try {
      await this.#send(statements);
      return null;
    } catch (error) {
      if (plan === undefined || !isOfStatement(error)) throw error;
      return this.#explain(plan, last, error);
    }
  }

  #explain(plan: ExistingRowPlan, index: number, error: unknown): Promise<Refusal> {
    const { as = null } = this.#unit;
    return explainFailure({ ...this.#options, caller: as }, { plan, index }, error);
  }

  /** Writes the rows of tables of another program, in the order of the plans. */
  async #writeRows(): Promise<Refusal | null> {
    const { tables } = this.#options;
    const keys = new Set<string>();
    for (const [index, plan] of this.#unit.plans.entries()) {
      if (tables.of(plan.resource).existing === null) continue;
      // Rows that a subtransaction writes twice have one revision: a later write could not find the first one.
      const key = JSON.stringify([plan.resource, plan.id]);
      if (keys.has(key)) await this.#send([{ text: 'savepoint again', values: [] }]);
      keys.add(key);
      const refusal = await this.#writeRow(plan, index);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  async #writeRow(plan: ExistingRowPlan, index: number): Promise<Refusal | null> {
    const { tables } = this.#options;
    const write = writeRow(tables, plan, resolveExpected(plan, this.#written));
    if (write.kind === 'misfit')
      return { kind: 'rule', plan: index, reason: 'invalid', field: write.field, message: write.message };
    try {
      const marks = markOwnWrite(tables, plan.resource);
      // The key of a row that exists stays. The row can be read without an answer to its write.
      const known = plan.kind === 'update' || plan.kind === 'detach' ? [readRow(tables, plan.resource, plan.id)] : [];
      const answers = await this.#send([...marks, write.statement, ...known]);
      const changed = answers[marks.length];
      if (plan.kind !== 'create' && (changed?.count ?? 0) === 0) return await this.#unchanged(plan, index);
      if (plan.kind === 'delete') return this.#deleted(index);
      const id = changed?.rows[0]?.['id'];
      const read = answers[marks.length + 1] ?? (await this.#send([readRow(tables, plan.resource, String(id))]))[0];
      const stored = read?.rows[0];
      // A trigger, or a policy of the database, has hidden the row.
      if (stored === undefined) return { kind: 'rule', plan: index, reason: 'invalid', field: null, message: null };
      const table = tables.of(plan.resource);
      const row = table.decode({ ...stored });
      const other = refuseOtherKey(table, plan, row);
      if (other !== null)
        return { kind: 'rule', plan: index, reason: 'invalid', field: other.field, message: other.message };
      this.#written.set(index, { row, revision: row.revision });
      return null;
    } catch (error) {
      if (!isOfStatement(error)) throw error;
      return this.#explain(plan, index, error);
    }
  }

  #deleted(index: number): null {
    this.#written.set(index, { row: null, revision: DELETED });
    return null;
  }

  /** Finds the reason for which a statement has changed no row: the row is another one, or a policy protects it. */
  async #unchanged(plan: ExistingRowPlan, index: number): Promise<Refusal> {
    const table = this.#options.tables.of(plan.resource);
    const [read] = await this.#send([readRow(this.#options.tables, plan.resource, plan.id)]);
    const stored = read?.rows[0];
    const isSame =
      stored !== undefined && table.decode({ ...stored }).revision === resolveExpected(plan, this.#written);
    if (!isSame) return { kind: 'stale', plan: index };
    return { kind: 'rule', plan: index, reason: 'forbidden', field: null, message: null };
  }

  /** Finds a reference to no row that the unit leaves, once all of its rows are written. */
  async #findBroken(): Promise<Refusal | null> {
    const probes = referenceProbes(this.#options.tables, this.#unit.plans);
    const statements = listProbes(probes);
    const answers = await this.#send(statements);
    return explainProbes(probes, (statement) => answers[statements.indexOf(statement)]?.rows ?? []);
  }

  /** Allocates numbers, and runs what is left of the unit: own rows, events and records. */
  async #record(
    unit: WriteUnit,
  ): Promise<{ readonly outcome: CommittedUnit | Refusal; readonly transaction: UnitTransaction }> {
    const { session, tables, now, shapes } = this.#options;
    const transaction = await UnitTransaction.begin({ session, tables, units: [unit], now, shapes, isBegun: true });
    const [result] = unit.plans.every(isWritten)
      ? ((await transaction.runTogether([unit])) ?? [])
      : [await transaction.runAlone(unit)];
    if (result === undefined) throw new Error('The events of rows of a table that exists could not be written');
    if ('error' in result) throw result.error;
    return { outcome: result.outcome, transaction };
  }
}
