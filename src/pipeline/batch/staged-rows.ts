import type { Json } from '../../conventions/json.ts';
import type { Model } from '../../model/model.ts';
import { pendingRevision } from '../../plan/pending-revisions.ts';
import type { Ancestor, Condition, ItemPlan, ListPlan, Page, Row, UpdatePlan, WritePlan } from '../../plan/plan.ts';
import type { ChangeStamps } from '../../stores/store.ts';
import type { Rows, Surroundings } from '../surroundings.ts';

/** No change that is stored has it. */
const STAGED = -1;

/**
 * The rows as the plans of a unit would leave them, before the unit is written: what the later writes of an atomic batch are worked out
 * against (MET-13). What it leaves open, such as what is unique, the store judges when the unit is written.
 */
export class StagedRows implements Rows, ChangeStamps {
  readonly #stored: Rows;
  readonly #storedStamps: ChangeStamps;
  readonly #plans: WritePlan[] = [];
  /** By resource and id; null for a row that is removed. */
  readonly #staged = new Map<string, Row | null>();

  readonly #model: Model;

  constructor({ rows, stamps }: Pick<Surroundings, 'rows' | 'stamps'>, model: Model) {
    this.#stored = rows;
    this.#storedStamps = stamps;
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
    if (staged === undefined) return this.#stored.item(plan);
    return staged !== null && (await this.#isBelow(staged, plan)) ? staged : null;
  }

  /** What a unit leaves open is read each time. */
  rowStamp(): null {
    return null;
  }

  /** A resource that a unit changes has a number that it never had. */
  async resourceStamps(resources: readonly string[]): Promise<readonly number[]> {
    const stored = await this.#storedStamps.resourceStamps(resources);
    const changed = new Set(this.#plans.map(({ resource }) => resource));
    return stored.map((change, index) => (changed.has(resources[index] ?? '') ? STAGED : change));
  }

  async missingAncestor(within: readonly Ancestor[]): Promise<Ancestor | null> {
    for (const [above, { resource, id }] of [...within.entries()].reverse()) {
      const row = await this.item({ kind: 'item', resource, id, within: within.slice(above + 1) });
      if (row === null) return { resource, id };
    }
    return null;
  }

  async missingReferences(references: readonly Ancestor[]): Promise<readonly Ancestor[]> {
    const missing: Ancestor[] = [];
    const unstaged: Ancestor[] = [];
    for (const reference of references) {
      const staged = this.#staged.get(keyOf(reference.resource, reference.id));
      if (staged === undefined) unstaged.push(reference);
      else if (staged === null) missing.push(reference);
    }
    return [...missing, ...(unstaged.length === 0 ? [] : await this.#stored.missingReferences(unstaged))];
  }

  /** Exact for what a removal asks: rows that refer to another, in the order of their ids. Anything else is told as it is stored. */
  async list(plan: ListPlan): Promise<Page> {
    const [condition, ...others] = plan.filter;
    if (condition === undefined || others.length > 0) return this.#stored.list(plan);
    const limit = plan.window.limit + this.#staged.size;
    const stored = await this.#stored.list({ ...plan, window: { ...plan.window, limit } });
    const untouched = stored.rows.filter(({ id }) => !this.#staged.has(keyOf(plan.resource, id)));
    const staged = [...this.#staged]
      .filter(([key, row]) => row !== null && key === keyOf(plan.resource, row.id))
      .flatMap(([, row]) => (row !== null && holds(row, condition) ? [row] : []));
    const rows = [...untouched, ...staged].sort((one, other) => (one.id < other.id ? -1 : 1));
    return { ...stored, rows: rows.slice(0, plan.window.limit), more: stored.more || rows.length > plan.window.limit };
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

  async #changed({ resource, id, values, at }: UpdatePlan, revision: number | null): Promise<Row | null> {
    const row = await this.item({ kind: 'item', resource, id, within: [] });
    if (row === null) return null;
    return { ...row, ...values, updated_at: at, revision: revision ?? row.revision };
  }

  /** Whether a row lies where a plan looks for it: its parent is the nearest of the rows named, and they all stand. */
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

/** Of what writes ask: which rows hold an id. */
function holds(row: Row, condition: Condition): boolean {
  if (condition.operator !== 'in' && condition.operator !== 'contains') {
    throw new Error(`no write asks for ${condition.operator}`);
  }
  const value: Json = row[condition.path] ?? null;
  if (condition.operator === 'contains') return Array.isArray(value) && value.includes(condition.value);
  return value !== null && condition.values.includes(value);
}
