import { apiError, type ApiError } from '../../conventions/errors.ts';
import type { EventEnvelope } from '../../conventions/events/event.ts';
import { writeOrderedJson } from '../../formats/json.ts';
import type { EventListQuery } from '../../plan/events/event-query.ts';
import { TimeSlices } from '../../platform/time-slices.ts';
import type { EventLog, LoggedEvent } from '../../stores/store.ts';
import type { Caller } from '../caller.ts';
import { eventNotFound } from '../failures.ts';
import { EventView } from './event-view.ts';

/** The log of events, and the start of its URLs. */
export interface EventSource {
  readonly log: Pick<EventLog, 'list' | 'find' | 'range' | 'lastSequence'>;
  /** Scheme and authority of URLs, if the model has none. */
  readonly origin: () => string;
}

/** Services of {@link readEvents}. */
interface EventServices {
  readonly eventSource: EventSource;
}

/** An event as the caller sees it, and its JSON. */
export interface SeenEvent {
  readonly event: EventEnvelope;
  readonly json: string;
}

/** A page of the log. */
export interface FoundEvents {
  readonly kind: 'events';
  readonly query: EventListQuery;
  readonly events: readonly SeenEvent[];
  /** The sequence up to which the log was read: later events are not on the page. */
  readonly end: number;
  /** True if there are later events by now. */
  readonly hasMore: boolean;
}

/** One event. */
export interface FoundEvent {
  readonly kind: 'event';
  readonly seen: SeenEvent;
}

/** Maximum number of events that are read from the log at a time. */
const MAX_READ = 256;
/** Maximum number of events that one request reads. The page of a caller who sees few of them ends early. */
const MAX_JUDGED = 10_000;

/**
 * Reads a page of the events that the caller may see (EVT-8). It ends early if its items would have too many bytes, or
 * if the caller may see few of the events that are read.
 *
 * @throws {ApiError} EVENT_POSITION_EXPIRED
 */
export async function readEvents(
  caller: Caller,
  query: EventListQuery,
  { eventSource }: EventServices,
): Promise<FoundEvents> {
  const { position } = query;
  const view = viewEvents(caller, eventSource);
  const page = await readPage(query, eventSource.log, {
    maxBytes: caller.contract.model.limits.page.bytes,
    see: (logged) => seen(view, logged),
  });
  // The oldest events are removed first: the events after a position that is still in the log are complete.
  if (position !== null && position.sequence < (await eventSource.log.range()).removed) throw positionExpired();
  return { kind: 'events', query, ...page };
}

interface PageRules {
  readonly maxBytes: number;
  /** Returns the event as the caller sees it; null if it does not. */
  readonly see: (logged: LoggedEvent) => SeenEvent | null;
}

async function readPage(
  { selection, limit, position }: EventListQuery,
  log: EventSource['log'],
  { maxBytes, see }: PageRules,
): Promise<Pick<FoundEvents, 'events' | 'end' | 'hasMore'>> {
  const events: SeenEvent[] = [];
  const slices = new TimeSlices();
  // Later events belong to the next page, even if a later query of this page would find them.
  const until = await log.lastSequence();
  let after = position?.sequence ?? 0;
  let bytes = 0;
  let size = Math.min(MAX_READ, limit + 1);
  for (let judged = 0; judged < MAX_JUDGED; judged += size, size = Math.min(MAX_READ, 2 * size)) {
    const read = await log.list({ ...selection, after, until, limit: size });
    for (const logged of read) {
      await slices.next();
      const event = see(logged);
      bytes += event?.json.length ?? 0;
      const isFull = events.length === limit || (bytes > maxBytes && events.length > 0);
      if (event !== null && isFull) return { events, end: after, hasMore: true };
      if (event !== null) events.push(event);
      after = logged.sequence;
    }
    if (read.length < size) return { events, end: Math.max(after, until), hasMore: false };
  }
  return { events, end: after, hasMore: true };
}

/** Reads one event by its id. @throws {ApiError} EVENT_NOT_FOUND: it is not in the log, or the caller may not see it */
export async function readEvent(caller: Caller, id: string, { eventSource }: EventServices): Promise<FoundEvent> {
  const logged = await eventSource.log.find(id);
  const event = logged === null ? null : seen(viewEvents(caller, eventSource), logged);
  if (event === null) throw eventNotFound();
  return { kind: 'event', seen: event };
}

/** Makes the view of events for a caller. */
export function viewEvents(
  { principal, contract }: Pick<Caller, 'principal' | 'contract'>,
  { origin }: Pick<EventSource, 'origin'>,
): EventView {
  return new EventView({ caller: principal, contract, current: contract.unrestricted(), origin });
}

function seen(view: EventView, logged: LoggedEvent): SeenEvent | null {
  const event = view.of(logged);
  return event === null ? null : { event, json: writeOrderedJson(event) };
}

/** Makes the error for a position after which events were removed (EVT-8). */
export function positionExpired(): ApiError {
  const message =
    'The events after this position are no longer stored; read the resources again, and continue from the latest event.';
  return apiError('EVENT_POSITION_EXPIRED', message);
}
