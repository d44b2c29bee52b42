import type { Json } from '../../conventions/json/json.ts';
import type { Dependent, Resource } from '../../model/model.ts';
import { deletionOrder, type ReferenceEdge } from '../../plan/write/deletion-order.ts';
import { expectedRevision } from '../../plan/write/pending-revisions.ts';
import { keyMembers } from '../../model/row-key.ts';
import type { PathCondition } from '../../plan/condition.ts';
import type { Columns, Row, WritePlan } from '../../plan/plan.ts';
import { heldAncestors, rowKey } from '../../plan/row-address.ts';
import {
  type CurrentRow,
  deletedColumns,
  deletePlan,
  updatePlan,
  type WriteAuthor,
} from '../../plan/write/write-plan.ts';
import type { Reader } from '../caller.ts';
import { hasDependents, tooManyDependents } from '../failures.ts';
import { findAncestors } from '../read/item.ts';

/** Most rows that one DELETE deletes or changes (MET-4). */
const MAX_DELETED = 10_000;
/**
 * Characters of text and bytes of binary values that one DELETE reads of dependent rows: all are in memory until it
 * commits.
 */
const MAX_SIZE = 67_108_864;

interface RowToDelete extends CurrentRow {
  /** References to this row. Referring rows that are deleted too are deleted first. */
  readonly referrers: ReferenceEdge[];
}

interface RowToNullify extends CurrentRow {
  readonly values: Record<string, Json>;
}

/** The plans of a deletion, and the rows that it deletes. */
export interface CascadePlans {
  readonly plans: readonly WritePlan[];
  readonly deleted: readonly { readonly resource: Resource; readonly row: Row }[];
}

/**
 * Plans the deletion of a row and of its dependents: `cascade` deletes, `nullify` unsets, `restrict` refuses (MET-4).
 * Referring rows come before the row that they refer to. Foreign keys of the database guard against writes between this
 * read and the deletion.
 *
 * @param source of all rows, whatever the caller may see: a hidden dependent still depends
 * @throws {ApiError} {R}_HAS_DEPENDENTS
 */
export async function planCascade(target: CurrentRow, author: WriteAuthor, source: Reader): Promise<CascadePlans> {
  const cascade = new Cascade(target.resource, author, source);
  await cascade.delete(target);
  await cascade.refuseRestricted();
  return { plans: cascade.plans(cascadeKey(target)), deleted: cascade.deleted };
}

class Cascade {
  /** The resource of the request, whose code every refusal has. */
  readonly #target: Resource;
  readonly #author: WriteAuthor;
  readonly #source: Reader;
  /** The remaining size that dependent rows may have. */
  #left = MAX_SIZE;
  readonly #toDelete = new Map<string, RowToDelete>();
  /**
   * Rows that lose references, by key. A row that refers to several deleted rows is changed once, and a row that is
   * deleted too is not changed.
   */
  readonly #toNullify = new Map<string, RowToNullify>();

  constructor(target: Resource, author: WriteAuthor, source: Reader) {
    this.#target = target;
    this.#author = author;
    this.#source = source;
  }

  get deleted(): CascadePlans['deleted'] {
    return [...this.#toDelete.values()];
  }

  async delete(located: CurrentRow): Promise<void> {
    const { resource } = located;
    const entry: RowToDelete = { ...located, referrers: [] };
    this.#toDelete.set(cascadeKey(located), entry);
    for (const dependent of resource.dependents) {
      if (dependent.onDelete === 'restrict') continue;
      const others = await this.#referring(dependent, located, MAX_DELETED + 1);
      this.#checkSize(others.map(cascadeKey));
      for (const other of others) {
        entry.referrers.push({
          from: cascadeKey(other),
          field: dependent.field,
          nullable: this.#isNullable(dependent),
        });
        if (dependent.onDelete === 'nullify') await this.#nullify(dependent, other, located.row.id);
        else if (!this.#toDelete.has(cascadeKey(other))) await this.delete(await this.#located(dependent, other));
      }
    }
  }

  /** Refuses the deletion if a row that stays refers to one that is deleted. */
  async refuseRestricted(): Promise<void> {
    for (const entry of this.#toDelete.values()) {
      for (const dependent of entry.resource.dependents) {
        if (dependent.onDelete !== 'restrict') continue;
        for (const other of await this.#referring(dependent, entry, this.#toDelete.size + 1)) {
          const from = cascadeKey(other);
          if (!this.#toDelete.has(from)) throw hasDependents(this.#target, other.resource);
          entry.referrers.push({ from, field: dependent.field, nullable: this.#isNullable(dependent) });
        }
      }
    }
  }

  plans(root: string): readonly WritePlan[] {
    const author = this.#author;
    const { order, detached } = deletionOrder(root, (key) =>
      (this.#toDelete.get(key)?.referrers ?? []).filter(({ from }) => this.#toDelete.has(from) && from !== key),
    );
    const remaining = [...this.#toNullify].filter(([key]) => !this.#toDelete.has(key)).map(([, entry]) => entry);
    const updates = remaining.map((entry) => updatePlan(author, entry, { ...entry.row, ...entry.values }));
    const deletions = order.flatMap((key) => {
      const entry = this.#toDelete.get(key);
      return entry === undefined ? [] : [deletePlan(author, entry)];
    });
    return [...updates.filter((plan) => plan !== null), ...this.#detach(detached, author.origin.at), ...deletions];
  }

  /** Unsets the references between deleted rows that must be unset before the deletion. */
  #detach(edges: readonly ReferenceEdge[], at: string): readonly WritePlan[] {
    return edges.flatMap(({ from, field }) => {
      const entry = this.#toDelete.get(from);
      if (entry === undefined) return [];
      const { resource, row, within } = entry;
      const values = { [field]: Array.isArray(row[field]) ? [] : null };
      const revision = expectedRevision(row.revision);
      return [{ kind: 'detach', resource: resource.name, id: row.id, within, revision, values, at, event: null }];
    });
  }

  #checkSize(found: readonly string[]): void {
    const more = found.filter((key) => !this.#toDelete.has(key) && !this.#toNullify.has(key));
    if (this.#toDelete.size + this.#toNullify.size + more.length > MAX_DELETED)
      throw tooManyDependents(this.#target, MAX_DELETED);
  }

  async #nullify(dependent: Dependent, other: CurrentRow, id: string): Promise<void> {
    const { field, many } = dependent;
    const key = cascadeKey(other);
    const entry = this.#toNullify.get(key) ?? { ...(await this.#located(dependent, other)), values: {} };
    const value = entry.values[field] ?? other.row[field] ?? null;
    entry.values[field] = many && Array.isArray(value) ? value.filter((item) => item !== id) : null;
    this.#toNullify.set(key, entry);
  }

  /**
   * Reads the rows that refer to a row: its children, those below the same parent, or any. Their ancestors are those
   * that their keys need.
   */
  async #referring(dependent: Dependent, target: CurrentRow, limit: number): Promise<readonly CurrentRow[]> {
    const { field, many, child } = dependent;
    const resource = this.#resource(dependent.resource);
    const { id } = target.row;
    const siblings = resource.field.get(field)?.reference?.siblings === true ? target.within : [];
    const within = child ? [{ resource: target.resource.name, id }, ...target.within] : siblings;
    const refers: PathCondition = many
      ? { path: field, operator: 'contains', value: id }
      : { path: field, operator: 'in', values: [id] };
    const columns = this.#columns(dependent);
    const page = await this.#source.rows.list({
      kind: 'list',
      resource: resource.name,
      within,
      filter: child ? [] : [refers],
      order: keyMembers(resource).map((path) => ({ path, descending: false })),
      window: { kind: 'seek', after: null, backward: false, limit },
      count: { kind: 'none' },
      effort: many ? 'unbounded' : 'light',
      maxSize: this.#left,
      ...(columns === null ? {} : { columns }),
    });
    this.#left -= page.size;
    if (this.#left < 0 || (page.more && page.rows.length < limit)) throw tooManyDependents(this.#target, MAX_DELETED);
    const { resources } = this.#source.contract.model;
    return page.rows.map((row) => {
      return { resource, row, within: within.length > 0 ? within : heldAncestors(resource, row, resources) };
    });
  }

  /**
   * Selects the columns that the plans and hooks of a dependent row read; null for all. A row that refuses the deletion
   * is read by its key.
   */
  #columns({ resource: name, onDelete }: Dependent): Columns | null {
    const resource = this.#resource(name);
    if (onDelete === 'restrict') return resource.parentKey.slice(0, 1);
    return onDelete === 'nullify' || resource.hooks.before.delete !== null
      ? null
      : deletedColumns(this.#author, resource);
  }

  /** Finds the ancestors of a row that was found by a reference, unless it was found below them. */
  async #located({ field, child }: Dependent, found: CurrentRow): Promise<CurrentRow> {
    const { resource, row } = found;
    const isBelow = child || resource.field.get(field)?.reference?.siblings === true;
    return isBelow ? found : { ...found, within: await findAncestors(resource, row, this.#source) };
  }

  /** True if a reference can be unset, so that its target can be deleted first. */
  #isNullable({ resource, field, many, child }: Dependent): boolean {
    return !child && (many || this.#resource(resource).properties.get(field)?.nullable === true);
  }

  #resource(name: string): Resource {
    return this.#source.contract.resourceOf(name).resource;
  }
}

function cascadeKey({ resource, row, within }: CurrentRow): string {
  return rowKey(resource, { id: row.id, within });
}
