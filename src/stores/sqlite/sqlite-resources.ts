import type {
  Ancestor,
  ItemPlan,
  ListPlan,
  LocatedRow,
  LookupPlan,
  Page,
  RelatedPlan,
  RelatedRows,
  Remembered,
  Row,
  WriteOutcome,
  WriteUnit,
} from '../../plan/plan.ts';
import type { Looks, Statement } from '../sql/dialect.ts';
import { ancestorsStatement, itemStatement, standsStatement } from '../sql/read-statements.ts';
import { outermostMissing } from '../sql/refusals.ts';
import { lookedUp, lookupStatement, relatedRows, relatedStatement } from '../sql/related-statements.ts';
import type { Tables } from '../sql/tables.ts';
import { after, type MaybePromise } from '../../platform/maybe-promise.ts';
import type { Resources } from '../store.ts';
import type { Read } from './driver.ts';
import type { GroupCommit } from './group-commit.ts';
import type { LastChanges } from './last-changes.ts';
import { readList } from './list-reads.ts';
import type { MainConnection } from './main-connection.ts';
import type { ReadingPlace } from './reading-place.ts';

const FIND_MEMO =
  'select request, outcome, revisions, expires_at from restwright_memos where name = ? and expires_at > ?';

/** Rows of the declared resources in SQLite: read at once on the caller's thread but for heavy reads, written by group commit. */
export class SqliteResources implements Resources {
  readonly #main: MainConnection;
  readonly #tables: Tables;
  readonly #commits: GroupCommit;
  readonly #place: ReadingPlace;
  readonly #changes: LastChanges;

  constructor(main: MainConnection, tables: Tables, commits: GroupCommit, place: ReadingPlace, changes: LastChanges) {
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

  changeOf(_resource: string, id: string): number {
    return this.#changes.ofRow(id);
  }

  list(plan: ListPlan): MaybePromise<Page> {
    return this.#newest(readList(this.#tables, this.#place, plan));
  }

  lookup(plan: LookupPlan): MaybePromise<readonly LocatedRow[]> {
    const { resource, effort = 'bounded' } = plan;
    const statements = (): readonly Statement[] => [lookupStatement(this.#tables, plan)];
    return after(this.#newest(this.#place.read({ resource, effort, statements })), ([reads = []]) =>
      lookedUp(this.#tables, plan, reads),
    );
  }

  related(plan: RelatedPlan): MaybePromise<ReadonlyMap<string, RelatedRows>> {
    const { resource, effort = 'unbounded' } = plan;
    const statements = (looks: Looks): readonly Statement[] => [relatedStatement(this.#tables, plan, looks)];
    return after(this.#newest(this.#place.read({ resource, effort, statements })), ([reads = []]) =>
      relatedRows(this.#tables, plan, reads),
    );
  }

  changes(resources: readonly string[]): readonly number[] {
    return resources.map((resource) => this.#changes.ofResource(resource));
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
    const read = this.#main.toRead().get('select value from restwright_bookmarks where name = ?', [name]);
    return read === null ? null : String(read['value']);
  }

  remembered(name: string, now: number): Remembered | null {
    const read = this.#main.toRead().get(FIND_MEMO, [name, now]);
    if (read === null) return null;
    const revisions: readonly number[] = JSON.parse(String(read['revisions']));
    const [request, outcome] = [String(read['request']), String(read['outcome'])];
    return { request, outcome, revisions, expiresAt: Number(read['expires_at']) };
  }

  /** What another thread reads may be newer than what this turn has read: what is asked for afterwards is at least as new. */
  #newest<T>(read: MaybePromise<T>): MaybePromise<T> {
    if (read instanceof Promise) void read.then(this.#main.readAnew, this.#main.readAnew);
    return read;
  }

  #first({ text, values }: Statement): Read | null {
    return this.#main.toRead().get(text, values);
  }
}
