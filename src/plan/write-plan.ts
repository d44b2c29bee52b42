import type { Json } from '../conventions/json.ts';
import type { Resource } from '../model/model.ts';
import { type EventContext, type EventOrigin, changeEvent } from './change-event.ts';
import { changedFields } from './draft.ts';
import { expectedRevision } from './pending-revisions.ts';
import type { Ancestor, CreatePlan, DeletePlan, Row, UpdatePlan, FieldValues } from './plan.ts';

/** A row and where it stands. */
export interface RowLocation {
  readonly resource: Resource;
  readonly within: readonly Ancestor[];
}

/** The creation of a row with its event. */
export function createPlan(
  source: EventContext,
  origin: EventOrigin,
  place: RowLocation,
  id: string,
  values: FieldValues,
): CreatePlan {
  const { resource, within } = place;
  // What was left unset was not changed by a creation: it is what the consumer assumes already.
  const changed = resource.fields.map(({ name }) => name).filter((name) => isSet(values[name] ?? null));
  const event = changeEvent(source, origin, { verb: 'created', resource, id, within, changed, values });
  return { kind: 'create', resource: resource.name, id, values, within, at: origin.at, event };
}

/** The change of a row to new values; null where they are the row's own (MET-7). */
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
  const only = Object.fromEntries(changed.map((name) => [name, values[name] ?? null]));
  return {
    kind: 'update',
    resource: resource.name,
    id,
    values: only,
    revision: expectedRevision(revision),
    at: later(origin.at, current.updated_at),
    event,
  };
}

/** A row was never changed before it was changed last, whatever becomes of the clock: what is told to be unchanged since then is (CACHE-4). */
function later(one: string, other: string): string {
  return one > other ? one : other;
}

/** The removal of a row. */
export function deletePlan(source: EventContext, origin: EventOrigin, place: RowLocation, current: Row): DeletePlan {
  const { resource, within } = place;
  const { id, revision } = current;
  const event = changeEvent(source, origin, { verb: 'deleted', resource, id, within, changed: [], values: current });
  return { kind: 'delete', resource: resource.name, id, revision: expectedRevision(revision), event };
}

/** Whether a value is more than unset; an unset array is an empty one (REP-4). */
function isSet(value: Json): boolean {
  return value !== null && !(Array.isArray(value) && value.length === 0);
}
