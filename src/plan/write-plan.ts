import type { Json } from '../conventions/json.ts';
import type { Resource } from '../model/model.ts';
import { type EventContext, type EventOrigin, changeEvent } from './change-event.ts';
import { changedFields } from './draft.ts';
import { expectedRevision } from './pending-revisions.ts';
import type { Ancestor, CreatePlan, DeletePlan, Row, UpdatePlan, FieldValues } from './plan.ts';

/** The resource of a row, and its ancestors. */
export interface RowLocation {
  readonly resource: Resource;
  readonly within: readonly Ancestor[];
}

/** The plan that creates a row, with its event. */
export function createPlan(
  source: EventContext,
  origin: EventOrigin,
  place: RowLocation,
  id: string,
  values: FieldValues,
): CreatePlan {
  const { resource, within } = place;
  // Unset fields are not reported as changed: consumers assume them to be unset.
  const changed = resource.fields.map(({ name }) => name).filter((name) => isSet(values[name] ?? null));
  const event = changeEvent(source, origin, { verb: 'created', resource, id, within, changed, values });
  return { kind: 'create', resource: resource.name, id, values, within, at: origin.at, event };
}

/** The plan that updates a row, with its event; null if no value differs (MET-7). */
export function updatePlan(
  source: EventContext,
  origin: EventOrigin,
  place: RowLocation,
  current: Row,
  values: FieldValues,
): UpdatePlan | null {
  const { resource, within } = place;
  const changed = changedFields(resource, values, current);
  if (changed.length === 0) return null;
  const { id, revision } = current;
  const event = changeEvent(source, origin, { verb: 'updated', resource, id, within, changed, values });
  const changes = Object.fromEntries(changed.map((name) => [name, values[name] ?? null]));
  return {
    kind: 'update',
    resource: resource.name,
    id,
    values: changes,
    revision: expectedRevision(revision),
    at: latest(origin.at, current.updated_at),
    event,
  };
}

/** Keeps `updated_at` monotonic if the clock goes back, so that If-Modified-Since stays correct (CACHE-4). */
function latest(one: string, other: string): string {
  return one > other ? one : other;
}

/** The plan that deletes a row, with its event. */
export function deletePlan(source: EventContext, origin: EventOrigin, place: RowLocation, current: Row): DeletePlan {
  const { resource, within } = place;
  const { id, revision } = current;
  const event = changeEvent(source, origin, { verb: 'deleted', resource, id, within, changed: [], values: current });
  return { kind: 'delete', resource: resource.name, id, revision: expectedRevision(revision), event };
}

/** Whether a value is set; an empty array is not (REP-4). */
function isSet(value: Json): boolean {
  return value !== null && !(Array.isArray(value) && value.length === 0);
}
