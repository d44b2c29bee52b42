import type { Json } from '../conventions/json.ts';
import type { Resource } from '../model/model.ts';
import { type EventContext, type EventOrigin, changeEvent, judgedValues } from './change-event.ts';
import { changedFields } from './draft.ts';
import { expectedRevision } from './pending-revisions.ts';
import type { Ancestor, CreatePlan, DeletePlan, Row, UpdatePlan, FieldValues } from './plan.ts';

/** Who writes, and how its events are made. */
export interface WriteAuthor {
  /** null for writes that publish no events. */
  readonly events: EventContext | null;
  readonly origin: EventOrigin;
}

/** A resource, with the ancestors of one of its rows. */
interface RowLocation {
  readonly resource: Resource;
  readonly within: readonly Ancestor[];
}

/** The id of a row to create, with its resource and ancestors. */
type RowToCreate = RowLocation & { readonly id: string };

/** A row as it is stored, with its resource and ancestors. */
export type CurrentRow = RowLocation & { readonly row: Row };

/** The plan that creates a row, with its event. */
export function createPlan(
  { events, origin }: WriteAuthor,
  { resource, within, id }: RowToCreate,
  values: FieldValues,
): CreatePlan {
  // Unset fields are not reported as changed: consumers assume them to be unset.
  const changed = resource.fields.map(({ name }) => name).filter((name) => isSet(values[name] ?? null));
  const event = changeEvent(events, origin, { verb: 'created', resource, id, within, changed, values, before: null });
  return { kind: 'create', resource: resource.name, id, values, within, at: origin.at, event };
}

/** The plan that updates a row, with its event; null if no value differs (MET-7). */
export function updatePlan(
  { events, origin }: WriteAuthor,
  { resource, within, row }: CurrentRow,
  values: FieldValues,
): UpdatePlan | null {
  const changed = changedFields(resource, values, row);
  if (changed.length === 0) return null;
  const { id, revision } = row;
  const event = changeEvent(events, origin, { verb: 'updated', resource, id, within, changed, values, before: row });
  const changes = Object.fromEntries(changed.map((name) => [name, values[name] ?? null]));
  return {
    kind: 'update',
    resource: resource.name,
    id,
    within,
    values: changes,
    revision: expectedRevision(revision),
    at: latest(origin.at, row.updated_at),
    event,
  };
}

/** Keeps `updated_at` monotonic if the clock goes back, so that If-Modified-Since stays correct (CACHE-4). */
function latest(one: string, other: string): string {
  return one > other ? one : other;
}

/** The plan that deletes a row, with its event. */
export function deletePlan({ events, origin }: WriteAuthor, { resource, within, row }: CurrentRow): DeletePlan {
  const { id, revision } = row;
  const event = changeEvent(events, origin, {
    verb: 'deleted',
    resource,
    id,
    within,
    changed: [],
    values: row,
    before: row,
  });
  const plan = { kind: 'delete', resource: resource.name, id, within, event } as const;
  return { ...plan, revision: expectedRevision(revision), ...tombstoneOf(resource, row, origin.at) };
}

function tombstoneOf(resource: Resource, row: Row, at: string): Pick<DeletePlan, 'tombstone'> {
  if (resource.tombstones === null) return {};
  return { tombstone: { values: judgedValues(resource, row), expiresAt: Date.parse(at) + resource.tombstones } };
}

/** Whether a value is set; an empty array is not (REP-4). */
function isSet(value: Json): boolean {
  return value !== null && !(Array.isArray(value) && value.length === 0);
}
