import type { Json } from '../../conventions/json/json.ts';
import type { Resource } from '../../model/model.ts';
import { referencesIn } from '../write/body-references.ts';
import type { CreatePlan, UpdatePlan } from '../plan.ts';

/** The plans that restore rows, and the row of each. */
export interface RestoringPlans {
  readonly plans: readonly (CreatePlan | UpdatePlan)[];
  /** Index into the rows. */
  readonly rows: readonly number[];
}

/**
 * Orders the plans of rows that are restored together by their references to each other: stores check a reference where
 * it is written. Rows that refer to each other in a cycle are created without a reference, which is set when all of
 * them exist. If the whole cycle is required, the store refuses a row.
 */
export function restoringPlans(resource: Resource, plans: readonly CreatePlan[]): RestoringPlans {
  const order = new RestoreOrder(resource, plans);
  order.place();
  return { plans: [...order.created, ...order.completed], rows: order.rows };
}

/** A reference of a row to another one of those that are restored. */
interface Edge {
  readonly to: number;
  readonly field: string;
}

class RestoreOrder {
  readonly created: CreatePlan[] = [];
  /** They set the references that were left out. */
  readonly completed: UpdatePlan[] = [];
  /** The row of each plan, those of `created` first. */
  readonly rows: number[] = [];
  readonly #resource: Resource;
  readonly #plans: readonly CreatePlan[];
  readonly #edges: readonly (readonly Edge[])[];
  /** The rows that refer to a row. */
  readonly #referring = new Map<number, number[]>();
  readonly #placed = new Set<number>();

  constructor(resource: Resource, plans: readonly CreatePlan[]) {
    this.#resource = resource;
    this.#plans = plans;
    this.#edges = listEdges(resource, plans);
    for (const [row, edges] of this.#edges.entries()) {
      for (const { to } of edges) {
        const referring = this.#referring.get(to);
        if (referring === undefined) this.#referring.set(to, [row]);
        else referring.push(row);
      }
    }
  }

  place(): void {
    const rows = [...this.#plans.keys()];
    for (const row of rows) this.#placeReady(row, row);
    const incomplete: number[] = [];
    for (const row of rows) {
      if (this.#placed.has(row)) continue;
      const fields = this.#missing(row);
      if (!fields.every((field) => this.#isNullable(field))) continue;
      this.#create(row, fields);
      incomplete.push(row);
      for (const referring of this.#referring.get(row) ?? []) this.#placeReady(referring, rows.length);
    }
    for (const row of rows) if (!this.#placed.has(row)) this.#create(row, []);
    this.rows.push(...incomplete);
  }

  /**
   * Places a row if all that it refers to are placed, and then those that waited for it.
   *
   * @param end after the rows that may have waited: others keep their place
   */
  #placeReady(first: number, end: number): void {
    const waiting = [first];
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
      if (this.#placed.has(row) || this.#missing(row).length > 0) continue;
      this.#create(row, []);
      for (const referring of this.#referring.get(row) ?? []) if (referring < end) waiting.push(referring);
    }
  }

  /** The fields that refer to rows that are not placed. */
  #missing(row: number): readonly string[] {
    const missing = (this.#edges[row] ?? []).filter(({ to }) => !this.#placed.has(to));
    return [...new Set(missing.map(({ field }) => field))];
  }

  /** @param without fields that are set later */
  #create(row: number, without: readonly string[]): void {
    const plan = this.#plans[row];
    if (plan === undefined) throw new RangeError(`there is no row ${row}`);
    this.#placed.add(row);
    this.rows.push(row);
    if (without.length === 0) return void this.created.push(plan);
    const { resource, within, id, values, at, updatedAt = at } = plan;
    const unset = without.map((field): [string, Json] => [field, Array.isArray(values[field]) ? [] : null]);
    const set = without.map((field): [string, Json] => [field, values[field] ?? null]);
    const revision = { plan: this.created.length };
    this.created.push({ ...plan, values: { ...values, ...Object.fromEntries(unset) } });
    this.completed.push({
      kind: 'update',
      resource,
      within,
      id,
      values: Object.fromEntries(set),
      revision,
      at: updatedAt,
      event: null,
    });
  }

  #isNullable(field: string): boolean {
    const found = this.#resource.field.get(field);
    return found !== undefined && (found.nullable || found.type.kind === 'array');
  }
}

function listEdges(resource: Resource, plans: readonly CreatePlan[]): readonly (readonly Edge[])[] {
  const isBelowParent = resource.fields.some(({ reference }) => reference?.siblings === true);
  const rowKey = ({ id, within }: Pick<CreatePlan, 'id' | 'within'>): string =>
    JSON.stringify([id, ...(isBelowParent ? within.map((above) => above.id) : [])]);
  const rows = new Map(plans.map((plan, row) => [rowKey(plan), row]));
  return plans.map(({ values, within }, row) => {
    // An array may name a row several times.
    const edges = new Map<string, Edge>();
    for (const reference of referencesIn(resource, values, within)) {
      const to = reference.resource === resource.name ? rows.get(rowKey(reference)) : undefined;
      const field = reference.field.replace(/\[\d+\]$/, '');
      if (to !== undefined && to !== row) edges.set(`${to} ${field}`, { to, field });
    }
    return [...edges.values()];
  });
}
