import { apiError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json/json.ts';
import type { Model, Resource } from '../../model/model.ts';
import { keyMembers } from '../../model/row-key.ts';
import { holdsForUnset, type PathCondition, type RelationKey, type RowCondition } from '../../plan/condition.ts';
import { holds } from '../../plan/policy/holds.ts';
import { heldAncestors, rowKey } from '../../plan/row-address.ts';
import {
  type Ancestor,
  type Condition,
  EVERYTHING,
  type ListPlan,
  type Page,
  type ReferencedRow,
  type Row,
  type VisibleAncestor,
  type VisibleRelatedCondition,
} from '../../plan/plan.ts';
import { isRowCondition, visibleConditions } from '../../plan/visibility.ts';
import type { RowReader } from '../../stores/store.ts';
import { rowOrder } from './row-order.ts';

/** Most rows whose related rows a unit may change before a list reads them, and their maximum size together. */
const MAX_CHANGED = 10_000;
const MAX_CHANGED_SIZE = 67_108_864;
/** Most ids in a filter of a list for which all rows are judged. */
export const MAX_JUDGED = 100;
/** A row as a unit would leave it; null for a deleted one. */
export interface StagedRow extends ReferencedRow {
  readonly row: Row | null;
}

/** The rows of a unit and of the store. */
export interface StagedState {
  readonly stored: RowReader;
  readonly staged: readonly StagedRow[];
  readonly resources: Model['resources'];
}

/**
 * Lists the first rows as a unit would leave them. Rows that the unit may affect are judged one by one.
 *
 * @throws {ApiError} REQUEST_BODY_TOO_LARGE if the filter depends on changes of the unit for too many rows
 * @throws {Error} for a search and for a later page, which no write reads
 */
export function listStaged(state: StagedState, plan: ListPlan): Promise<Page> {
  return new StagedList(state).list(plan);
}

/** A search for rows by their own fields, which the unit changes in staged rows only. */
interface RowsPlan extends Pick<ListPlan, 'resource' | 'within' | 'columns'> {
  readonly own: readonly RowCondition[];
}

/** One list and the lists of related rows that it needs. */
class StagedList {
  readonly #state: StagedState;
  /** Caches whether rows exist, by plan: many rows refer to one. */
  readonly #found = new Map<string, Promise<boolean>>();

  constructor(state: StagedState) {
    this.#state = state;
  }

  async list(plan: ListPlan): Promise<Page> {
    const { stored } = this.#state;
    const changed = await this.#changedRows(plan);
    if (changed.size === 0) return stored.list(plan);
    const { window, order } = plan;
    if (window.kind !== 'seek' || window.after !== null || window.backward)
      throw new Error('no write reads a later page');
    const matches: Row[] = [];
    const wanted = { ...plan, filter: wholeFilter(plan) };
    for (const row of changed.values()) if (row !== null && (await this.#fulfills(wanted, row))) matches.push(row);
    const page = await stored.list({ ...plan, window: { ...window, limit: window.limit + changed.size } });
    const unchanged = page.rows.filter((row) => !changed.has(this.#keyOf(plan.resource, row)));
    const rows = [...unchanged, ...matches].sort(rowOrder(this.#resource(plan.resource), order));
    const more = page.more || rows.length > window.limit;
    const listed = { ...page, rows: rows.slice(0, window.limit), more };
    if (page.total === null) return listed;
    const count = page.total.count - (await this.#countStored(plan, changed)) + matches.length;
    return { ...listed, total: { ...page.total, count } };
  }

  /** Reads the rows that the unit may affect, by key: as it would leave them, null for those outside of the list. */
  async #changedRows(plan: ListPlan): Promise<ReadonlyMap<string, Row | null>> {
    const changed = new Map<string, Row | null>();
    const { resource, within } = plan;
    const conditions = wholeFilter(plan);
    const rows = { resource, within, own: conditions.filter(isRowCondition) };
    for (const row of await this.#affectedRows(rows, conditions)) changed.set(this.#keyOf(resource, row), row);
    for (const staged of this.#stagedOf(resource)) {
      changed.set(rowKey(this.#resource(resource), staged), isBelow(staged, within) ? staged.row : null);
    }
    return changed;
  }

  /** Finds stored rows whose related rows, used by conditions, the unit may have changed; all rows if they are few. */
  async #affectedRows(plan: RowsPlan, conditions: readonly Condition[]): Promise<readonly Row[]> {
    // The relations of few rows are followed from these rows: very many may be related to rows of the unit.
    if (plan.own.some(findsFew)) return this.#areOnStaged(conditions) ? this.#rowsToJudge(plan, []) : [];
    const rows: Row[] = [];
    for (const condition of conditions.flatMap(relatedConditions)) {
      rows.push(...(await this.#rowsRelatedToStaged(plan, condition)));
    }
    return rows;
  }

  /** True if the unit changes rows of a related resource that conditions use. */
  #areOnStaged(conditions: readonly Condition[]): boolean {
    return conditions.flatMap(relatedConditions).some(({ relation, visible, conditions: further }) => {
      const isStaged = this.#stagedOf(relation.resource).length > 0;
      return isStaged || this.#areOnStaged([...visibleConditions(visible), ...further]);
    });
  }

  /** Finds the stored rows that are or were related to rows of the unit, or to rows that these affect. */
  async #rowsRelatedToStaged(plan: RowsPlan, condition: VisibleRelatedCondition): Promise<readonly Row[]> {
    const { resource, field, inverse } = condition.relation;
    const staged = this.#stagedOf(resource);
    const further = [...visibleConditions(condition.visible), ...condition.conditions];
    const related = { resource, within: [], own: [], columns: inverse ? [field] : [] };
    const affected = await this.#affectedRows(related, further);
    if (staged.length === 0 && affected.length === 0) return [];
    const ids = inverse
      ? await this.#referredIds(staged, affected, condition.relation)
      : [...staged, ...affected].map(({ id }) => id);
    const isArray = !inverse && this.#resource(plan.resource).field.get(field)?.type.kind === 'array';
    const refers: Condition = isArray
      ? { operator: 'any', alternatives: ids.map((value) => [{ path: field, operator: 'contains', value }]) }
      : { path: inverse ? 'id' : field, operator: 'in', values: ids };
    return this.#rowsToJudge(plan, [refers]);
  }

  /** Reads rows to be judged, including those that become visible through related rows. */
  async #rowsToJudge({ own, columns, ...plan }: RowsPlan, filter: readonly Condition[]): Promise<readonly Row[]> {
    const first = { ...firstRows({ ...plan, visible: EVERYTHING }, MAX_CHANGED), maxSize: MAX_CHANGED_SIZE };
    const read = { ...first, filter: [...filter, ...own], ...(columns === undefined ? {} : { columns }) };
    const { rows, more } = await this.#state.stored.list(read);
    if (more) throw tooMany(this.#resource(plan.resource));
    return rows;
  }

  /** Collects the ids that a field of rows refers to, and referred to before the unit. */
  async #referredIds(
    staged: readonly StagedRow[],
    affected: readonly Row[],
    { resource, field }: RelationKey,
  ): Promise<readonly string[]> {
    const before = await this.#state.stored.lookup({ resource, rows: staged, visible: EVERYTHING });
    const rows = [...before.map(({ row }) => row), ...staged.flatMap(({ row }) => row ?? []), ...affected];
    return [...new Set(rows.flatMap((row) => idsIn(row[field])))];
  }

  /** Counts the changed rows that a plan would find in the store. */
  async #countStored(plan: ListPlan, changed: ReadonlyMap<string, Row | null>): Promise<number> {
    const ids = [...new Set([...this.#stagedOf(plan.resource), ...changed.values()].flatMap((each) => each?.id ?? []))];
    const filter = [...plan.filter, { path: 'id', operator: 'in', values: ids } as const];
    const columns = this.#resource(plan.resource).parentKey.slice(0, 1);
    const { rows } = await this.#state.stored.list({ ...firstRows(plan, 2 * MAX_CHANGED), filter, columns });
    return rows.filter((row) => changed.has(this.#keyOf(plan.resource, row))).length;
  }

  async #fulfills(plan: ListPlan, row: Row): Promise<boolean> {
    for (const condition of plan.filter) if (!(await this.#holds(plan, row, condition))) return false;
    return true;
  }

  async #holds(plan: ListPlan, row: Row, condition: Condition): Promise<boolean> {
    if ('path' in condition) return holds(this.#resource(plan.resource), row, condition);
    switch (condition.operator) {
      case 'not':
        return holds(this.#resource(plan.resource), row, condition);
      case 'search':
        throw new Error('a hook cannot search after an atomic batch has written to the resource');
      case 'related':
        return this.#isRelated(plan, row, condition);
      case 'any':
        for (const filter of condition.alternatives) if (await this.#fulfills({ ...plan, filter }, row)) return true;
        return false;
    }
  }

  async #isRelated(plan: ListPlan, row: Row, related: VisibleRelatedCondition): Promise<boolean> {
    const { relation, conditions } = related;
    const resource = this.#resource(plan.resource);
    const above = heldAncestors(resource, row, this.#state.resources);
    if (relation.inverse) return this.#isReferredTo(plan, row, related);
    const isParent = relation.field === resource.parent?.field;
    const isSibling = resource.field.get(relation.field)?.reference?.siblings === true;
    const ids = idsIn(row[relation.field]);
    const byId: PathCondition = { path: 'id', operator: 'in', values: ids };
    const siblings = isSibling ? above : [];
    const within = isParent ? above.slice(1) : siblings;
    if (ids.length > 0 && (await this.#exists(related, within, [byId, ...conditions]))) return true;
    if (Array.isArray(row[relation.field]) || !conditions.every(holdsForUnset)) return false;
    return ids.length === 0 || !(await this.#exists(related, within, [byId]));
  }

  #isReferredTo(plan: ListPlan, row: Row, related: VisibleRelatedCondition): Promise<boolean> {
    const { relation, conditions } = related;
    const above = heldAncestors(this.#resource(plan.resource), row, this.#state.resources);
    const target = this.#resource(relation.resource);
    const { field } = relation;
    if (field === target.parent?.field) {
      return this.#exists(related, [{ resource: plan.resource, id: row.id }, ...above], conditions);
    }
    const declared = target.field.get(field);
    const refers: PathCondition =
      declared?.type.kind === 'array'
        ? { path: field, operator: 'contains', value: row.id }
        : { path: field, operator: 'in', values: [row.id] };
    return this.#exists(related, declared?.reference?.siblings === true ? above : [], [refers, ...conditions]);
  }

  /** True if a row of a related resource fulfills a filter. */
  #exists(
    related: VisibleRelatedCondition,
    within: readonly Ancestor[],
    filter: VisibleRelatedCondition['conditions'],
  ): Promise<boolean> {
    const { relation, visible } = related;
    const key = JSON.stringify([relation.resource, within, visible, filter]);
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const above = within.map(({ resource, id }): VisibleAncestor => ({ resource, id, visible: EVERYTHING }));
    const plan = firstRows({ resource: relation.resource, within: above, visible }, 1);
    const order = keyMembers(this.#resource(relation.resource)).map((path) => ({ path, descending: false }));
    const found = this.list({ ...plan, filter, order }).then(({ rows }) => rows.length > 0);
    this.#found.set(key, found);
    return found;
  }

  #stagedOf(resource: string): readonly StagedRow[] {
    return this.#state.staged.filter((each) => each.resource === resource);
  }

  #keyOf(resource: string, row: Row): string {
    const compiled = this.#resource(resource);
    return rowKey(compiled, { id: row.id, within: heldAncestors(compiled, row, this.#state.resources) });
  }

  #resource(name: string): Resource {
    const resource = this.#state.resources.get(name);
    if (resource === undefined) throw new Error(`the model has no resource ${name}`);
    return resource;
  }
}

/** True if a row is below the ancestors of a plan. */
export function isBelow({ within }: StagedRow, above: readonly Ancestor[]): boolean {
  return above.every(({ id }, level) => within[level]?.id === id);
}

/** Plans to read the first rows of a resource, by their keys, without a filter and a count. */
export function firstRows(
  { resource, within, visible }: Pick<ListPlan, 'resource' | 'within' | 'visible'>,
  limit: number,
): ListPlan {
  return {
    kind: 'list',
    resource,
    within,
    visible,
    filter: [],
    order: [{ path: 'id', descending: false }],
    window: { kind: 'seek', after: null, backward: false, limit },
    count: { kind: 'none' },
    effort: 'unbounded',
  };
}

/** True if a condition holds for few rows, below the ancestors of a list. */
function findsFew(condition: RowCondition): boolean {
  return condition.operator === 'in' && condition.path === 'id' && condition.values.length <= MAX_JUDGED;
}

function tooMany({ name }: Resource): Error {
  return apiError(
    'REQUEST_BODY_TOO_LARGE',
    `The batch changes what more than 10,000 ${name}, or ${name} of more than 64 MiB, are filtered by; send its operations in several batches.`,
  );
}

/** The filter of a plan with the conditions of its visibility. */
function wholeFilter({ visible, filter }: ListPlan): readonly Condition[] {
  return [...visibleConditions(visible), ...filter];
}

function relatedConditions(condition: Condition): readonly VisibleRelatedCondition[] {
  if (condition.operator === 'any') return condition.alternatives.flat().flatMap(relatedConditions);
  return condition.operator === 'related' ? [condition] : [];
}

/** The ids that a reference or an array of references holds. */
function idsIn(value: Json | undefined): readonly string[] {
  return (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string');
}
