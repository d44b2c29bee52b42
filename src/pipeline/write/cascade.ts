import { resourceError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json.ts';
import type { Dependent, Resource } from '../../model/model.ts';
import type { EventOrigin } from '../../plan/change-event.ts';
import { expectedRevision } from '../../plan/pending-revisions.ts';
import type { Ancestor, Condition, Row, WritePlan } from '../../plan/plan.ts';
import { type ReferenceEdge, deletionOrder } from '../../plan/deletion-order.ts';
import { deletePlan, updatePlan } from '../../plan/write-plan.ts';
import { ancestorsOf } from '../read/ancestors.ts';
import type { Surroundings } from '../surroundings.ts';

/** Most rows that one DELETE takes along (MET-4). */
const MAX_REMOVED = 10_000;

interface Doomed {
  readonly resource: Resource;
  readonly row: Row;
  readonly within: readonly Ancestor[];
  /** References to this row. Those that count come from rows that go with it: they must go first. */
  readonly referrers: ReferenceEdge[];
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
export async function cascadePlans(
  resource: Resource,
  row: Row,
  within: readonly Ancestor[],
  origin: EventOrigin,
  surroundings: Surroundings,
): Promise<CascadePlans> {
  const removal = new Cascade(resource, surroundings);
  await removal.doom(resource, row, within);
  await removal.refuseRestricted();
  return { plans: removal.plans(keyOf(resource, row.id), origin), removed: removal.removed };
}

/** What a removal takes: its plans, and the rows that go. */
export interface CascadePlans {
  readonly plans: readonly WritePlan[];
  readonly removed: readonly { readonly resource: Resource; readonly row: Row }[];
}

class Cascade {
  /** What the caller removes: every refusal is told as its own. */
  readonly #target: Resource;
  readonly #surroundings: Surroundings;
  readonly #doomed = new Map<string, Doomed>();
  /** Rows that lose references, by key; a row that refers to several of the removed ones is changed once, one that goes too not at all. */
  readonly #loosened = new Map<string, Loosened>();

  constructor(target: Resource, surroundings: Surroundings) {
    this.#target = target;
    this.#surroundings = surroundings;
  }

  async doom(resource: Resource, row: Row, within: readonly Ancestor[]): Promise<void> {
    const doomed: Doomed = { resource, row, within, referrers: [] };
    this.#doomed.set(keyOf(resource, row.id), doomed);
    for (const dependent of resource.dependents) {
      if (dependent.onDelete === 'restrict') continue;
      const referring = this.#resource(dependent.resource);
      const others = await this.#referring(dependent, row.id, MAX_REMOVED + 1);
      this.#bound(others.map((other) => keyOf(referring, other.id)));
      for (const other of others) {
        const loose = dependent.onDelete === 'nullify';
        doomed.referrers.push({ from: keyOf(referring, other.id), field: dependent.field, nullable: loose });
        if (loose) await this.#loosen(dependent, referring, other, row.id);
        else await this.#cascade(dependent, referring, other, doomed);
      }
    }
  }

  get removed(): CascadePlans['removed'] {
    return [...this.#doomed.values()];
  }

  /** Refuses when a row that stays refers to one that goes. */
  async refuseRestricted(): Promise<void> {
    for (const doomed of this.#doomed.values()) {
      for (const dependent of doomed.resource.dependents) {
        if (dependent.onDelete !== 'restrict') continue;
        const referring = this.#resource(dependent.resource);
        for (const other of await this.#referring(dependent, doomed.row.id, this.#doomed.size + 1)) {
          const from = keyOf(referring, other.id);
          if (!this.#doomed.has(from)) throw hasDependents(this.#target, referring);
          doomed.referrers.push({ from, field: dependent.field, nullable: false });
        }
      }
    }
  }

  plans(root: string, origin: EventOrigin): readonly WritePlan[] {
    const { events } = this.#surroundings;
    const { order, detached } = deletionOrder(root, (key) =>
      (this.#doomed.get(key)?.referrers ?? []).filter(({ from }) => this.#doomed.has(from) && from !== key),
    );
    const kept = [...this.#loosened].filter(([key]) => !this.#doomed.has(key)).map(([, loosened]) => loosened);
    const changes = kept.map(({ resource, row, within, values }) =>
      updatePlan(events, origin, { resource, within, row }, { ...row, ...values }),
    );
    const removals = order.flatMap((key) => {
      const doomed = this.#doomed.get(key);
      return doomed === undefined ? [] : [deletePlan(events, origin, doomed)];
    });
    return [...changes.filter((plan) => plan !== null), ...this.#detach(detached, origin), ...removals];
  }

  /** The references of rows that go which have to be unset first. */
  #detach(edges: readonly ReferenceEdge[], { at }: EventOrigin): readonly WritePlan[] {
    return edges.flatMap(({ from, field }) => {
      const doomed = this.#doomed.get(from);
      if (doomed === undefined) return [];
      const { resource, row } = doomed;
      const values = { [field]: Array.isArray(row[field]) ? [] : null };
      const revision = expectedRevision(row.revision);
      return [{ kind: 'detach', resource: resource.name, id: row.id, revision, values, at, event: null }];
    });
  }

  #bound(found: readonly string[]): void {
    const more = found.filter((key) => !this.#doomed.has(key) && !this.#loosened.has(key));
    if (this.#doomed.size + this.#loosened.size + more.length > MAX_REMOVED) throw tooMany(this.#target);
  }

  async #cascade(dependent: Dependent, referring: Resource, other: Row, target: Doomed): Promise<void> {
    if (this.#doomed.has(keyOf(referring, other.id))) return;
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
    const page = await this.#surroundings.rows.list({
      kind: 'list',
      resource,
      within: [],
      filter: [condition],
      order: [{ path: 'id', descending: false }],
      window: { kind: 'seek', after: null, backward: false, limit },
      count: { kind: 'none' },
      effort: many ? 'unbounded' : 'light',
    });
    return page.rows;
  }

  /** The rows above one that was found by a reference, nearest first. */
  async #ancestors(resource: Resource, row: Row): Promise<readonly Ancestor[]> {
    const parent = resource.parent === null ? null : row[resource.parent.field];
    return typeof parent === 'string' ? ancestorsOf(resource, parent, this.#surroundings) : [];
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
  return resourceError(target.code, 'HAS_DEPENDENTS', message);
}

function tooMany(target: Resource): Error {
  const message = `More than ${MAX_REMOVED} rows would go with this ${target.singular}; remove some of them first.`;
  return resourceError(target.code, 'HAS_DEPENDENTS', message);
}

/** What the database answers when a row began to refer to the one to be removed meanwhile, time after time. */
export function stillReferredTo(target: Resource): Error {
  const message = `Other resources still refer to this ${target.singular}; remove or change them first.`;
  return resourceError(target.code, 'HAS_DEPENDENTS', message);
}
