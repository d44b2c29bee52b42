import { resourceRefusal } from '../conventions/errors.ts';
import type { Json } from '../conventions/json.ts';
import type { Dependent, Resource } from '../model/model.ts';
import type { Origin } from '../plan/change-event.ts';
import type { Ancestor, Condition, Row, WritePlan } from '../plan/plan.ts';
import { deletePlan, updatePlan } from '../plan/write-plan.ts';
import type { Surroundings } from './surroundings.ts';

/** Most rows that one DELETE takes along (MET-4). */
const MAX_REMOVED = 10_000;

interface Doomed {
  readonly resource: Resource;
  readonly row: Row;
  readonly within: readonly Ancestor[];
  /** Keys of the rows that refer to this one and go with it: they must go first. */
  readonly referrers: Set<string>;
}

interface Loosened {
  readonly resource: Resource;
  readonly row: Row;
  readonly within: readonly Ancestor[];
  readonly values: Record<string, Json>;
}

/**
 * The plans that remove a row and settle what depends on it: `cascade` removes, `nullify` unsets, `restrict` refuses (MET-4). Referring rows
 * come before the row they refer to. The database's foreign keys guard against what is written between this look and the removal.
 *
 * @throws {ApiError} {R}_HAS_DEPENDENTS
 */
export async function removalPlans(
  resource: Resource,
  row: Row,
  within: readonly Ancestor[],
  origin: Origin,
  surroundings: Surroundings,
): Promise<readonly WritePlan[]> {
  const removal = new Removal(origin, surroundings);
  await removal.doom(resource, row, within);
  await removal.refuseRestricted(resource);
  return removal.plans(keyOf(resource, row.id));
}

class Removal {
  readonly #origin: Origin;
  readonly #surroundings: Surroundings;
  readonly #doomed = new Map<string, Doomed>();
  /** Rows that stay and lose their references, by key; a row that refers to several of the removed ones is changed once. */
  readonly #loosened = new Map<string, Loosened>();

  constructor(origin: Origin, surroundings: Surroundings) {
    this.#origin = origin;
    this.#surroundings = surroundings;
  }

  async doom(resource: Resource, row: Row, within: readonly Ancestor[]): Promise<void> {
    const key = keyOf(resource, row.id);
    this.#doomed.set(key, { resource, row, within, referrers: new Set() });
    if (this.#doomed.size > MAX_REMOVED) throw tooMany(resource);
    for (const dependent of resource.dependents) {
      if (dependent.onDelete === 'restrict') continue;
      const referring = this.#resource(dependent.resource);
      for (const other of await this.#referring(dependent, row.id, MAX_REMOVED + 1)) {
        if (dependent.onDelete === 'nullify') await this.#loosen(dependent, referring, other, row.id);
        else await this.#cascade(dependent, referring, other, { resource, row, within });
      }
    }
  }

  /** Refuses when a row that stays refers to one that goes. */
  async refuseRestricted(target: Resource): Promise<void> {
    for (const { resource, row } of this.#doomed.values()) {
      for (const dependent of resource.dependents) {
        if (dependent.onDelete !== 'restrict') continue;
        const referring = this.#resource(dependent.resource);
        const others = await this.#referring(dependent, row.id, this.#doomed.size + 1);
        for (const other of others) {
          const key = keyOf(referring, other.id);
          if (!this.#doomed.has(key)) throw hasDependents(target, referring);
          this.#doomed.get(keyOf(resource, row.id))?.referrers.add(key);
        }
      }
    }
  }

  plans(root: string): readonly WritePlan[] {
    const { events } = this.#surroundings;
    const order: Doomed[] = [];
    const visited = new Set<string>();
    // An explicit stack: a chain of rows may be as long as the bound on their number.
    const stack: { key: string; left: boolean }[] = [{ key: root, left: false }];
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      const doomed = this.#doomed.get(top.key);
      if (doomed === undefined) continue;
      if (top.left) order.push(doomed);
      else if (!visited.has(top.key)) {
        visited.add(top.key);
        stack.push({ key: top.key, left: true });
        for (const key of doomed.referrers) stack.push({ key, left: false });
      }
    }
    const kept = [...this.#loosened].filter(([key]) => !this.#doomed.has(key)).map(([, loosened]) => loosened);
    const changes = kept.map(({ resource, row, within, values }) =>
      updatePlan(events, this.#origin, { resource, within }, row, { ...row, ...values }),
    );
    const removals = order.map(({ resource, row, within }) =>
      deletePlan(events, this.#origin, { resource, within }, row),
    );
    return [...changes.filter((plan) => plan !== null), ...removals];
  }

  async #cascade(
    dependent: Dependent,
    referring: Resource,
    other: Row,
    target: Omit<Doomed, 'referrers'>,
  ): Promise<void> {
    const key = keyOf(referring, other.id);
    this.#doomed.get(keyOf(target.resource, target.row.id))?.referrers.add(key);
    if (this.#doomed.has(key)) return;
    const above = dependent.child
      ? [{ resource: target.resource.name, id: target.row.id }, ...target.within]
      : await this.#ancestors(referring, other);
    await this.doom(referring, other, above);
  }

  async #loosen({ field, many }: Dependent, resource: Resource, row: Row, id: string): Promise<void> {
    const key = keyOf(resource, row.id);
    const within = this.#loosened.get(key)?.within ?? (await this.#ancestors(resource, row));
    const loosened = this.#loosened.get(key) ?? { resource, row, within, values: {} };
    const value = loosened.values[field] ?? row[field] ?? null;
    loosened.values[field] = many && Array.isArray(value) ? value.filter((item) => item !== id) : null;
    this.#loosened.set(key, loosened);
  }

  async #referring({ resource, field, many }: Dependent, id: string, limit: number): Promise<readonly Row[]> {
    const condition: Condition = many
      ? { path: field, operator: 'contains', value: id }
      : { path: field, operator: 'in', values: [id] };
    const page = await this.#surroundings.store.resources.list({
      kind: 'list',
      resource,
      within: [],
      filter: [condition],
      order: [{ path: 'id', descending: false }],
      window: { kind: 'seek', after: null, backward: false, limit },
      count: { kind: 'none' },
      heavy: false,
    });
    return page.rows;
  }

  /** The rows above one that was found by a reference, nearest first. */
  async #ancestors(resource: Resource, row: Row): Promise<readonly Ancestor[]> {
    const id = resource.parent === null ? null : row[resource.parent.field];
    if (resource.parent === null || typeof id !== 'string') return [];
    const parent = this.#resource(resource.parent.resource);
    const above = await this.#surroundings.store.resources.item({
      kind: 'item',
      resource: parent.name,
      id,
      within: [],
    });
    return [{ resource: parent.name, id }, ...(above === null ? [] : await this.#ancestors(parent, above))];
  }

  #resource(name: string): Resource {
    const resource = this.#surroundings.compiled.model.resources.get(name);
    if (resource === undefined) throw new Error(`the model has no resource ${name}`);
    return resource;
  }
}

function keyOf({ name }: Resource, id: string): string {
  return `${name}\n${id}`;
}

function hasDependents(target: Resource, referring: Resource): Error {
  const message = `Other resources (${referring.name}) still refer to this ${target.singular}; remove or change them first.`;
  return resourceRefusal(target.code, 'HAS_DEPENDENTS', message);
}

function tooMany(target: Resource): Error {
  const message = `More than ${MAX_REMOVED} rows would go with this ${target.singular}; remove some of them first.`;
  return resourceRefusal(target.code, 'HAS_DEPENDENTS', message);
}

/** What the database answers when a row began to refer to the one to be removed meanwhile, time after time. */
export function stillReferredTo(target: Resource): Error {
  const message = `Other resources still refer to this ${target.singular}; remove or change them first.`;
  return resourceRefusal(target.code, 'HAS_DEPENDENTS', message);
}
