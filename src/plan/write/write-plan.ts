import type { Json } from '../../conventions/json/json.ts';
import { hasRoles } from '../../model/auth-rules.ts';
import type { Resource } from '../../model/model.ts';
import { type EventContext, type EventOrigin, changeEvent } from '../events/change-event.ts';
import { changedFields } from './draft.ts';
import { type IndexedRow, overlongPaths } from '../list/index-size.ts';
import { expectedRevision } from './pending-revisions.ts';
import type { Ancestor, Columns, CreatePlan, DeletePlan, FieldValues, Row, SettledPlan, UpdatePlan } from '../plan.ts';
import { type LocatedValues, recordedFields, recordedValues, relatedValues } from '../events/recorded-values.ts';

/** The writer of a plan, and the context of its events. */
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

/** When a row was created and last changed. */
type RowTimes = Pick<CreatePlan, 'at' | 'updatedAt'>;

/**
 * The plan that creates a row, with its event.
 *
 * @param times other than that of the write for a row that existed elsewhere
 */
export function createPlan(
  author: WriteAuthor,
  target: RowToCreate,
  values: FieldValues,
  times: RowTimes = { at: author.origin.at },
): CreatePlan {
  const { resource, within, id } = target;
  const plan = { kind: 'create', resource: resource.name, id, values, within, ...times } as const;
  if (resource.table !== null) {
    const settle = (row: Row): SettledPlan =>
      recordCreation(author, { ...target, id: row.id }, row, { at: row.created_at, updatedAt: row.updated_at });
    return { ...plan, event: null, settle };
  }
  return {
    ...plan,
    ...findOverlong(resource, { id, within, values }),
    ...recordCreation(author, target, values, times),
  };
}

function recordCreation(
  { events, origin }: WriteAuthor,
  { resource, within, id }: RowToCreate,
  values: FieldValues,
  times: RowTimes,
): SettledPlan {
  // Unset fields are not reported as changed: consumers assume them to be unset.
  const changed = resource.fields.map(({ name }) => name).filter((name) => isSet(values[name] ?? null));
  const event = changeEvent(events, origin, {
    verb: 'created',
    resource,
    id,
    within,
    changed,
    values,
    before: null,
    times: { created_at: times.at, updated_at: times.updatedAt ?? times.at },
  });
  return { id, event, ...(event === null ? {} : listRelated(events, resource, null, { values, within })) };
}

/** The plan that updates a row, with its event; null if no value differs (MET-7). */
export function updatePlan(author: WriteAuthor, current: CurrentRow, values: FieldValues): UpdatePlan | null {
  const { resource, within, row } = current;
  const changed = changedFields(resource, values, row);
  if (changed.length === 0) return null;
  const { id, revision } = row;
  const at = latest(author.origin.at, row.updated_at);
  const changes = Object.fromEntries(changed.map((name) => [name, values[name] ?? null]));
  const plan = {
    kind: 'update',
    resource: resource.name,
    id,
    within,
    values: changes,
    revision: expectedRevision(revision),
    at,
  } as const;
  if (resource.table !== null)
    return { ...plan, event: null, settle: (after) => recordUpdate(author, current, after, after.updated_at) };
  return {
    ...plan,
    ...findOverlong(resource, { id, within, values }),
    ...recordUpdate(author, current, values, at),
  };
}

function recordUpdate(
  { events, origin }: WriteAuthor,
  { resource, within, row }: CurrentRow,
  values: FieldValues,
  at: string,
): SettledPlan {
  const { id } = row;
  const changed = changedFields(resource, values, row);
  if (changed.length === 0) return { id, event: null };
  const event = changeEvent(events, origin, {
    verb: 'updated',
    resource,
    id,
    within,
    changed,
    values,
    before: row,
    times: { created_at: row.created_at, updated_at: at },
  });
  const related =
    event === null ? {} : listRelated(events, resource, { values: row, within }, { values, within, stored: row });
  return { id, event, ...related };
}

function findOverlong(resource: Resource, row: IndexedRow): Pick<CreatePlan, 'overlong'> {
  const overlong = overlongPaths(resource, row);
  return overlong.length === 0 ? {} : { overlong };
}

/** Keeps `updated_at` monotonic if the clock goes back, so that If-Modified-Since stays correct (CACHE-4). */
function latest(one: string, other: string): string {
  return other > one ? other : one;
}

/** The fields of a row that {@link deletePlan} reads; null for all. */
export function deletedColumns({ events }: WriteAuthor, resource: Resource): Columns | null {
  if (resource.events === 'full') return null;
  const recorded = events === null ? [] : recordedFields(events.model.resources)(resource).fields;
  const references = resource.fields.filter(({ reference }) => reference !== null).map(({ name }) => name);
  return [...new Set([...recorded, ...references, ...resource.parentKey.slice(0, 1)])];
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
    times: {},
  });
  const isRecorded = event !== null || resource.tombstones !== null;
  return {
    kind: 'delete',
    resource: resource.name,
    id,
    within,
    event,
    revision: expectedRevision(revision),
    ...makeTombstone(events, resource, row, origin.at),
    ...(isRecorded ? listRelated(events, resource, { values: row, within }, null) : {}),
  };
}

/**
 * Lists the values to record of referenced rows. A write without events has no model. Rows that the database judges by
 * roles have none: policies do not judge their events, and the server may not read what they refer to.
 */
function listRelated(
  events: EventContext | null,
  resource: Resource,
  before: LocatedValues | null,
  after: LocatedValues | null,
): Pick<CreatePlan, 'related'> {
  if (events === null || (resource.table !== null && hasRoles(events.model))) return {};
  const related = relatedValues(events.model.resources, resource, before, after);
  return related === null ? {} : { related };
}

function makeTombstone(
  events: EventContext | null,
  resource: Resource,
  row: Row,
  at: string,
): Pick<DeletePlan, 'tombstone'> {
  if (resource.tombstones === null) return {};
  const values = (events === null ? null : recordedValues(events.model.resources, resource, row)) ?? {};
  return { tombstone: { values, expiresAt: Date.parse(at) + resource.tombstones } };
}

/** True if a value is set; an empty array is not (REP-4). */
function isSet(value: Json): boolean {
  return value !== null && !(Array.isArray(value) && value.length === 0);
}
