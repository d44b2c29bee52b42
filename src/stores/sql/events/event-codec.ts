import { memoize } from '../../../cache/memoize.ts';
import { type EventDraft, type EventEnvelope, sequenceText } from '../../../conventions/events/event.ts';
import { timestamp } from '../../../conventions/text/timestamp.ts';
import { writeOrderedJson } from '../../../formats/json.ts';
import type { Model, OlderVersion } from '../../../model/model.ts';
import type { EventValues } from '../../../versions/event-conversion.ts';
import type { EventAccess, LoggedEvent, OriginalValues } from '../../store.ts';
import type { SqlRow } from '../dialect.ts';
import { type EventHistory, eventHistory, type EventStep } from './event-steps.ts';
import { packTexts, unpackTexts } from './packed-text.ts';
import { fillTemplate, type UrlTemplate, urlTemplate } from './url-template.ts';

/**
 * Properties that many events have in common, stored once, as JSON. These are type, type of the resource, schema
 * version, changed fields, types of the parents, and the URL without ids. The steps of migrations since follow, the
 * earliest first.
 */
type EventShape = readonly [
  type: string,
  resource: string,
  version: string,
  changed: readonly string[],
  parents: readonly string[],
  url: UrlTemplate | null,
  ...steps: EventStep[],
];

/** The rest of an event. Absent members follow from the other columns. */
interface Detail {
  /** Ids of the parents, nearest first. */
  readonly parents?: readonly string[];
  /** The URL, where the template does not produce it. */
  readonly url?: string;
  /** The timestamp, where it is not that of the time in milliseconds. */
  readonly timestamp?: string;
  readonly before?: EventAccess['before'];
  readonly after?: EventAccess['after'];
  readonly members?: readonly string[];
  /** The recorded values of related rows before and after the change, or the same for both (`add-recorded.ts`). */
  readonly related?: readonly [before: Recorded, after?: Recorded];
}

type Recorded = NonNullable<EventAccess['before']>;

/** The values of an event's columns, other than its sequence and what it shares with other events. */
export interface PackedEvent {
  readonly type: string;
  readonly resourceType: string;
  /** JSON of what many events have in common. */
  readonly shape: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly id: Uint8Array;
  readonly resourceId: Uint8Array;
  /** Trace, correlation id, actor and writer: the same for all events of a request. */
  readonly origin: Uint8Array;
  /** JSON of `payload.data`, in the order of its members; null without data. */
  readonly data: string | null;
  /** JSON; null where nothing is left. */
  readonly detail: string | null;
}

/** Packs an event, so that {@link StoredEvent} makes the same bytes of it. */
export function packEvent(draft: EventDraft): PackedEvent {
  const { id, type, payload, metadata, access = null } = draft;
  const { resource, parents, changed_fields: changed } = payload;
  const ids = [resource.id, ...parents.map((parent) => parent.id)];
  const url = urlTemplate(resource.url, ids);
  const shape: EventShape = [
    type,
    resource.type,
    metadata.schema_version,
    changed,
    parents.map((each) => each.type),
    url,
  ];
  const at = Date.parse(payload.timestamp);
  const detail: Detail = {
    ...(parents.length > 0 ? { parents: ids.slice(1) } : {}),
    ...(url === null ? { url: resource.url } : {}),
    ...(timestamp(at) === payload.timestamp ? {} : { timestamp: payload.timestamp }),
    ...(access?.before ? { before: access.before } : {}),
    ...(access?.after ? { after: access.after } : {}),
    ...(access?.members === undefined ? {} : { members: access.members }),
  };
  const { issuer = null, subject = null, client = null } = access?.writer ?? {};
  return {
    type,
    resourceType: resource.type,
    shape: JSON.stringify(shape),
    at,
    id: packTexts([id]),
    resourceId: packTexts([resource.id]),
    origin: packTexts([metadata.trace_id, metadata.correlation_id, metadata.actor, issuer, subject, client]),
    data: payload.data === undefined ? null : writeOrderedJson(payload.data),
    detail: Object.keys(detail).length === 0 ? null : JSON.stringify(detail),
  };
}

/** A shape, and the way to the newest values: the same for all its events. */
interface ReadShape extends EventHistory {
  readonly shape: EventShape;
}

export type ReadShapes = (json: string) => ReadShape;

/**
 * Reads the shapes of a log.
 *
 * @param model the newest one; null to leave values in the form of their contracts
 * @param paired the contract of an older model that is served next to it; null for none
 */
export function readShapes(model: Model | null, paired: OlderVersion | null = null): ReadShapes {
  return memoize((json) => {
    const shape: EventShape = JSON.parse(json);
    const [, resource, schemaVersion, changed, , , ...steps] = shape;
    return { shape, ...eventHistory(model, { schemaVersion, resource, changed, steps, paired }) };
  });
}

/**
 * The event of a row, unpacked when it is needed. One of an older version is stored as its envelope, and has no access
 * data.
 */
export class StoredEvent implements LoggedEvent {
  readonly sequence: number;
  readonly type: string;
  readonly #row: SqlRow;
  readonly #shape: string;
  readonly #shapes: ReadShapes;
  #unpacked: Unpacked | null = null;
  #json: string | null = null;
  #event: EventEnvelope | null = null;

  constructor(row: SqlRow, shapes: ReadShapes) {
    this.sequence = Number(row['sequence']);
    this.type = String(row['type']);
    this.#row = row;
    this.#shape = String(row['shape']);
    this.#shapes = shapes;
  }

  get json(): string {
    this.#json ??= writeEnvelope(this.#all);
    return this.#json;
  }

  get access(): EventAccess | null {
    return this.#all.access;
  }

  get original(): OriginalValues | null {
    return this.#all.original;
  }

  get event(): EventEnvelope {
    this.#event ??= readEnvelope(this.#all);
    return this.#event;
  }

  get #all(): Unpacked {
    this.#unpacked ??= unpack(this.#row, this.#shape, this.#shapes);
    return this.#unpacked;
  }
}

interface Unpacked extends Pick<LoggedEvent, 'access'> {
  readonly original: OriginalValues | null;
  /** Without data; null for an event that is stored as its envelope. */
  readonly envelope: EventEnvelope | null;
  /** JSON of the data, or of that envelope; null without data. */
  readonly text: string | null;
}

function unpack(row: SqlRow, shape: string, shapes: ReadShapes): Unpacked {
  const { detail } = row;
  if (!shape.startsWith('[')) return { envelope: null, text: String(detail), access: null, original: null };
  const left: Detail = typeof detail === 'string' ? JSON.parse(detail) : {};
  const origin = unpackTexts(readBytes(row['origin']));
  const [, , , issuer = null, subject = null, client = null] = origin;
  const read = shapes(shape);
  const renamed = renamedValues(row, read, left);
  const { conversion } = read;
  const values = conversion?.convert(renamed, read.shape[0].endsWith('.created')) ?? renamed;
  const { before, after, members } = values;
  const access = {
    writer: { issuer, subject, client },
    before,
    after,
    ...(members === undefined ? {} : { members }),
  };
  const { changed, data } = renamed;
  const original = conversion === null ? null : { version: conversion.version, changed, data };
  // Bytes that nothing changes are not written again.
  const isSame = conversion === null && read.renamed.isEmpty;
  const text = isSame ? storedData(row) : values.data === null ? null : writeOrderedJson(values.data);
  return { envelope: unpackEnvelope(row, { ...read, left, origin, changed: values.changed }), text, access, original };
}

/** The values of an event under the names that they had when its contract was the newest one. */
function renamedValues(row: SqlRow, { shape, renamed, conversion }: ReadShape, left: Detail): EventValues {
  const [before = null, after = before] = left.related ?? [];
  const text = conversion === null && renamed.isEmpty ? null : storedData(row);
  return {
    changed: renamed.names(shape[3]),
    ...(left.members === undefined ? {} : { members: renamed.names(left.members) }),
    data: text === null ? null : renamed.members(JSON.parse(text)),
    before: renamed.members(recorded(left.before ?? null, before)),
    after: renamed.members(recorded(left.after ?? null, after)),
  };
}

/** JSON; null for an event without data. */
function storedData(row: SqlRow): string | null {
  return row['data'] === null ? null : String(row['data']);
}

/** The values of a row with those of related rows; null where the row did not exist, or nothing is recorded of it. */
function recorded(own: Recorded | null, related: Recorded | null): Recorded | null {
  return own === null || related === null ? own : { ...own, ...related };
}

interface EnvelopeParts {
  readonly shape: EventShape;
  readonly left: Detail;
  readonly origin: readonly (string | null)[];
  readonly changed: readonly string[];
}

/** The envelope without data, in the order of its members (EVT-2). */
function unpackEnvelope(row: SqlRow, { shape, left, origin, changed }: EnvelopeParts): EventEnvelope {
  const [type, resourceType, version, , parentTypes, url] = shape;
  const [resourceId = ''] = unpackTexts(readBytes(row['resource_id']));
  const ids = [resourceId ?? '', ...(left.parents ?? [])];
  const path = url === null ? (left.url ?? '') : fillTemplate(url, ids);
  const payload = {
    timestamp: left.timestamp ?? timestamp(Number(row['at'])),
    resource: { type: resourceType, id: resourceId ?? '', url: path },
    parents: parentTypes.map((parent, index) => ({ type: parent, id: ids[index + 1] ?? '' })),
    changed_fields: changed,
  };
  const metadata = {
    trace_id: origin[0] ?? '',
    correlation_id: origin[1] ?? '',
    schema_version: version,
    sequence: sequenceText(Number(row['sequence'])),
    actor: origin[2] ?? null,
    caller: { issuer: origin[3] ?? null, subject: origin[4] ?? origin[2] ?? null, client: origin[5] ?? null },
  };
  return { id: unpackTexts(readBytes(row['id']))[0] ?? '', type, payload, metadata };
}

function readEnvelope({ envelope, text }: Unpacked): EventEnvelope {
  if (envelope === null || text === null) return envelope ?? JSON.parse(text ?? '');
  return { ...envelope, payload: { ...envelope.payload, data: JSON.parse(text) } };
}

/** Writes an envelope with the bytes of its data as they are stored. */
function writeEnvelope({ envelope, text }: Unpacked): string {
  if (envelope === null) return text ?? '';
  const { id, type, payload, metadata } = envelope;
  const head = JSON.stringify({ id, type }).slice(0, -1);
  const data = text === null ? '}' : `,"data":${text}}`;
  return `${head},"payload":${JSON.stringify(payload).slice(0, -1)}${data},"metadata":${JSON.stringify(metadata)}}`;
}

/**
 * The changed row as its event names it: the singular name of its resource, and its id.
 *
 * @param row with `resource` and `resource_id`
 */
export function changedRow(row: SqlRow): { readonly type: string; readonly id: string } {
  const [id] = unpackTexts(readBytes(row['resource_id']));
  return { type: String(row['resource']), id: id ?? '' };
}

function readBytes(value: SqlRow[string] | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new Error('A column of restwright_events has no bytes');
}
