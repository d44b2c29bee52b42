import type { Json } from '../../conventions/json/json.ts';
import type { Model, Resource } from '../../model/model.ts';
import { countScopeIds } from '../../model/row-key.ts';
import { isVisible, wasVisible } from '../../plan/policy/holds.ts';
import { pendingRevision } from '../../plan/write/pending-revisions.ts';
import type { Partition } from '../../plan/list/partitions.ts';
import { rowKey } from '../../plan/row-address.ts';
import {
  type Ancestor,
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
  type UpdatePlan,
  type Visibility,
  type VisibleAncestor,
  type VisibleReference,
  type WritePlan,
} from '../../plan/plan.ts';
import { type RowPlan } from '../../plan/write-unit.ts';
import { isJudgedByRow } from '../../plan/visibility.ts';
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import { TimeSlices } from '../../platform/time-slices.ts';
import type { ChangeStamps, RowReader } from '../../stores/store.ts';
import { hiddenMembers } from '../read/hidden-members.ts';
import type { RowSource } from '../visible-rows.ts';
import { firstRows, isBelow, listStaged, MAX_JUDGED, type StagedRow } from './staged-list.ts';

/** No stored stamp has this value. */
const STAGED = -1;

/**
 * Reads rows as the plans of a unit would leave them, before the unit is written. Later writes of an atomic batch are
 * prepared against these rows (MET-13). Uniqueness and the like are left to the store, which judges them when the unit
 * is written.
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

  /** The staged plans, in order. */
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
    const { within, visible } = plan;
    const staged = this.#staged.get(this.#key(plan));
    if (staged === undefined) {
      const all = { ...plan, within: within.map(unrestricted), visible: storedVisibility(visible) };
      const row = await this.stored.rows.item(all);
      if (row === null || (isConditional(within) && (await this.missingAncestor(within)) !== null)) return null;
      return isJudgedByRow(visible) || (await this.#isListed(plan)) ? row : null;
    }
    if (staged.row === null || !isBelow(staged, within)) return null;
    return (await this.missingAncestor(within)) === null && (await this.#sees(staged, visible)) ? staged.row : null;
  }

  /** True also for a row that the unit deletes, which leaves a tombstone too. */
  wasVisible(plan: ItemPlan): MaybePromise<boolean> {
    const { visible } = plan;
    const key = this.#key(plan);
    if (!this.#staged.has(key)) return this.stored.rows.wasVisible(plan);
    const last = this.#plans.findLast((each) => this.#key(each) === key);
    if (last?.kind !== 'delete' || last.tombstone === undefined) return false;
    return wasVisible(this.#model.resources, this.#resource(plan.resource), last.tombstone.values, visible);
  }

  /** A staged row is read each time. */
  rowStamp(): null {
    return null;
  }

  knownRowStamp(): null {
    return null;
  }

  rowStampAhead(): null {
    return null;
  }

  /** Reads stamps. A resource that the unit changes has a stamp that no stored one has. */
  async resourceStamps(resources: readonly string[]): Promise<readonly number[]> {
    const stored = await this.stored.stamps.resourceStamps(resources);
    const changed = new Set(this.#plans.map(({ resource }) => resource));
    return stored.map((stamp, index) => (changed.has(resources[index] ?? '') ? STAGED : stamp));
  }

  async partitionStamp(resource: string, partition: Partition): Promise<number> {
    const isChanged = this.#plans.some((plan) => plan.resource === resource);
    return isChanged ? STAGED : this.stored.stamps.partitionStamp(resource, partition);
  }

  settledRevision(): MaybePromise<number | null> {
    return this.stored.stamps.settledRevision();
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
    const byKey = Map.groupBy(references, (reference) => this.#key(reference));
    const distinct = [...byKey.values()].flatMap(([first]) => first ?? []);
    const judged = distinct.filter(({ visible }) => isJudgedByRow(visible));
    const stored = judged.filter((reference) => !this.#staged.has(this.#key(reference)));
    const missing = [
      ...(await this.#missingStaged(judged.filter((reference) => this.#staged.has(this.#key(reference))))),
      ...(await this.#missingListed(distinct.filter(({ visible }) => !isJudgedByRow(visible)))),
      ...(stored.length === 0 ? [] : await this.stored.rows.missingReferences(stored)),
    ];
    const keys = new Set(missing.map((reference) => this.#key(reference)));
    return references.filter((reference) => keys.has(this.#key(reference)));
  }

  /** Selects references to staged rows that are not visible, each by its own values. */
  async #missingStaged(references: readonly VisibleReference[]): Promise<readonly VisibleReference[]> {
    const missing: VisibleReference[] = [];
    const parents = new Map<string, Promise<boolean>>();
    const hasParent = (within: readonly VisibleAncestor[]): Promise<boolean> => {
      const key = JSON.stringify(within);
      const known = parents.get(key) ?? this.missingAncestor(within).then((absent) => absent === null);
      parents.set(key, known);
      return known;
    };
    for (const reference of references) {
      const staged = this.#staged.get(this.#key(reference));
      const within = this.#keyAncestors(reference);
      const isThere = staged !== undefined && isBelow(staged, within) && (await hasParent(within));
      if (!isThere || !(await this.#sees(staged, reference.visible))) missing.push(reference);
    }
    return missing;
  }

  /** Selects references to rows that are not visible, by rows that the unit may have changed: a block at a time. */
  async #missingListed(references: readonly VisibleReference[]): Promise<readonly VisibleReference[]> {
    const missing: VisibleReference[] = [];
    const slices = new TimeSlices();
    for (const group of Map.groupBy(references, ({ resource }) => resource).values()) {
      for (let at = 0; at < group.length; at += MAX_JUDGED) {
        await slices.next();
        missing.push(...(await this.#missingInBlock(group.slice(at, at + MAX_JUDGED))));
      }
    }
    return missing;
  }

  async #missingInBlock(block: readonly VisibleReference[]): Promise<readonly VisibleReference[]> {
    const [first] = block;
    if (first === undefined) return [];
    const { resource, visible } = first;
    const plan = firstRows({ resource, within: this.#keyAncestors(first), visible }, block.length);
    const ids = block.map(({ id }) => id);
    const { rows } = await this.list({ ...plan, filter: [{ path: 'id', operator: 'in', values: ids }] });
    const listed = new Set(rows.map(({ id }) => id));
    return block.filter(({ id }) => !listed.has(id));
  }

  /** The ancestors that the key of a row needs: those of the referring row are more. */
  #keyAncestors({ resource, within }: ReferencedRow): readonly VisibleAncestor[] {
    return within.slice(0, countScopeIds(this.#resource(resource))).map(unrestricted);
  }

  /**
   * Lists the first rows of a plan, for a cascade and the hooks of an application.
   *
   * @throws {Error} as {@link listStaged} does
   */
  async list(plan: ListPlan): Promise<Page> {
    const { resources } = this.#model;
    const { within, count } = plan;
    if (isConditional(within) && (await this.missingAncestor(within)) !== null) {
      return { rows: [], more: false, total: count.kind === 'none' ? null : { count: 0, exact: true }, size: 0 };
    }
    const state = { stored: this.stored.rows, staged: [...this.#staged.values()], resources };
    return listStaged(state, { ...plan, within: within.map(unrestricted) });
  }

  async lookup(plan: LookupPlan): Promise<readonly LocatedRow[]> {
    const { resource, visible } = plan;
    const unstaged = plan.rows.filter((address) => !this.#staged.has(this.#key({ resource, ...address })));
    const found: LocatedRow[] = [];
    for (const address of plan.rows) {
      const staged = this.#staged.get(this.#key({ resource, ...address }));
      if (staged === undefined || staged.row === null || !(await this.#sees(staged, visible))) continue;
      found.push({ row: staged.row, within: staged.within });
    }
    if (unstaged.length === 0) return found;
    const all = { ...plan, rows: unstaged, visible: storedVisibility(visible) };
    for (const located of await this.stored.rows.lookup(all)) {
      const { row, within } = located;
      if (isJudgedByRow(visible) || (await this.#isListed({ resource, id: row.id, within, visible })))
        found.push(located);
    }
    return found;
  }

  /** Reads stored related rows, because no write expands relations. */
  related(plan: RelatedPlan): MaybePromise<readonly RelatedRows[]> {
    return this.stored.rows.related(plan);
  }

  /** True if a staged row is visible. */
  async #sees({ resource, id, within, row }: StagedRow, visible: Visibility): Promise<boolean> {
    if (row === null) return false;
    if (isJudgedByRow(visible)) return isVisible(this.#resource(resource), row, visible);
    return this.#isListed({ resource, id, within, visible });
  }

  /** True if a row is visible by rows that the unit may have changed. */
  async #isListed({ resource, id, within, visible }: VisibleReference): Promise<boolean> {
    const plan = firstRows({ resource, within: within.map(unrestricted), visible }, 1);
    const { rows } = await this.list({ ...plan, filter: [{ path: 'id', operator: 'in', values: [id] }] });
    return rows.length > 0;
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

  /** Reads for the system: the plan was made for a caller that may change the row. */
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

function unrestricted({ resource, id }: Ancestor): VisibleAncestor {
  return { resource, id, visible: EVERYTHING };
}

function isConditional(within: readonly VisibleAncestor[]): boolean {
  return within.some(({ visible }) => visible.kind !== 'everything');
}

/** Returns the visibility that the store can judge, whatever a unit has changed. */
function storedVisibility(visible: Visibility): Visibility {
  return isJudgedByRow(visible) ? visible : EVERYTHING;
}
