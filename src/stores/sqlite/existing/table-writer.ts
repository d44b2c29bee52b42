import type { Row } from '../../../plan/plan.ts';
import type { Refusal, WriteUnit } from '../../../plan/write-unit.ts';
import { DELETED } from '../../../plan/write/pending-revisions.ts';
import type { SqlRow, SqlValue, Statement } from '../../sql/dialect.ts';
import { readRow, refuseOtherKey, type ExistingRowPlan, writeRow } from '../../sql/existing/row-writes.ts';
import { explainProbes, referenceProbes } from '../../sql/existing/table-references.ts';
import {
  involvesTables,
  listTableStamps,
  resolveExpected,
  settleUnit,
  withOwnStamps,
  type WrittenPlans,
  type WrittenTableRow,
} from '../../sql/existing/table-unit.ts';
import type { Tables } from '../../sql/tables.ts';
import type { SqliteConnection } from '../connection/sqlite-connection.ts';
import { explainRule } from './explain-rule.ts';
import type { SourceStamps } from './source-stamps.ts';

interface TableWriterOptions {
  readonly connection: SqliteConnection;
  readonly tables: Tables;
  readonly stamps: Pick<SourceStamps, 'stampAt'>;
}

/** A unit whose rows of another program are written, and what is left of it; or the reason why it is refused. */
type TableWrites =
  | { readonly kind: 'written'; readonly unit: WriteUnit; readonly rows: WrittenPlans }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * Writes rows of tables of another program, in the transaction of their unit. It holds the write lock: no other program
 * writes between the read that compares the revision of a row, and its write.
 */
export class TableWriter {
  readonly #options: TableWriterOptions;
  #stamp = 0;
  /** True if the transaction has written a table. */
  #hasWritten = false;

  constructor(options: TableWriterOptions) {
    this.#options = options;
  }

  /** Begins a transaction. @param version that of the file */
  begin(version: SqlValue | undefined): void {
    this.#stamp = this.#options.stamps.stampAt(version);
    this.#hasWritten = false;
  }

  /**
   * Writes the rows of a unit, in the order of its plans; null for one that involves no table of another program.
   *
   * @param now milliseconds since the epoch
   * @throws where the database fails
   */
  write(unit: WriteUnit, now: number): TableWrites | null {
    const { tables } = this.#options;
    const stamps = listTableStamps(tables, unit);
    if (stamps.length === 0 && !unit.plans.some((plan) => involvesTables(tables, plan))) return null;
    const stale = stamps.find(({ stamp }) => this.#hasWritten || stamp !== this.#stamp);
    const known = this.#findRecord(unit, now) ?? (stale === undefined ? null : { kind: 'stale', plan: stale.plan });
    if (known !== null) return { kind: 'refused', refusal: known };
    const rows = new Map<number, WrittenTableRow>();
    for (const [index, plan] of unit.plans.entries()) {
      if (tables.of(plan.resource).existing === null) continue;
      const written = this.#writeRow(plan, index, resolveExpected(plan, rows));
      if ('kind' in written) return { kind: 'refused', refusal: written };
      this.#hasWritten = true;
      rows.set(index, written);
    }
    return { kind: 'written', unit: settleUnit(withOwnStamps(tables, unit), rows), rows };
  }

  /** Finds a reference to no row that a unit leaves. No foreign key guards those to and from tables of others. */
  findBroken({ plans }: WriteUnit): Refusal | null {
    return explainProbes(referenceProbes(this.#options.tables, plans), (probe) => this.#read(probe));
  }

  #findRecord({ records = [] }: WriteUnit, now: number): Refusal | null {
    const { system } = this.#options.tables;
    const known = records.find(({ name }) => this.#read(system.hasRecord(name, now)).length > 0);
    return known === undefined ? null : { kind: 'recorded', name: known.name };
  }

  #writeRow(plan: ExistingRowPlan, index: number, expected: number): WrittenTableRow | Refusal {
    const { connection, tables } = this.#options;
    const rule: Refusal = { kind: 'rule', plan: index, reason: 'invalid', field: null, message: null };
    if (plan.kind !== 'create' && this.#readRow(plan.resource, plan.id)?.revision !== expected)
      return { kind: 'stale', plan: index };
    const write = writeRow(tables, plan, expected);
    if (write.kind === 'misfit') return { ...rule, field: write.field, message: write.message };
    const { text, values } = write.statement;
    try {
      // A trigger may leave out a row.
      if (plan.kind === 'delete') return connection.run(text, values) > 0 ? { row: null, revision: DELETED } : rule;
      const id = connection.execute(text, values)[0]?.['id'];
      const row = typeof id === 'string' ? this.#readRow(plan.resource, id) : null;
      if (row === null) return rule;
      const other = refuseOtherKey(tables.of(plan.resource), plan, row);
      return other === null ? { row, revision: row.revision } : { ...rule, field: other.field, message: other.message };
    } catch (error) {
      return explainRule(this.#options, { plan, index }, error);
    }
  }

  #readRow(resource: string, id: string): Row | null {
    const { tables } = this.#options;
    const [found] = this.#read(readRow(tables, resource, id));
    return found === undefined ? null : tables.of(resource).decode({ ...found });
  }

  #read({ text, values }: Statement): readonly SqlRow[] {
    return this.#options.connection.all(text, values);
  }
}
