import type { Json } from '../../conventions/json.ts';
import type { Model, Resource } from '../../model/model.ts';
import { pendingRevision } from '../../plan/pending-revisions.ts';
import { rowKey } from '../../plan/row-address.ts';
import {
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
import { isBelow, listStaged, type StagedRow } from './staged-list.ts';

/** No stored stamp has this value. */
const STAGED = -1;

/**
 * The rows as the plans of a unit would leave them, before the unit is written: what later writes of an atomic batch are prepared against
 * (MET-13). What it leaves open, such as uniqueness, the store judges when the unit is written.
 */
export class StagedRows implements RowSource, RowReader, ChangeStamps {
  readonly rows: RowReader = this;
  readonly stamps: ChangeStamps = this;
  readonly stored: RowSource;
  readonly #model: Model;
  readonly #plans: WritePlan[] = [];
  /** By key. */
  readonly #staged = new Map<string, StagedRow>();

  constructor(stored: RowSource, model: Model) {
    this.stored = stored;
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
    if (staged === undefined) return this.stored.rows.item(plan);
    return isBelow(staged, plan.within) && (await this.missingAncestor(plan.within)) === null ? staged.row : null;
  }

  /** A staged row is read each time. */
  rowStamp(): null {
    return null;
  }

  /** A resource that the unit changes has a stamp that it never had. */
  async resourceStamps(resources: readonly string[]): Promise<readonly number[]> {
    const stored = await this.stored.stamps.resourceStamps(resources);
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
    const stored = unstaged.length === 0 ? [] : await this.stored.rows.missingReferences(unstaged);
    const missing = new Set(stored.map((reference) => this.#key(reference)));
    return references.filter((reference) => {
      const staged = this.#staged.get(this.#key(reference));
      return staged === undefined ? missing.has(this.#key(reference)) : staged.row === null;
    });
  }

  /**
   * The first rows of a list: what a cascade and the hooks of an application read.
   *
   * @throws {Error} as {@link listStaged} does
   */
  list(plan: ListPlan): Promise<Page> {
    const { resources } = this.#model;
    return listStaged({ stored: this.stored.rows, staged: [...this.#staged.values()], resources }, plan);
  }

  async lookup(plan: LookupPlan): Promise<readonly LocatedRow[]> {
    const { resource } = plan;
    const unstaged = plan.rows.filter((address) => !this.#staged.has(this.#key({ resource, ...address })));
    const staged = plan.rows.flatMap((address): readonly LocatedRow[] => {
      const { row = null, within = [] } = this.#staged.get(this.#key({ resource, ...address })) ?? {};
      return row === null ? [] : [{ row, within }];
    });
    const stored = unstaged.length === 0 ? [] : await this.stored.rows.lookup({ ...plan, rows: unstaged });
    return [...staged, ...stored];
  }

  /** No write expands relations: the stored rows. */
  related(plan: RelatedPlan): MaybePromise<readonly RelatedRows[]> {
    return this.stored.rows.related(plan);
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

  #resource(name: string): Resource {
    const resource = this.#model.resources.get(name);
    if (resource === undefined) throw new Error(`the model has no resource ${name}`);
    return resource;
  }
}
