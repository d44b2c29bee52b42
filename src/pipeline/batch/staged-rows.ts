import type { Json } from '../../conventions/json.ts';
import type { Model } from '../../model/model.ts';
import { pendingRevision } from '../../plan/pending-revisions.ts';
import {
  type Condition,
  EVERYTHING,
  type ItemPlan,
  type ListPlan,
  type LocatedRow,
  type LookupPlan,
  type Page,
  type RelatedPlan,
  type RelatedRows,
  type Row,
  type UpdatePlan,
  type VisibleAncestor,
  type WritePlan,
} from '../../plan/plan.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import type { ChangeStamps, RowReader } from '../../stores/store.ts';
import type { RowSource } from '../read/visible-rows.ts';

/** No stored stamp has this value. */
const STAGED = -1;

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
  /** By resource and id; null for a deleted row. */
  readonly #staged = new Map<string, Row | null>();

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
      this.#staged.set(keyOf(plan.resource, plan.id), await this.#after(plan, index));
    }
  }

  async item(plan: ItemPlan): Promise<Row | null> {
    const staged = this.#staged.get(keyOf(plan.resource, plan.id));
    if (staged === undefined) return this.#stored.rows.item(plan);
    return staged !== null && (await this.#isBelow(staged, plan)) ? staged : null;
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

  async missingReferences(references: readonly VisibleAncestor[]): Promise<readonly VisibleAncestor[]> {
    const missing: VisibleAncestor[] = [];
    const unstaged: VisibleAncestor[] = [];
    for (const reference of references) {
      const staged = this.#staged.get(keyOf(reference.resource, reference.id));
      if (staged === undefined) unstaged.push(reference);
      else if (staged === null) missing.push(reference);
    }
    const stored = unstaged.length === 0 ? [] : await this.#stored.rows.missingReferences(unstaged);
    const stillMissing = new Set(stored.map(({ resource, id }) => keyOf(resource, id)));
    return [...missing, ...unstaged.filter(({ resource, id }) => stillMissing.has(keyOf(resource, id)))];
  }

  /** Exact for the reads of a cascade: rows that refer to another, in the order of their ids. Other reads return the stored rows. */
  async list(plan: ListPlan): Promise<Page> {
    const [condition, ...others] = plan.filter;
    if (condition === undefined || others.length > 0) return this.#stored.rows.list(plan);
    const limit = plan.window.limit + this.#staged.size;
    const stored = await this.#stored.rows.list({ ...plan, window: { ...plan.window, limit } });
    const untouched = stored.rows.filter(({ id }) => !this.#staged.has(keyOf(plan.resource, id)));
    const staged = [...this.#staged]
      .filter(([key, row]) => row !== null && key === keyOf(plan.resource, row.id))
      .flatMap(([, row]) => (row !== null && holds(row, condition) ? [row] : []));
    const rows = [...untouched, ...staged].sort((one, other) => (one.id < other.id ? -1 : 1));
    return { ...stored, rows: rows.slice(0, plan.window.limit), more: stored.more || rows.length > plan.window.limit };
  }

  /** No write expands relations: the stored rows. */
  lookup(plan: LookupPlan): MaybePromise<readonly LocatedRow[]> {
    return this.#stored.rows.lookup(plan);
  }

  /** No write expands relations: the stored rows. */
  related(plan: RelatedPlan): MaybePromise<ReadonlyMap<string, RelatedRows>> {
    return this.#stored.rows.related(plan);
  }

  async #after(plan: WritePlan, index: number): Promise<Row | null> {
    switch (plan.kind) {
      case 'delete':
        return null;
      case 'create': {
        const system = { id: plan.id, created_at: plan.at, updated_at: plan.at, revision: pendingRevision(index) };
        return { ...plan.values, ...system };
      }
      case 'update':
        return this.#changed(plan, pendingRevision(index));
      case 'detach':
        return this.#changed({ ...plan, kind: 'update', event: null }, null);
    }
  }

  /** Reads for the system: a plan was made by a caller that may change the row. */
  async #changed({ resource, id, values, at }: UpdatePlan, revision: number | null): Promise<Row | null> {
    const row = await this.item({ kind: 'item', resource, id, within: [], visible: EVERYTHING });
    if (row === null) return null;
    return { ...row, ...values, updated_at: at, revision: revision ?? row.revision };
  }

  /** Whether a row is where a plan looks for it: its parent is the nearest ancestor, and all of them exist. */
  async #isBelow(row: Row, { resource, within }: ItemPlan): Promise<boolean> {
    const [above] = within;
    if (above === undefined) return true;
    const field = this.#model.resources.get(resource)?.parent?.field ?? '';
    return row[field] === above.id && (await this.missingAncestor(within)) === null;
  }
}

function keyOf(resource: string, id: string): string {
  return `${resource}\n${id}`;
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
