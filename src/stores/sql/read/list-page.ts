import type { Count, ListPlan, Page, Row } from '../../../plan/plan.ts';
import type { MaybePromise } from '../../../platform/maybe-promise.ts';
import { runSteps, type Steps } from '../../../platform/time-slices.ts';
import type { DeadlineChecks, SqlRow, Statement } from '../dialect.ts';
import type { BatchRead, BatchRows } from '../sql-client.ts';
import type { Table, Tables } from '../tables.ts';
import { countStatement, countsWholeCollection } from './read-statements.ts';
import { pageStatements } from './search-walk.ts';
import { measureSize } from './size-bound.ts';

/** Reads a page and counts its rows in one transaction, so that no commit of another process falls between. */
export function listBatch(tables: Tables, plan: ListPlan): BatchRead {
  return {
    resource: plan.resource,
    effort: plan.effort,
    statements: (checks) => [...pageStatements(tables, plan, checks), ...countStatements(tables, plan, checks)],
  };
}

function countStatements(tables: Tables, plan: ListPlan, checks: DeadlineChecks): readonly Statement[] {
  if (plan.count.kind === 'none') return [];
  if (countsWholeCollection(tables.of(plan.resource), plan)) return [tables.system.rowCount(plan.resource)];
  return [countStatement(tables, plan, plan.count.kind === 'capped' ? plan.count.cap : null, checks)];
}

/** Characters of rows up to which they are decoded together: it takes a few milliseconds. */
const ONE_PIECE = 262_144;

/** The rows of a page, as far as they are decoded, and their size. */
interface DecodedRows {
  readonly rows: Row[];
  size: number;
}

/**
 * The page of a list batch; large rows are decoded in time slices. The row count of a resource that never had a row is
 * missing.
 */
export function decodePage(tables: Tables, plan: ListPlan, batch: BatchRows): MaybePromise<Page> {
  const pages = plan.count.kind === 'none' ? batch : batch.slice(0, -1);
  const reads = pages.find((rows) => rows.length > 0) ?? [];
  const counts = plan.count.kind === 'none' ? [] : (batch.at(-1) ?? []);
  const table = tables.of(plan.resource);
  const decoded: DecodedRows = { rows: [], size: 0 };
  const isDone = decodeUpTo(ONE_PIECE, table, { plan, reads, decoded });
  if (isDone) return pageWith(table, { plan, reads, decoded }, counts);
  return decodeLargePage(table, { plan, reads, decoded }, counts);
}

async function decodeLargePage(table: Table, decoding: Decoding, counts: readonly SqlRow[]): Promise<Page> {
  await runSteps(decodeRest(table, decoding));
  return pageWith(table, decoding, counts);
}

/** Rows that are being decoded. */
interface Decoding {
  readonly plan: ListPlan;
  readonly reads: readonly SqlRow[];
  readonly decoded: DecodedRows;
}

function* decodeRest(table: Table, decoding: Decoding): Steps<void> {
  while (!decodeUpTo(decoding.decoded.size, table, decoding)) yield;
}

/**
 * Decodes rows until they have more characters than a number.
 *
 * @returns whether all within the limit of the plan and its size are decoded
 */
function decodeUpTo(most: number, table: Table, { plan, reads, decoded }: Decoding): boolean {
  const { window, columns, order, maxSize = Infinity } = plan;
  const { rows } = decoded;
  const sized = table.sized(columns);
  while (rows.length < window.limit) {
    const read = reads[rows.length];
    if (read === undefined) return true;
    const size = decoded.size + measureSize(read, sized);
    if (rows.length > 0 && size > maxSize) return true;
    rows.push(table.decode(read, order));
    decoded.size = size;
    if (size > most) return false;
  }
  return true;
}

function pageWith(table: Table, { plan, reads, decoded }: Decoding, counts: readonly SqlRow[]): Page {
  const { window, count } = plan;
  const { rows, size } = decoded;
  const more = reads.length > rows.length;
  if (window.kind === 'seek' && window.backward) rows.reverse();
  const total = count.kind === 'none' ? null : capTotal(table, plan, count, Number(counts[0]?.['count'] ?? 0));
  return { rows, more, total, size };
}

function capTotal(
  table: Table,
  plan: ListPlan,
  count: Exclude<Count, { kind: 'none' }>,
  counted: number,
): NonNullable<Page['total']> {
  const cap = count.kind === 'capped' && !countsWholeCollection(table, plan) ? count.cap : counted;
  return { count: Math.min(counted, cap), exact: counted <= cap };
}
