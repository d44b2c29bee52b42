import type { EventDraft } from '../conventions/event.ts';
import type { JsonObject } from '../conventions/json.ts';
import type { Model, Resource } from '../model/model.ts';
import { weakMemoize } from '../cache/memoize.ts';
import type { UrlBuilder, LinkBase } from './url-builder.ts';
import type { Ancestor, FieldValues } from './plan.ts';

/** Who wrote, and under which trace: what every event of a request carries (EVT-2). */
export interface EventOrigin {
  readonly correlationId: string;
  readonly traceId: string;
  /** The caller; null where none is known. */
  readonly actor: string | null;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
}

/** What happened to one row. `values` are those after a change, or before a removal. */
export interface RowChange {
  readonly verb: 'created' | 'updated' | 'deleted';
  readonly resource: Resource;
  readonly id: string;
  readonly within: readonly Ancestor[];
  readonly changed: readonly string[];
  readonly values: FieldValues;
}

/** What events need of their surroundings. `base` is absolute and path-versioned: consumers have no request to resolve a URL against. */
export interface EventContext {
  readonly model: Model;
  readonly urls: UrlBuilder;
  base(): LinkBase;
  /** Makes the id of an event: a UUIDv7. */
  id(): string;
}

/** The event of a change (EVT-1, EVT-2); null where the model wants none. Write-only fields are in no part of it (REP-11). */
export function changeEvent(source: EventContext, origin: EventOrigin, happening: RowChange): EventDraft | null {
  const { verb, resource, id, within, changed, values } = happening;
  if (resource.events === 'none') return null;
  const { types, told, readable } = commonOf(resource);
  const { major, minor } = source.model.version;
  return {
    id: source.id(),
    type: types[verb],
    payload: {
      timestamp: origin.at,
      resource: { type: resource.singular, id, url: source.urls.item(source.base(), resource, within, id) },
      parents: within.map((row) => ({ type: source.model.resources.get(row.resource)?.singular ?? '', id: row.id })),
      changed_fields: changed.filter((name) => told.has(name)),
      ...(resource.events === 'full' ? { data: dataOf(id, readable, values) } : {}),
    },
    metadata: {
      trace_id: origin.traceId,
      correlation_id: origin.correlationId,
      schema_version: `${major}.${minor}`,
      actor: origin.actor,
    },
  };
}

/** What all events of a resource have in common. */
const commonOf = weakMemoize((resource: Resource) => {
  const readable = resource.fields.filter(({ writeOnly }) => !writeOnly).map(({ name }) => name);
  // Joined they are one piece, which `JSON.stringify` writes faster.
  const type = (verb: RowChange['verb']): string => [resource.singular, verb].join('.');
  return {
    types: { created: type('created'), updated: type('updated'), deleted: type('deleted') },
    readable,
    /** Of what changed: where a row is, its path tells. */
    told: new Set(readable.filter((name) => name !== resource.parent?.field)),
  };
});

function dataOf(id: string, readable: readonly string[], values: FieldValues): JsonObject {
  return Object.fromEntries([['id', id], ...readable.map((name) => [name, values[name] ?? null])]);
}
