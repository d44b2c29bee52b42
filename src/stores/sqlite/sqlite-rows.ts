import type {
  Ancestor,
  ItemPlan,
  ListPlan,
  LocatedRow,
  LookupPlan,
  Page,
  RelatedPlan,
  RelatedRows,
  StoredIdempotencyRecord,
  Row,
  WriteOutcome,
  WriteUnit,
} from '../../plan/plan.ts';
import type { DeadlineChecks, Statement } from '../sql/dialect.ts';
import { ancestorsStatement, itemStatement, rowExistsStatement } from '../sql/read/read-statements.ts';
import { outermostMissing } from '../sql/write/refusals.ts';
import { lookupRows, lookupStatement, relatedRows, relatedStatement } from '../sql/read/related-statements.ts';
import type { Tables } from '../sql/tables.ts';
import { after, type MaybePromise } from '../../platform/maybe-promise.ts';
import type { Bookmarks, ChangeStamps, IdempotencyRecords, RowReader, Writer } from '../store.ts';
import type { SqlRow } from './connection/sqlite-connection.ts';
import type { GroupCommit } from './commit/group-commit.ts';
import type { SqlChangeStamps } from './change-stamps.ts';
import { readList } from './list-reads.ts';
import type { MainConnection } from './connection/main-connection.ts';
import type { ReadScheduler } from './read-pool/read-scheduler.ts';

const FIND_RECORD =
  'select request, outcome, revisions, expires_at from restwright_memos where name = ? and expires_at > ?';

/** Rows of the declared resources in SQLite: read at once on the caller's thread but for heavy reads, written by group commit. */
export class SqliteRows implements RowReader, Writer, Bookmarks, IdempotencyRecords, ChangeStamps {
  readonly #main: MainConnection;
  readonly #tables: Tables;
  readonly #commits: GroupCommit;
  readonly #place: ReadScheduler;
  readonly #changes: SqlChangeStamps;

  constructor(
    main: MainConnection,
    tables: Tables,
    commits: GroupCommit,
    place: ReadScheduler,
    changes: SqlChangeStamps,
  ) {
    this.#changes = changes;
    this.#main = main;
    this.#tables = tables;
    this.#commits = commits;
    this.#place = place;
  }

  item(plan: ItemPlan): Row | null {
    const read = this.#first(itemStatement(this.#tables, plan));
    return read === null ? null : this.#tables.of(plan.resource).decode(read);
  }

  rowStamp(_resource: string, id: string): number {
    return this.#changes.rowStamp(id);
  }

  list(plan: ListPlan): MaybePromise<Page> {
    return this.#newest(readList(this.#tables, this.#place, plan));
  }

  lookup(plan: LookupPlan): MaybePromise<readonly LocatedRow[]> {
    const { resource, effort = 'bounded' } = plan;
    const statements = (): readonly Statement[] => [lookupStatement(this.#tables, plan)];
    return after(this.#newest(this.#place.read({ resource, effort, statements })), ([reads = []]) =>
      lookupRows(this.#tables, plan, reads),
    );
  }

  related(plan: RelatedPlan): MaybePromise<ReadonlyMap<string, RelatedRows>> {
    const { resource, effort = 'unbounded' } = plan;
    const statements = (looks: DeadlineChecks): readonly Statement[] => [relatedStatement(this.#tables, plan, looks)];
    return after(this.#newest(this.#place.read({ resource, effort, statements })), ([reads = []]) =>
      relatedRows(this.#tables, plan, reads),
    );
  }

  resourceStamps(resources: readonly string[]): readonly number[] {
    return resources.map((resource) => this.#changes.resourceStamp(resource));
  }

  missingAncestor(within: readonly Ancestor[]): Ancestor | null {
    if (within.length === 0) return null;
    const stands = this.#first(ancestorsStatement(this.#tables, within));
    return outermostMissing(within, (index) => stands?.[String(index)] === 1);
  }

  missingReferences(references: readonly Ancestor[]): readonly Ancestor[] {
    return references.filter(
      ({ resource, id }) => this.#first(rowExistsStatement(this.#tables, resource, id)) === null,
    );
  }

  commit(unit: WriteUnit, deadline?: number): Promise<WriteOutcome> {
    return this.#commits.commit(unit, deadline ?? null);
  }

  get pending(): number {
    return this.#commits.waiting;
  }

  get(name: string): string | null {
    const read = this.#main.reader().get('select value from restwright_bookmarks where name = ?', [name]);
    return read === null ? null : String(read['value']);
  }

  find(name: string, now: number): StoredIdempotencyRecord | null {
    const read = this.#main.reader().get(FIND_RECORD, [name, now]);
    if (read === null) return null;
    const revisions: readonly number[] = JSON.parse(String(read['revisions']));
    const [request, outcome] = [String(read['request']), String(read['outcome'])];
    return { request, outcome, revisions, expiresAt: Number(read['expires_at']) };
  }

  /** What another thread reads may be newer than what this turn has read: what is asked for afterwards is at least as new. */
  #newest<T>(read: MaybePromise<T>): MaybePromise<T> {
    if (read instanceof Promise) void read.then(this.#main.endReadTransaction, this.#main.endReadTransaction);
    return read;
  }

  #first({ text, values }: Statement): SqlRow | null {
    return this.#main.reader().get(text, values);
  }
}
