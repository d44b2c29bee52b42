import type { ExpectedStamp, Row, WritePlan } from '../../../plan/plan.ts';
import { type CommittedUnit, NO_ROWS, type WriteUnit } from '../../../plan/write-unit.ts';
import { DELETED } from '../../../plan/write/pending-revisions.ts';
import { referenceFields } from '../columns.ts';
import type { Tables } from '../tables.ts';
import type { ExistingRowPlan } from './row-writes.ts';

/** A row that a plan of a unit has written, and its new revision. */
export interface WrittenTableRow {
  /** null for a row that is deleted. */
  readonly row: Row | null;
  readonly revision: number;
}

/** The rows of tables of another program that a unit has written so far, by the indexes of their plans. */
export type WrittenPlans = ReadonlyMap<number, WrittenTableRow>;

/** True if a resource shows a table of another program. */
export function isOfTable(tables: Tables, resource: string): boolean {
  return tables.of(resource).existing !== null;
}

/** True if a plan concerns tables of another program: it writes one, or a row with references to or from one. */
export function involvesTables(tables: Tables, { kind, resource: name }: WritePlan): boolean {
  const { resource } = tables.of(name);
  const others =
    kind === 'delete'
      ? resource.dependents.map((dependent) => dependent.resource)
      : referenceFields(resource).map(({ target }) => target);
  return [name, ...others].some((each) => isOfTable(tables, each));
}

/** The stamps of tables of another program that a unit expects, each with the index of its plan. */
export function listTableStamps(
  tables: Tables,
  { plans, expectStamps = [] }: WriteUnit,
): readonly { readonly plan: number; readonly stamp: number }[] {
  const select = (expected: readonly ExpectedStamp[], plan: number): { plan: number; stamp: number }[] =>
    expected.filter(({ resource }) => isOfTable(tables, resource)).map(({ stamp }) => ({ plan, stamp }));
  return [
    ...select(expectStamps, 0),
    ...plans.flatMap((plan, index) => (plan.kind === 'create' ? select(plan.expectStamps ?? [], index) : [])),
  ];
}

/** Leaves out the stamps of tables of another program: none are stored. */
export function withOwnStamps(tables: Tables, unit: WriteUnit): WriteUnit {
  const { plans, expectStamps = [] } = unit;
  const select = (expected: readonly ExpectedStamp[]): readonly ExpectedStamp[] =>
    expected.filter(({ resource }) => !isOfTable(tables, resource));
  return {
    ...unit,
    plans: plans.map((plan) =>
      plan.kind === 'create' && plan.expectStamps !== undefined
        ? { ...plan, expectStamps: select(plan.expectStamps) }
        : plan,
    ),
    expectStamps: select(expectStamps),
  };
}

/** The revision that the row of a plan must still have. */
export function resolveExpected(plan: ExistingRowPlan, written: WrittenPlans): number {
  if (plan.kind === 'create') return DELETED;
  if (typeof plan.revision === 'number') return plan.revision;
  return written.get(plan.revision.plan)?.revision ?? DELETED;
}

/** True if the row of a plan is written already. */
export function isWritten({ written }: WritePlan): boolean {
  return written !== undefined;
}

/** The outcome of a unit. @param revisions those of all plans; none where own rows are not written */
export function commitTables(
  { plans }: WriteUnit,
  written: WrittenPlans,
  revisions: readonly number[] = [],
): CommittedUnit {
  const rows = new Map([...written].flatMap(([index, { row }]) => (row === null ? [] : [[index, row] as const])));
  const own = plans.map((_, index) => written.get(index)?.revision ?? DELETED);
  return { kind: 'committed', revisions: revisions.length === 0 ? own : revisions, rows };
}

/** The unit with what is recorded of the rows that are written: events, and records of the request. */
export function settleUnit(unit: WriteUnit, written: WrittenPlans): WriteUnit {
  const { plans, records = [] } = unit;
  const { rows = NO_ROWS } = commitTables(unit, written);
  return {
    ...unit,
    plans: plans.map((plan, index) => settlePlan(plan, written.get(index))),
    records: records.map((record) => {
      const { outcome } = record;
      return typeof outcome === 'string' ? record : { ...record, outcome: outcome(rows) };
    }),
  };
}

function settlePlan(plan: WritePlan, written: WrittenTableRow | undefined): WritePlan {
  if (written === undefined) return plan;
  const { row, revision } = written;
  if (row === null || plan.kind === 'detach') return { ...plan, written: revision };
  return { ...plan, ...plan.settle?.(row), written: revision };
}
