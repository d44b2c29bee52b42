import assert from 'node:assert/strict';
import type { EventDraft } from '../src/conventions/events/event.ts';
import {
  EVERYTHING,
  type Ancestor,
  type CreatePlan,
  type DeletePlan,
  type FieldValues,
  type ListPlan,
  type Row,
  type RowAddress,
  type UpdatePlan,
  type WritePlan,
  type ItemPlan,
} from '../src/plan/plan.ts';
import type { Store } from '../src/stores/store.ts';
import { productValues } from './sample-model.ts';

/** The default `created_at` of sample rows. */
export const AT = '2026-01-02T03:04:05.678Z';

/** An event for a row. */
export function eventDraft(type: string, resource: string, id: string): EventDraft {
  return {
    id: `${type}:${id}`,
    type,
    payload: {
      timestamp: AT,
      resource: { type: resource, id, url: `/api/v1/${resource}/${id}` },
      parents: [],
      changed_fields: [],
    },
    metadata: { trace_id: 't', correlation_id: 'c', schema_version: '1.0.0', actor: null },
  };
}

export function create(
  resource: string,
  id: string,
  values: FieldValues,
  { within = [], at = AT }: { readonly within?: readonly Ancestor[]; readonly at?: string } = {},
): CreatePlan {
  return { kind: 'create', resource, id, values, within, at, event: eventDraft('created', resource, id) };
}

export function createProduct(id: string, values: FieldValues = {}, at: string = AT): CreatePlan {
  return create('products', id, productValues({ name: id, ...values }), { at });
}

export function createSupplier(id: string, name: string = id): CreatePlan {
  return create('suppliers', id, { name });
}

export function createReview(id: string, product: string): CreatePlan {
  return create('reviews', id, { product_id: product, stars: 5 }, { within: [{ resource: 'products', id: product }] });
}

/** Updates a top-level row. */
export function update(resource: string, id: string, revision: number, values: FieldValues): UpdatePlan {
  const event = eventDraft('updated', resource, id);
  return { kind: 'update', resource, id, within: [], values, revision, at: AT, event };
}

/** Deletes a row, by default a top-level one. */
export function remove(resource: string, id: string, revision: number, within: readonly Ancestor[] = []): DeletePlan {
  return { kind: 'delete', resource, id, within, revision, event: eventDraft('deleted', resource, id) };
}

/** Writes plans as one unit and returns the new revisions. Fails if the unit is refused. */
export async function commit(store: Store, ...plans: readonly WritePlan[]): Promise<readonly number[]> {
  const outcome = await store.writes.commit({ plans });
  assert.ok(outcome.kind === 'committed', `the unit was refused: ${JSON.stringify(outcome)}`);
  return outcome.revisions;
}

/** Reads a row by id and ancestors, by default a top-level one. Fails if it does not exist. */
export async function readRow(
  store: Store,
  resource: string,
  id: string,
  within: readonly Ancestor[] = [],
): Promise<Row> {
  const visible = within.map((ancestor) => ({ ...ancestor, visible: EVERYTHING }));
  const row = await store.rows.item(itemPlan(resource, id, { within: visible }));
  assert.ok(row !== null, `${resource} ${id} does not exist`);
  return row;
}

/** The addresses of top-level rows. */
export function topLevel(...ids: readonly string[]): readonly RowAddress[] {
  return ids.map((id) => ({ id, within: [] }));
}

/** An item plan. Default: the whole row. */
export function itemPlan(resource: string, id: string, changes: Partial<ItemPlan> = {}): ItemPlan {
  return { kind: 'item', resource, id, within: [], visible: EVERYTHING, ...changes };
}

/** A list plan. Default: the first 100 products by id. */
export function listPlan(changes: Partial<ListPlan> = {}): ListPlan {
  return {
    kind: 'list',
    resource: 'products',
    within: [],
    visible: EVERYTHING,
    filter: [],
    order: [{ path: 'id', descending: false }],
    window: { kind: 'offset', offset: 0, limit: 100 },
    count: { kind: 'none' },
    effort: 'light',
    ...changes,
  };
}

/** Ids of the rows of a list plan. */
export async function listIds(store: Store, changes: Partial<ListPlan>): Promise<readonly string[]> {
  const { rows } = await store.rows.list(listPlan(changes));
  return rows.map(({ id }) => id);
}
