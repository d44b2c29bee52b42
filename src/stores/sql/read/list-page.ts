import type { Count, ListPlan, Page, Row } from '../../../plan/plan.ts';
import type { DeadlineChecks, SqlRow, Statement } from '../dialect.ts';
import type { BatchRead, BatchRows } from '../sql-client.ts';
import type { Table, Tables } from '../tables.ts';
import { countStatement, countsWholeCollection, listStatement } from './read-statements.ts';
import { sizeOf } from './size-bound.ts';

/** Reads a page and counts its rows in one transaction, so that no commit of another process falls between. */
export function listBatch(tables: Tables, plan: ListPlan): BatchRead {
  return {
    resource: plan.resource,
    effort: plan.effort,
    statements: (checks) => [listStatement(tables, plan, checks), ...countStatements(tables, plan, checks)],
  };
}

function countStatements(tables: Tables, plan: ListPlan, checks: DeadlineChecks): readonly Statement[] {
  if (plan.count.kind === 'none') return [];
  if (countsWholeCollection(plan)) return [tables.system.rowCount(plan.resource)];
  return [countStatement(tables, plan, plan.count.kind === 'capped' ? plan.count.cap : null, checks)];
}

/** The page of a list batch. The row count of a resource that never had a row is missing. */
export function pageOf(tables: Tables, plan: ListPlan, [reads = [], counts = []]: BatchRows): Page {
  const { window, count } = plan;
  const { rows, size } = rowsOf(tables.of(plan.resource), plan, reads);
  const more = reads.length > rows.length;
  if (window.kind === 'seek' && window.backward) rows.reverse();
  const total = count.kind === 'none' ? null : totalOf(plan, count, Number(counts[0]?.['count'] ?? 0));
  return { rows, more, total, size };
}

/** The rows within the limit of the plan and its size. */
function rowsOf(
  table: Table,
  { window, columns, maxSize = Infinity }: ListPlan,
  reads: readonly SqlRow[],
): { readonly rows: Row[]; readonly size: number } {
  const sized = table.sized(columns);
  const rows: Row[] = [];
  let size = 0;
  for (const read of reads) {
    const own = sizeOf(read, sized);
    if (rows.length === window.limit || (rows.length > 0 && size + own > maxSize)) break;
    size += own;
    rows.push(table.decode(read));
  }
  return { rows, size };
}

function totalOf(plan: ListPlan, count: Exclude<Count, { kind: 'none' }>, counted: number): NonNullable<Page['total']> {
  const cap = count.kind === 'capped' && !countsWholeCollection(plan) ? count.cap : counted;
  return { count: Math.min(counted, cap), exact: counted <= cap };
}
