import type { Count, ListPlan, Page } from '../../../plan/plan.ts';
import type { DeadlineChecks, Statement } from '../dialect.ts';
import type { BatchRead, BatchRows } from '../sql-client.ts';
import type { Tables } from '../tables.ts';
import { countStatement, countsWholeCollection, listStatement } from './read-statements.ts';

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
  const table = tables.of(plan.resource);
  const rows = reads.map((read) => table.decode(read));
  const more = rows.length > window.limit;
  if (more) rows.pop();
  if (window.kind === 'seek' && window.backward) rows.reverse();
  return { rows, more, total: count.kind === 'none' ? null : totalOf(plan, count, Number(counts[0]?.['count'] ?? 0)) };
}

function totalOf(plan: ListPlan, count: Exclude<Count, { kind: 'none' }>, counted: number): NonNullable<Page['total']> {
  const cap = count.kind === 'capped' && !countsWholeCollection(plan) ? count.cap : counted;
  return { count: Math.min(counted, cap), exact: counted <= cap };
}
