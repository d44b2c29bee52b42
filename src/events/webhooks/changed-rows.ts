import type { VisibleRows } from '../../operations/visible-rows.ts';
import type { ListRead, Row } from '../../plan/plan.ts';

/** Rows that are read at a time. */
const PAGE = 500;

/** The changes to the rows of a resource. */
export interface RowChanges {
  /** Rows that are new or have changed. */
  readonly changed: readonly Row[];
  /** The ids of rows that no longer exist. */
  readonly deleted: readonly string[];
}

const UNCHANGED: RowChanges = { changed: [], deleted: [] };

/**
 * Follows the rows of a top-level or nested resource. It reads those that have changed since the last time, by their
 * revisions. Where these do not increase with each commit, it reads again from the last revision below which no row
 * appears any more. A deletion shows in the row count alone: all ids are read only if the count is less than expected.
 */
export class ChangedRows {
  readonly #rows: VisibleRows;
  readonly #resource: string;
  /** The revisions of the rows by their ids. */
  readonly #known = new Map<string, number>();
  #stamp: number | null = null;
  /** All rows with a revision up to this one were read. */
  #revision = 0;

  /** @param resource with an index of `revision` */
  constructor(rows: VisibleRows, resource: string) {
    this.#rows = rows;
    this.#resource = resource;
  }

  /** Reads the changes since the last call; with the first call every row. Do not call it while it runs. */
  async read(): Promise<RowChanges> {
    const [stamp = 0] = await this.#rows.resourceStamps([this.#resource]);
    if (stamp === this.#stamp) return UNCHANGED;
    const settled = await this.#rows.settledRevision();
    const read = await this.#walk('revision', [{ path: 'revision', operator: 'gt', value: this.#revision }]);
    const changed = read.filter(({ id, revision }) => this.#known.get(id) !== revision);
    for (const { id, revision } of changed) this.#known.set(id, revision);
    // A row that was created meanwhile may offset one that was deleted: then the stamp has changed since it was read.
    const deleted = (await this.#count()) < this.#known.size ? await this.#absent() : [];
    for (const id of deleted) this.#known.delete(id);
    const last = read.at(-1)?.revision ?? this.#revision;
    this.#revision = Math.max(this.#revision, Math.min(last, settled ?? last));
    this.#stamp = stamp;
    return { changed: changed.filter(({ id }) => this.#known.has(id)), deleted };
  }

  async #absent(): Promise<readonly string[]> {
    const present = new Set((await this.#walk('id', [])).map(({ id }) => id));
    return [...this.#known.keys()].filter((id) => !present.has(id));
  }

  /** Reads all rows of a filter in the order of a member. Without a filter only the ids are read. */
  async #walk(path: 'id' | 'revision', filter: ListRead['filter']): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (;;) {
      const last = rows.at(-1);
      const position = path === 'id' ? [last?.id ?? ''] : [last?.revision ?? 0, last?.id ?? ''];
      const page = await this.#rows.list({
        ...this.#plan,
        filter,
        order: (path === 'id' ? ['id'] : ['revision', 'id']).map((each) => ({ path: each, descending: false })),
        window: { kind: 'seek', after: last === undefined ? null : position, backward: false, limit: PAGE },
        count: { kind: 'none' },
        ...(filter.length === 0 ? { columns: [] } : {}),
      });
      rows.push(...page.rows);
      if (!page.more) return rows;
    }
  }

  async #count(): Promise<number> {
    const { total } = await this.#rows.list({
      ...this.#plan,
      filter: [],
      order: [{ path: 'id', descending: false }],
      window: { kind: 'seek', after: null, backward: false, limit: 1 },
      count: { kind: 'exact' },
      columns: [],
    });
    return total?.count ?? 0;
  }

  get #plan(): Pick<ListRead, 'kind' | 'resource' | 'within' | 'effort'> {
    return { kind: 'list', resource: this.#resource, within: [], effort: 'light' };
  }
}
