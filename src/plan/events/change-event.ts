import type { EventAccess, EventDraft } from '../../conventions/events/event.ts';
import type { JsonObject } from '../../conventions/json/json.ts';
import type { Model, Resource } from '../../model/model.ts';
import { weakMemoize } from '../../cache/memoize.ts';
import { publishedFields } from '../../model/event-types.ts';
import type { UrlBuilder, LinkBase } from '../routes/url-builder.ts';
import type { Ancestor, FieldValues } from '../plan.ts';
import { changedMembers } from './changed-members.ts';
import { recordedValues } from './recorded-values.ts';

/** The common part of all events of a request: its actor, time, trace and correlation id (EVT-2). */
export interface EventOrigin {
  readonly correlationId: string;
  readonly traceId: string;
  /** The subject of the caller; null without one. */
  readonly actor: string | null;
  /** The writer, which decides who may see the event. Default: not known. */
  readonly writer?: EventAccess['writer'];
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
}

/** A change of one row. `values` are those after a create or update, or before a delete. */
interface RowChange {
  readonly verb: 'created' | 'updated' | 'deleted';
  readonly resource: Resource;
  readonly id: string;
  readonly within: readonly Ancestor[];
  readonly changed: readonly string[];
  readonly values: FieldValues;
  /** The values before the write; null for a create. */
  readonly before: FieldValues | null;
  /** `created_at` and `updated_at` after the write. */
  readonly times: FieldValues;
}

/**
 * The context of events besides the change. `base` is absolute and contains the version: consumers have no request to
 * resolve a URL against.
 */
export interface EventContext {
  readonly model: Model;
  readonly urls: UrlBuilder;
  base(): LinkBase;
  /** Makes an event id, a UUIDv7. */
  id(): string;
}

/**
 * The event of a change (EVT-1, EVT-2); null if the model publishes none. It never contains write-only fields (REP-11).
 *
 * @param source null for a write that publishes no events
 */
export function changeEvent(source: EventContext | null, origin: EventOrigin, change: RowChange): EventDraft | null {
  const { verb, resource, id, within, changed, values } = change;
  if (source === null || resource.events === 'none') return null;
  if (resource.events === 'disabled' && !isDisabled(change)) return null;
  const { types, reported, readable } = eventTemplate(resource);
  const { major, minor } = source.model.version;
  return {
    id: source.id(),
    type: resource.events === 'disabled' ? types.disabled : types[verb],
    payload: {
      timestamp: origin.at,
      resource: { type: resource.singular, id, url: source.urls.item(source.base(), resource, within, id) },
      parents: within.map((row) => ({ type: source.model.resources.get(row.resource)?.singular ?? '', id: row.id })),
      changed_fields: changed.filter((name) => reported.has(name)),
      ...(resource.events === 'thin' ? {} : { data: selectData(id, readable, values) }),
    },
    metadata: {
      trace_id: origin.traceId,
      correlation_id: origin.correlationId,
      schema_version: `${major}.${minor}`,
      actor: origin.actor,
    },
    access: recordAccess(source.model, origin, change),
  };
}

/** True if a webhook was disabled. */
function isDisabled({ verb, changed, values }: RowChange): boolean {
  return verb === 'updated' && changed.includes('status') && values['status'] === 'disabled';
}

/**
 * The writer, the values by which row policies decide who may see the event (EVT-8), and its changes for older
 * contracts (VER-5).
 */
function recordAccess(model: Model, { writer = UNKNOWN }: EventOrigin, change: RowChange): EventAccess {
  const { resource, verb, values, before, times } = change;
  const { resources } = model;
  const members = changedMembers(model, resource, change);
  return {
    writer,
    before: before === null ? null : recordedValues(resources, resource, before),
    after: verb === 'deleted' ? null : recordedValues(resources, resource, values, times),
    ...(members === null ? {} : { members }),
  };
}

const UNKNOWN: EventAccess['writer'] = { issuer: null, subject: null, client: null };

/** The common part of all events of a resource. */
const eventTemplate = weakMemoize((resource: Resource) => {
  const readable = publishedFields(resource).map(({ name }) => name);
  // join() makes a flat string, which `JSON.stringify` writes faster than a concatenation.
  const type = (verb: RowChange['verb'] | 'disabled'): string => [resource.singular, verb].join('.');
  return {
    types: { created: type('created'), updated: type('updated'), deleted: type('deleted'), disabled: type('disabled') },
    readable,
    /** Fields that may be in `changed_fields`. The parent's id is not: `parents` has it. */
    reported: new Set(readable.filter((name) => name !== resource.parent?.field)),
  };
});

function selectData(id: string, readable: readonly string[], values: FieldValues): JsonObject {
  return Object.fromEntries([['id', id], ...readable.map((name) => [name, values[name] ?? null])]);
}
