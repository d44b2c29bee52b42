import type { ApiCalls } from '../api/calls.ts';
import { readJson } from '../api/read-json.ts';
import type { ApiCollection, ApiSchema } from '../schema/api-schema.ts';

/** An event as the log has it. */
export interface LoggedEvent {
  readonly id: string;
  readonly type: string;
  readonly payload: {
    readonly timestamp: string;
    readonly resource: { readonly type: string; readonly id: string };
    /** The items above it, nearest first. */
    readonly parents: readonly { readonly type: string; readonly id: string }[];
    readonly changed_fields: readonly string[];
  };
  readonly metadata: { readonly sequence: string; readonly correlation_id: string; readonly actor: string | null };
}

/** The spans of time that the log can begin before now, in milliseconds; null for its first event. */
export const SPANS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000, all: null } as const;

export type Span = keyof typeof SPANS;

/** Which events a person looks at. */
export interface EventFilter {
  readonly collection: string | null;
  readonly type: string | null;
  readonly rowId: string | null;
  /** Compared here: the API has no filter for it. */
  readonly correlation: string | null;
  readonly span: Span;
  /** A time at which the log begins instead of the span. */
  readonly from: string | null;
}

/** A part of the log, the oldest event first. */
export interface LogPart {
  readonly events: readonly LoggedEvent[];
  /** The cursor of the next part; null after the last one. */
  readonly next: string | null;
}

interface EventPage {
  readonly data: readonly LoggedEvent[];
  readonly page: { readonly has_more: boolean; readonly end_cursor: string };
}

/** The pages of 100 events that are read together. */
const PAGES = 5;

/** Reads the filter of a link: `?collection=books&id=…`. The events of one row or request are read from the first. */
export function readEventFilter(search: Readonly<Record<string, string>>): EventFilter {
  const { collection = null, type = null, id: rowId = null, correlation = null, since = '', from = null } = search;
  const span = isSpan(since) ? since : rowId === null && correlation === null ? 'day' : 'all';
  return { collection, type, rowId, correlation, span, from };
}

function isSpan(value: string): value is Span {
  return Object.hasOwn(SPANS, value);
}

/** The collections that have events. */
export function listEventCollections({ collections }: ApiSchema): readonly ApiCollection[] {
  return [...collections.values()].filter(({ path }) => !path.startsWith('/webhooks/'));
}

/** The types of events that the collections have, those of one collection if it is named. */
export function listEventTypes(schema: ApiSchema, name: string | null): readonly string[] {
  return listEventCollections(schema).flatMap((each) =>
    name === null || each.name === name ? listVerbs(each).map((verb) => `${each.type}.${verb}`) : [],
  );
}

function listVerbs({ path }: ApiCollection): readonly string[] {
  return path === '/webhooks' ? ['disabled'] : ['created', 'updated', 'deleted'];
}

/**
 * Reads a part of the log.
 *
 * @param after where the part begins; null for the begin of the span
 * @throws {ResponseError}
 */
export async function readLog(calls: ApiCalls, filter: EventFilter, after: string | null): Promise<LogPart> {
  const events: LoggedEvent[] = [];
  let next = after;
  for (let count = 0; count < PAGES; count += 1) {
    const { data, page } = await readJson<EventPage>(await calls.send(`/events?${writeQuery(filter, next)}`));
    events.push(...data);
    if (!page.has_more) return { events, next: null };
    next = page.end_cursor;
  }
  return { events, next };
}

function writeQuery({ collection, type, rowId, span, from }: EventFilter, after: string | null): string {
  const before = SPANS[span];
  const start = from ?? (before === null ? null : new Date(Date.now() - before).toISOString());
  return new URLSearchParams({
    limit: '100',
    ...(collection === null ? {} : { collection: collection.replaceAll('_', '-') }),
    ...(type === null ? {} : { type }),
    ...(rowId === null ? {} : { resource_id: rowId }),
    ...(start === null || after !== null ? {} : { start_time: start }),
    ...(after === null ? {} : { after }),
  }).toString();
}
