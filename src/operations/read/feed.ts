import { type ApiError, apiError, errorBody } from '../../conventions/errors.ts';
import { timestamp } from '../../conventions/text/timestamp.ts';
import { writeJson } from '../../formats/json.ts';
import type { Observe } from '../../observe/observation.ts';
import type { EventSelection } from '../../plan/events/event-query.ts';
import type { LoggedEvent } from '../../stores/store.ts';
import type { BodyStream, RawRequest } from '../../exchange/handler.ts';
import type { Caller } from '../caller.ts';
import { reportedError } from '../reported-error.ts';
import { type EventSource, viewEvents } from './event-log.ts';
import type { EventView } from './event-view.ts';

/** A request for the live feed of events. */
export interface FeedPlan {
  readonly kind: 'feed';
  readonly selection: EventSelection;
  /** The sequence after which the feed begins; null for now. */
  readonly after: number | null;
  /** The bearer token with which the feed ends; null for other credentials. */
  readonly token: string | null;
  /** The address of the client, which names an anonymous reader. */
  readonly address: string;
  readonly client?: RawRequest['client'];
  /** False for HEAD, which has the status of GET and leaves nothing open. */
  readonly staysOpen: boolean;
}

/** An open feed; an ended one for HEAD. */
export interface OpenedFeed {
  readonly kind: 'feed';
  readonly body: BodyStream;
}

/** The content of a feed, and its reader. */
export interface FeedRequest extends Pick<FeedPlan, 'selection' | 'after' | 'token' | 'client'> {
  readonly view: EventView;
  /** True for an event of the selection. */
  readonly selects: (logged: LoggedEvent) => boolean;
  /** Names the reader, whose feeds are limited: its *identity*, or the address of an anonymous one. */
  readonly reader: string;
  /** The JSON of the error with which the feed ends. */
  readonly describe: (error: unknown) => string;
}

/** The open feeds of a process. */
export interface Feeds {
  /**
   * @throws {ApiError} RATE_LIMIT_EXCEEDED, SERVER_OVERLOADED, SERVER_UNAVAILABLE, EVENT_POSITION_EXPIRED,
   *   REQUEST_HEADER_INVALID
   */
  open(request: FeedRequest): Promise<BodyStream>;
  /** Ends all feeds, and opens no more. Resolves when the log is no longer read. */
  end(): Promise<void>;
}

/** Services of {@link openFeed}. */
interface FeedServices {
  readonly feeds: Feeds;
  readonly eventSource: Pick<EventSource, 'origin'>;
  readonly sources: { readonly now: () => number };
  readonly observe: Observe;
}

/**
 * Reads `Last-Event-ID`: the sequence after which a feed begins; null if the field is absent.
 *
 * @throws {ApiError} REQUEST_HEADER_INVALID
 */
export function readLastEventId(value: string | null): number | null {
  if (value === null) return null;
  const sequence = /^[0-9]{1,20}$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(sequence)) throw unknownPosition('must be the sequence of an event, in digits');
  return sequence;
}

/** 400 REQUEST_HEADER_INVALID of a `Last-Event-ID` that is no position in the log. */
export function unknownPosition(message: string): ApiError {
  return apiError('REQUEST_HEADER_INVALID', `Last-Event-ID ${message}; leave it out to begin now.`, {
    details: [{ field: 'Last-Event-ID', message }],
  });
}

/** Opens a feed. @throws {ApiError} of {@link Feeds.open} */
export async function openFeed(
  caller: Caller,
  { selection, after, token, address, client, staysOpen }: FeedPlan,
  { feeds, eventSource, sources, observe }: FeedServices,
): Promise<OpenedFeed> {
  const { principal, trace } = caller;
  const { correlationId } = trace;
  const body = await feeds.open({
    selection,
    after,
    view: viewEvents(caller, eventSource),
    selects: selector(selection),
    reader: principal.source === null ? `address ${address}` : principal.identity,
    token,
    ...(client === undefined ? {} : { client }),
    describe: (error) =>
      writeJson(errorBody(reportedError(error, correlationId, observe), correlationId, timestamp(sources.now()))),
  });
  if (!staysOpen) await body[Symbol.asyncIterator]().return?.();
  return { kind: 'feed', body };
}

/** Makes the test for events of a selection without times. */
function selector({ types, resourceId, orResource }: EventSelection): (logged: LoggedEvent) => boolean {
  const own = matcher(types, resourceId);
  const other = orResource === undefined ? null : matcher(orResource.types, orResource.id);
  return (logged) => own(logged) || (other?.(logged) ?? false);
}

function matcher(types?: readonly string[], id?: string): (logged: LoggedEvent) => boolean {
  const known = types === undefined ? null : new Set(types);
  return (logged) =>
    (known === null || known.has(logged.type)) && (id === undefined || logged.event.payload.resource.id === id);
}
