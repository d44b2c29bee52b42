import type { Count, ListPlan, Page } from '../../plan/plan.ts';
import type { DeadlineChecks, Statement } from '../sql/dialect.ts';
import { countStatement, countsWholeCollection, listStatement } from '../sql/read/read-statements.ts';
import type { Tables } from '../sql/tables.ts';
import { after, type MaybePromise } from '../../platform/maybe-promise.ts';
import type { BatchRows } from './read-pool/statement-batch.ts';
import { STORED_COUNT, type ReadScheduler } from './read-pool/read-scheduler.ts';

/** Reads a page. One that is counted is read and counted in one transaction: no commit of another process falls between. */
export function readList(tables: Tables, place: ReadScheduler, plan: ListPlan): MaybePromise<Page> {
  const { resource, effort } = plan;
  const statements = (looks: DeadlineChecks): readonly Statement[] => [
    listStatement(tables, plan, looks),
    ...totalStatements(tables, plan, looks),
  ];
  return after(place.read({ resource, effort, statements }), (rows) => pageOf(tables, plan, rows));
}

/** What counts the rows of a plan; nothing where it does not ask. */
function totalStatements(tables: Tables, plan: ListPlan, looks: DeadlineChecks): readonly Statement[] {
  if (plan.count.kind === 'none') return [];
  if (countsWholeCollection(plan)) return [{ text: STORED_COUNT, values: [plan.resource] }];
  return [countStatement(tables, plan, plan.count.kind === 'capped' ? plan.count.cap : null, looks)];
}

/** The page of the rows that were read, and of the row that counts them, where there is one: a resource that never had a row has none. */
function pageOf(tables: Tables, plan: ListPlan, [reads = [], counts = []]: BatchRows): Page {
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
