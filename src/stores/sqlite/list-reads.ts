import type { Count, ListPlan, Page } from '../../plan/plan.ts';
import type { Statement } from '../sql/dialect.ts';
import { countStatement, countsWholeCollection, listStatement } from '../sql/read-statements.ts';
import type { Tables } from '../sql/tables.ts';
import type { Awaitable } from '../store.ts';
import type { Deadline } from './deadline.ts';
import type { Connection, Read } from './driver.ts';
import type { HeavyReads } from './heavy-reads.ts';
import { type Reading, readTogether, type RowsRead } from './reading.ts';

/** The number of all rows of a resource, which every commit keeps (PAGE-9). */
const KEPT_COUNT = 'select count from restwright_counts where resource = ?';

/** Where the lists of a store are read. */
export interface ListReadsOptions {
  /** On the caller's thread. */
  readonly reader: Connection;
  readonly deadline: Deadline;
  /** null for a database that only one connection can see. */
  readonly heavy: HeavyReads | null;
  /** Rows of a collection up to which every read of it is done on the caller's thread. */
  readonly rowsInPlace: number;
}

/** Reads lists: on the caller's thread what ends soon, apart from it what may take long. */
export class ListReads {
  readonly #tables: Tables;
  readonly #where: ListReadsOptions;

  constructor(tables: Tables, where: ListReadsOptions) {
    this.#tables = tables;
    this.#where = where;
  }

  /** A page that is counted is read and counted in one transaction: no commit of another process falls between. */
  read(plan: ListPlan): Awaitable<Page> {
    const { heavy } = this.#where;
    const reading = [listStatement(this.#tables, plan), ...totalStatements(this.#tables, plan)];
    if (heavy === null || plan.effort === 'light' || this.#isSmall(plan.resource)) {
      return pageOf(this.#tables, plan, this.#inPlace(plan, reading));
    }
    return heavy.read(reading).then((rows) => pageOf(this.#tables, plan, rows));
  }

  #inPlace({ effort }: ListPlan, reading: Reading): RowsRead {
    const { reader, deadline } = this.#where;
    if (effort === 'unbounded') deadline.begin();
    return readTogether(reader, reading);
  }

  #isSmall(resource: string): boolean {
    return countIn(this.#where.reader.get(KEPT_COUNT, [resource])) <= this.#where.rowsInPlace;
  }
}

/** What counts the rows of a plan; nothing where it does not ask. */
function totalStatements(tables: Tables, plan: ListPlan): readonly Statement[] {
  if (plan.count.kind === 'none') return [];
  if (countsWholeCollection(plan)) return [{ text: KEPT_COUNT, values: [plan.resource] }];
  return [countStatement(tables, plan, plan.count.kind === 'capped' ? plan.count.cap : null)];
}

/** The page of the rows that were read, and of the row that counts them, where there is one. */
function pageOf(tables: Tables, plan: ListPlan, [reads = [], counts = []]: RowsRead): Page {
  const { window, count } = plan;
  const table = tables.of(plan.resource);
  const rows = reads.map((read) => table.decode(read));
  const more = rows.length > window.limit;
  if (more) rows.pop();
  if (window.kind === 'seek' && window.backward) rows.reverse();
  return { rows, more, total: count.kind === 'none' ? null : totalOf(plan, count, countIn(counts[0] ?? null)) };
}

function totalOf(plan: ListPlan, count: Exclude<Count, { kind: 'none' }>, counted: number): NonNullable<Page['total']> {
  const cap = count.kind === 'capped' && !countsWholeCollection(plan) ? count.cap : counted;
  return { count: Math.min(counted, cap), exact: counted <= cap };
}

/** The number in a row that counts; a resource that never had a row has none. */
function countIn(read: Read | null): number {
  return Number(read?.['count'] ?? 0);
}
