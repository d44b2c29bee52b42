import { EVERYTHING, type WritePlan } from '../../../plan/plan.ts';
import type { WriteUnit } from '../../../plan/write-unit.ts';
import { DELETED } from '../../../plan/write/pending-revisions.ts';
import type { Statement } from '../../sql/dialect.ts';
import { type ExistingRowPlan, readRow, refuseOtherKey, writeRow } from '../../sql/existing/row-writes.ts';
import { lookupStatement } from '../../sql/read/related-statements.ts';
import { explainProbes, listProbes, listUnguarded, referenceProbes } from '../../sql/existing/table-references.ts';
import { commitTables, settleUnit, type WrittenTableRow } from '../../sql/existing/table-unit.ts';
import type { Tables } from '../../sql/tables.ts';
import type { UnitResult } from '../../sql/write/unit-queue.ts';
import { mayRunAlone } from '../commit/commit-limits.ts';
import type { KnownShapes } from '../commit/known-shapes.ts';
import { UnitTransaction } from '../commit/unit-transaction.ts';
import { lockParts } from '../commit/write-locks.ts';
import type { PostgresConnection, QueryResult } from '../driver/pg.ts';
import { sqlState } from '../driver/postgres-errors.ts';
import { markOwnWrite, queueBehind } from '../triggers/own-entries.ts';

interface TableGroupOptions {
  readonly session: PostgresConnection;
  readonly tables: Tables;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly shapes: KnownShapes;
}

/** A group whose units are written, in a transaction to be committed. */
interface WrittenGroup {
  readonly kind: 'written';
  readonly transaction: UnitTransaction;
  readonly results: readonly UnitResult[];
}

/** A group that is rolled back, because of units that need transactions of their own. */
interface RefusedGroup {
  readonly kind: 'refused';
  /** The indexes of these units; all of them where they are not known. */
  readonly units: ReadonlySet<number>;
}

/** A row that a group writes. */
interface GroupRow {
  /** The index of its unit. */
  readonly unit: number;
  /** The index of its plan in the unit. */
  readonly index: number;
  readonly plan: ExistingRowPlan;
  readonly statement: Statement;
}

/** The code of a statement after one that failed in its transaction. */
const ABORTED = '25P02';

/** Checks if a unit may be written in a transaction with others: no plan needs what an earlier one has made. */
export function mayShare(tables: Tables, unit: WriteUnit): boolean {
  const { plans, expectStamps = [], removedBookmarks = [] } = unit;
  if (unit.as !== undefined || unit.dry === true || expectStamps.length > 0 || removedBookmarks.length > 0)
    return false;
  if (unit.delivery !== undefined || unit.bookmark !== undefined || plans.length === 0) return false;
  return new Set(listWritten({ plans })).size === plans.length && plans.every((plan) => isApart(tables, plan));
}

/** Checks if a plan writes a table of another program, and expects nothing but a revision that is known. */
function isApart(tables: Tables, plan: WritePlan): boolean {
  if ((tables.of(plan.resource).existing?.target ?? null) === null) return false;
  return plan.kind === 'create' ? (plan.expectStamps ?? []).length === 0 : typeof plan.revision === 'number';
}

/** Names the rows and records that a unit writes. Two units with one name are not written together. */
export function listWritten({ plans, records = [] }: Pick<WriteUnit, 'plans' | 'records'>): readonly string[] {
  const rows = plans.map(({ resource, id }) => JSON.stringify([resource, id]));
  return [...rows, ...records.map(({ name }) => `record ${name}`)];
}

/**
 * Units that write tables of another program, in one transaction. Locks, rows, reads of these rows and the numbers of
 * the log are sent together. A unit that is refused, or waits for a lock, is found by its statement. It is left
 * to a transaction of its own (`table-transaction.ts`), which finds the reason.
 */
export class TableGroup {
  readonly #options: TableGroupOptions;
  readonly #units: readonly WriteUnit[];
  /** The written rows of each unit, by the indexes of their plans. */
  readonly #written: readonly Map<number, WrittenTableRow>[];
  readonly #refused = new Set<number>();
  /** The first error of a statement. */
  #failure: unknown = null;

  constructor(options: TableGroupOptions, units: readonly WriteUnit[]) {
    this.#options = options;
    this.#units = units;
    this.#written = units.map(() => new Map());
  }

  /** Writes the units. A group that is refused is rolled back. @throws where the database fails */
  async run(): Promise<WrittenGroup | RefusedGroup> {
    const rows = this.#compile();
    if (rows === null) return { kind: 'refused', units: this.#refused };
    const transaction = await this.#write(rows);
    const results = transaction === null ? null : await this.#record(transaction);
    if (transaction !== null && results !== null) return { kind: 'written', transaction, results };
    if (this.#failure !== null && !mayRunAlone(this.#failure)) throw this.#failure;
    await this.#options.session.query('rollback');
    return { kind: 'refused', units: this.#refused.size > 0 ? this.#refused : new Set(this.#units.keys()) };
  }

  /** @returns null for units with values that no column holds */
  #compile(): readonly GroupRow[] | null {
    const rows = this.#units.flatMap((unit, at) =>
      unit.plans.flatMap((plan, index) => {
        const expected = plan.kind === 'create' ? DELETED : Number(plan.revision);
        const write = writeRow(this.#options.tables, plan, expected);
        if (write.kind === 'statement') return [{ unit: at, index, plan, statement: write.statement }];
        this.#refused.add(at);
        return [];
      }),
    );
    return this.#refused.size > 0 ? null : rows;
  }

  /**
   * Writes rows and reads them, then allocates the numbers of the log. All of it is sent together, unless the database
   * makes ids.
   *
   * @returns null where a unit is refused
   */
  async #write(rows: readonly GroupRow[]): Promise<UnitTransaction | null> {
    const opened = this.#open();
    const written = rows.map((row) => this.#writeRow(row));
    const hasIds = !rows.some(({ plan }) => plan.kind === 'create' && plan.hasDefaultId === true);
    const ids = hasIds ? rows.map(({ plan }) => plan.id) : await Promise.all(written);
    const read = this.#readRows(rows, ids);
    const begun = this.#begin();
    await Promise.all([opened, ...written, read]);
    const transaction = await begun;
    return this.#isRefused ? null : transaction;
  }

  get #isRefused(): boolean {
    return this.#failure !== null || this.#refused.size > 0;
  }

  /** Begins the transaction, and locks what the units write. */
  async #open(): Promise<void> {
    const plans = this.#units.flatMap((unit) => unit.plans);
    const locks = lockParts(this.#options.tables, this.#units, listUnguarded(this.#options.tables, plans));
    await Promise.all([{ text: 'begin', values: [] }, ...locks].map((each) => this.#send(each, null)));
  }

  /** Writes a row. @returns its id, as the database has it; null where it is not known */
  async #writeRow({ unit, plan, statement }: GroupRow): Promise<string | null> {
    for (const mark of markOwnWrite(this.#options.tables, plan.resource)) void this.#send(mark, unit);
    const answer = await this.#send(statement, unit);
    if (answer?.count === 0) this.#refused.add(unit);
    const id = answer?.rows[0]?.['id'];
    return id === undefined || id === null ? null : String(id);
  }

  /**
   * Reads rows as the database has completed them, with one statement for those of a resource. Triggers of later units
   * may have changed a row.
   */
  async #readRows(rows: readonly GroupRow[], ids: readonly (string | null)[]): Promise<void> {
    const found = rows.flatMap((row, at) => {
      const id = ids[at] ?? null;
      if (row.plan.kind !== 'delete') return id === null ? [] : [{ ...row, id }];
      this.#written[row.unit]?.set(row.index, { row: null, revision: DELETED });
      return [];
    });
    const byResource = Map.groupBy(found, ({ plan }) => plan.resource);
    await Promise.all([...byResource].map(([resource, known]) => this.#readTable(resource, known)));
  }

  async #readTable(resource: string, known: readonly (GroupRow & { readonly id: string })[]): Promise<void> {
    const { tables } = this.#options;
    const plan = { resource, rows: known.map(({ id }) => ({ id, within: [] })), visible: EVERYTHING };
    const [first] = known;
    const lone = known.length === 1 && first !== undefined ? readRow(tables, resource, first.id) : null;
    const answer = await this.#send(lone ?? lookupStatement(tables, plan), null);
    if (answer === null) return;
    const table = tables.of(resource);
    const read = new Map(answer.rows.map((stored) => table.decode({ ...stored })).map((row) => [row.id, row]));
    for (const { unit, index, plan: written, id } of known) {
      const row = read.get(id);
      if (row === undefined || refuseOtherKey(table, written, row) !== null) this.#refused.add(unit);
      else this.#written[unit]?.set(index, { row, revision: row.revision });
    }
  }

  async #begin(): Promise<UnitTransaction | null> {
    try {
      return await UnitTransaction.begin({ ...this.#options, units: this.#units, isBegun: true });
    } catch (error) {
      return this.#fail(error, null);
    }
  }

  /** Runs what is left of the units: events and records. @returns null where a unit is refused */
  async #record(transaction: UnitTransaction): Promise<readonly UnitResult[] | null> {
    const { session, tables } = this.#options;
    const settled = this.#units.map((unit, at) => settleUnit(unit, this.#written[at] ?? new Map()));
    const plans = await queueBehind(
      session,
      tables,
      settled.flatMap((unit) => unit.plans),
    );
    const left = plans.values();
    const units = settled.map((unit) => ({ ...unit, plans: [...left.take(unit.plans.length)] }));
    const probed = this.#probeReferences();
    const results = await transaction.runTogether(units);
    await probed;
    if (results === null || this.#isRefused) return null;
    return results.map((result, at) => this.#complete(result, at));
  }

  /** The result of a unit, with its rows. */
  #complete(result: UnitResult, at: number): UnitResult {
    const [unit, written] = [this.#units[at], this.#written[at]];
    if (unit === undefined || written === undefined || 'error' in result || result.outcome.kind !== 'committed')
      return result;
    return { outcome: commitTables(unit, written, result.outcome.revisions) };
  }

  /** Refuses the first unit that leaves a reference to no row. */
  async #probeReferences(): Promise<void> {
    const units = this.#units.flatMap((unit, at) => unit.plans.map(() => at));
    const probes = referenceProbes(
      this.#options.tables,
      this.#units.flatMap((unit) => unit.plans),
    );
    const statements = listProbes(probes);
    const answers = await Promise.all(statements.map((each) => this.#send(each, null)));
    const broken = explainProbes(probes, (statement) => answers[statements.indexOf(statement)]?.rows ?? []);
    if (broken !== null && 'plan' in broken) this.#refused.add(units[broken.plan] ?? 0);
  }

  /** Sends a statement. @returns null where it fails: its unit is refused, or all of them */
  async #send({ text, values }: Statement, unit: number | null): Promise<QueryResult | null> {
    try {
      return await this.#options.session.query(text, values);
    } catch (error) {
      return sqlState(error) === ABORTED ? null : this.#fail(error, unit);
    }
  }

  #fail(error: unknown, unit: number | null): null {
    this.#failure ??= error;
    if (unit !== null && mayRunAlone(error)) this.#refused.add(unit);
    return null;
  }
}
