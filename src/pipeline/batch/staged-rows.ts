import type { Json } from '../../conventions/json.ts';
import type { Model, Resource } from '../../model/model.ts';
import { pendingRevision } from '../../plan/pending-revisions.ts';
import { heldAncestors, rowKey } from '../../plan/row-address.ts';
import {
  type Ancestor,
  type Condition,
  EVERYTHING,
  type ItemPlan,
  type ListPlan,
  type LocatedRow,
  type LookupPlan,
  type Page,
  type ReferencedRow,
  type RelatedPlan,
  type RelatedRows,
  type Row,
  type RowPlan,
  type UpdatePlan,
  type VisibleAncestor,
  type VisibleReference,
  type WritePlan,
} from '../../plan/plan.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { ChangeStamps, RowReader } from '../../stores/store.ts';
import { hiddenMembers } from '../read/hidden-members.ts';
import type { RowSource } from '../read/visible-rows.ts';

/** No stored stamp has this value. */
const STAGED = -1;

/** A row as a unit would leave it; null for a deleted one. */
interface StagedRow extends ReferencedRow {
  readonly row: Row | null;
}

/**
 * The rows as the plans of a unit would leave them, before the unit is written: what later writes of an atomic batch are prepared against
 * (MET-13). What it leaves open, such as uniqueness, the store judges when the unit is written.
 */
export class StagedRows implements RowSource, RowReader, ChangeStamps {
  readonly rows: RowReader = this;
  readonly stamps: ChangeStamps = this;
  readonly #stored: RowSource;
  readonly #model: Model;
  readonly #plans: WritePlan[] = [];
  /** By key. */
  readonly #staged = new Map<string, StagedRow>();

  constructor(stored: RowSource, model: Model) {
    this.#stored = stored;
    this.#model = model;
  }

  /** Everything that was staged, in order. */
  get plans(): readonly WritePlan[] {
    return this.#plans;
  }

  async stage(plans: readonly WritePlan[]): Promise<void> {
    for (const plan of plans) {
      const index = this.#plans.push(plan) - 1;
      const { resource, id, within } = plan;
      this.#staged.set(this.#key(plan), { resource, id, within, row: await this.#after(plan, index) });
    }
  }

  async item(plan: ItemPlan): Promise<Row | null> {
    const staged = this.#staged.get(this.#key(plan));
    if (staged === undefined) return this.#stored.rows.item(plan);
    return isBelow(staged, plan.within) && (await this.missingAncestor(plan.within)) === null ? staged.row : null;
  }

  /** A staged row is read each time. */
  rowStamp(): null {
    return null;
  }

  /** A resource that the unit changes has a stamp that it never had. */
  async resourceStamps(resources: readonly string[]): Promise<readonly number[]> {
    const stored = await this.#stored.stamps.resourceStamps(resources);
    const changed = new Set(this.#plans.map(({ resource }) => resource));
    return stored.map((stamp, index) => (changed.has(resources[index] ?? '') ? STAGED : stamp));
  }

  async missingAncestor(within: readonly VisibleAncestor[]): Promise<VisibleAncestor | null> {
    for (const [above, ancestor] of [...within.entries()].reverse()) {
      const { resource, id, visible } = ancestor;
      const row = await this.item({ kind: 'item', resource, id, within: within.slice(above + 1), visible });
      if (row === null) return ancestor;
    }
    return null;
  }

  async missingReferences(references: readonly VisibleReference[]): Promise<readonly VisibleReference[]> {
    const unstaged = references.filter((reference) => !this.#staged.has(this.#key(reference)));
    const stored = unstaged.length === 0 ? [] : await this.#stored.rows.missingReferences(unstaged);
    const missing = new Set(stored.map((reference) => this.#key(reference)));
    return references.filter((reference) => {
      const staged = this.#staged.get(this.#key(reference));
      return staged === undefined ? missing.has(this.#key(reference)) : staged.row === null;
    });
  }

  /** Exact for the reads of a cascade: the children of a row, or rows that refer to it, by key. Other reads return the stored rows. */
  async list(plan: ListPlan): Promise<Page> {
    const [condition = null, ...others] = plan.filter;
    if (others.length > 0 || (condition === null && plan.within.length === 0)) return this.#stored.rows.list(plan);
    const limit = plan.window.limit + this.#staged.size;
    const stored = await this.#stored.rows.list({ ...plan, window: { ...plan.window, limit } });
    const untouched = stored.rows.filter((row) => !this.#staged.has(this.#keyOfRow(plan.resource, row)));
    const staged = [...this.#staged.values()].flatMap((each) => {
      const { resource, row } = each;
      const isListed = resource === plan.resource && row !== null && isBelow(each, plan.within);
      return isListed && (condition === null || holds(row, condition)) ? [row] : [];
    });
    const rows = [...untouched, ...staged].sort((one, other) => (one.id < other.id ? -1 : 1));
    return { ...stored, rows: rows.slice(0, plan.window.limit), more: stored.more || rows.length > plan.window.limit };
  }

  async lookup(plan: LookupPlan): Promise<readonly LocatedRow[]> {
    const { resource } = plan;
    const unstaged = plan.rows.filter((address) => !this.#staged.has(this.#key({ resource, ...address })));
    const staged = plan.rows.flatMap((address): readonly LocatedRow[] => {
      const { row = null, within = [] } = this.#staged.get(this.#key({ resource, ...address })) ?? {};
      return row === null ? [] : [{ row, within }];
    });
    const stored = unstaged.length === 0 ? [] : await this.#stored.rows.lookup({ ...plan, rows: unstaged });
    return [...staged, ...stored];
  }

  /** No write expands relations: the stored rows. */
  related(plan: RelatedPlan): MaybePromise<readonly RelatedRows[]> {
    return this.#stored.rows.related(plan);
  }

  async #after(plan: WritePlan, index: number): Promise<Row | null> {
    switch (plan.kind) {
      case 'delete':
        return null;
      case 'create': {
        const system = { id: plan.id, created_at: plan.at, updated_at: plan.at, revision: pendingRevision(index) };
        return { ...plan.values, ...(await this.#hidden(plan)), ...system };
      }
      case 'update':
        return this.#changed(plan, pendingRevision(index));
      case 'detach':
        return this.#changed({ ...plan, kind: 'update', event: null }, null);
    }
  }

  /** Reads for the system: a plan was made by a caller that may change the row. */
  async #changed(plan: UpdatePlan, revision: number | null): Promise<Row | null> {
    const { resource, id, values, at } = plan;
    const within = plan.within.map((ancestor) => ({ ...ancestor, visible: EVERYTHING }));
    const row = await this.item({ kind: 'item', resource, id, within, visible: EVERYTHING });
    if (row === null) return null;
    return { ...row, ...values, ...(await this.#hidden(plan)), updated_at: at, revision: revision ?? row.revision };
  }

  #hidden(plan: RowPlan): Promise<Readonly<Record<string, Json>>> {
    const lookup = (read: Omit<LookupPlan, 'visible'>): Promise<readonly LocatedRow[]> =>
      this.lookup({ ...read, visible: EVERYTHING });
    return hiddenMembers(this.#resource(plan.resource), plan, { resources: this.#model.resources, lookup });
  }

  #key({ resource, ...address }: ReferencedRow): string {
    return rowKey(this.#resource(resource), address);
  }

  #keyOfRow(resource: string, row: Row): string {
    const within = heldAncestors(this.#resource(resource), row, this.#model.resources);
    return this.#key({ resource, id: row.id, within });
  }

  #resource(name: string): Resource {
    const resource = this.#model.resources.get(name);
    if (resource === undefined) throw new Error(`the model has no resource ${name}`);
    return resource;
  }
}

/** Whether a row is where a plan looks for it. */
function isBelow({ within }: StagedRow, above: readonly Ancestor[]): boolean {
  return above.every(({ id }, level) => within[level]?.id === id);
}

/** Whether a row refers to an id: the only conditions that writes read by. */
function holds(row: Row, condition: Condition): boolean {
  if (condition.operator !== 'in' && condition.operator !== 'contains') {
    throw new Error(`no write reads by ${condition.operator}`);
  }
  const value: Json = row[condition.path] ?? null;
  if (condition.operator === 'contains') return Array.isArray(value) && value.includes(condition.value);
  return value !== null && condition.values.includes(value);
}
