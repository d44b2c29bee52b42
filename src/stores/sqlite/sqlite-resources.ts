import type {
  Ancestor,
  Count,
  ItemPlan,
  ListPlan,
  Page,
  Remembered,
  Row,
  WriteOutcome,
  WriteUnit,
} from '../../plan/plan.ts';
import type { Statement } from '../sql/dialect.ts';
import {
  ancestorsStatement,
  countStatement,
  countsWholeCollection,
  itemStatement,
  listStatement,
  standsStatement,
} from '../sql/read-statements.ts';
import { outermostMissing } from '../sql/refusals.ts';
import type { Tables } from '../sql/tables.ts';
import type { Resources } from '../store.ts';
import type { Deadline } from './deadline.ts';
import type { Connection, Read } from './driver.ts';
import type { GroupCommit } from './group-commit.ts';

const FIND_MEMO =
  'select request, outcome, revisions, expires_at from restwright_memos where name = ? and expires_at > ?';

/** Rows of the declared resources in SQLite: read at once on the caller's thread, written by group commit. */
export class SqliteResources implements Resources {
  readonly #reader: Connection;
  readonly #tables: Tables;
  readonly #commits: GroupCommit;
  readonly #deadline: Deadline;

  constructor(reader: Connection, tables: Tables, commits: GroupCommit, deadline: Deadline) {
    this.#reader = reader;
    this.#tables = tables;
    this.#commits = commits;
    this.#deadline = deadline;
  }

  item(plan: ItemPlan): Row | null {
    const read = this.#first(itemStatement(this.#tables, plan));
    return read === null ? null : this.#tables.of(plan.resource).decode(read);
  }

  /** A page that is counted is read and counted in one transaction: no commit of another process falls between. */
  list(plan: ListPlan): Page {
    if (plan.heavy) this.#deadline.begin();
    if (plan.count.kind === 'none') return { ...this.#rows(plan), total: null };
    this.#reader.run('begin');
    try {
      return { ...this.#rows(plan), total: this.#total(plan, plan.count) };
    } finally {
      if (this.#reader.inTransaction) this.#reader.run('commit');
    }
  }

  missingAncestor(within: readonly Ancestor[]): Ancestor | null {
    if (within.length === 0) return null;
    const stands = this.#first(ancestorsStatement(this.#tables, within));
    return outermostMissing(within, (index) => stands?.[String(index)] === 1);
  }

  missingReferences(references: readonly Ancestor[]): readonly Ancestor[] {
    return references.filter(({ resource, id }) => this.#first(standsStatement(this.#tables, resource, id)) === null);
  }

  write(unit: WriteUnit, deadline?: number): Promise<WriteOutcome> {
    return this.#commits.write(unit, deadline ?? null);
  }

  bookmark(name: string): string | null {
    const read = this.#reader.get('select value from restwright_bookmarks where name = ?', [name]);
    return read === null ? null : String(read['value']);
  }

  remembered(name: string, now: number): Remembered | null {
    const read = this.#reader.get(FIND_MEMO, [name, now]);
    if (read === null) return null;
    const revisions: readonly number[] = JSON.parse(String(read['revisions']));
    const [request, outcome] = [String(read['request']), String(read['outcome'])];
    return { request, outcome, revisions, expiresAt: Number(read['expires_at']) };
  }

  #rows(plan: ListPlan): Omit<Page, 'total'> {
    const { text, values } = listStatement(this.#tables, plan);
    const table = this.#tables.of(plan.resource);
    const rows = this.#reader.all(text, values).map((read) => table.decode(read));
    const more = rows.length > plan.window.limit;
    if (more) rows.pop();
    if (plan.window.kind === 'seek' && plan.window.backward) rows.reverse();
    return { rows, more };
  }

  #total(plan: ListPlan, count: Exclude<Count, { kind: 'none' }>): NonNullable<Page['total']> {
    if (countsWholeCollection(plan)) return { count: this.#kept(plan.resource), exact: true };
    const cap = count.kind === 'capped' ? count.cap : null;
    const counted = Number(this.#first(countStatement(this.#tables, plan, cap))?.['count']);
    if (cap !== null && counted > cap) return { count: cap, exact: false };
    return { count: counted, exact: true };
  }

  /** The number of all rows of a resource, which every commit keeps (PAGE-9). */
  #kept(resource: string): number {
    const read = this.#reader.get('select count from restwright_counts where resource = ?', [resource]);
    return Number(read?.['count'] ?? 0);
  }

  #first({ text, values }: Statement): Read | null {
    return this.#reader.get(text, values);
  }
}
