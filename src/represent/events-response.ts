import { type CloudEvent, cloudEvent } from '../conventions/events/cloud-event.ts';
import { dataSchemaUri } from '../describe/asyncapi/data-schema.ts';
import type { EventEnvelope } from '../conventions/events/event.ts';
import type { LinkValue } from '../conventions/url/links.ts';
import { type QueryPairs, writeQuery } from '../conventions/url/query.ts';
import type { BufferedResponse, StreamedResponse } from '../exchange/handler.ts';
import { writeOrderedJson } from '../formats/json.ts';
import { bodyETag, type ETags, namedETags, selectDocument } from '../operations/etags.ts';
import type { EventSource, FoundEvent, FoundEvents } from '../operations/read/event-log.ts';
import type { OpenedFeed } from '../operations/read/feed.ts';
import type { LinkBase } from '../plan/routes/url-builder.ts';
import { canonicalLink, conditionalResponse } from './conditional-response.ts';
import { writeJsonPage } from './encode.ts';
import { linkTargets } from './page-metadata.ts';
import { metadataHeaders } from './page-to-write.ts';
import type { Reply } from './reply.ts';
import { appliedPreferences, commonHeaders, uncachedResponse } from './response.ts';

/** Services that represent events. */
interface EventReplyServices {
  readonly etags: ETags;
  readonly eventSource: EventSource;
}

/** Responds with a page of the event log (EVT-8). The log is read forward only: no page has a previous one. */
export function eventsResponse(
  reply: Reply,
  found: FoundEvents,
  { etags, eventSource }: EventReplyServices,
): BufferedResponse {
  const { query, events, end, hasMore } = found;
  const { position, limit } = query;
  const endCursor = query.cursorAfter(end);
  const nextCursor = hasMore ? endCursor : null;
  const metadata = {
    technique: 'cursor',
    limit,
    count: events.length,
    has_more: hasMore,
    after: position?.token ?? null,
    next_cursor: nextCursor,
    prev_cursor: null,
    end_cursor: endCursor,
  };
  const links = pageLinks(reply, found, nextCursor);
  const body =
    pageText(reply, found, eventSource) ??
    writeJsonPage(`[${events.map(({ json }) => json).join(',')}]`, metadata, linkTargets(links));
  const etag = bodyETag(namedETags(reply.variant, etags.digest(`${body}\n${endCursor}`)), body);
  return conditionalResponse(reply, selectDocument(etag), {
    links: [...links, ...canonicalLink(reply, (base) => pageUrl(reply, base, found, position?.token ?? null))],
    headers: metadataHeaders(reply.offer.format, metadata),
    body: () => body,
  });
}

/** Responds with one event: as its envelope, or as a CloudEvent. */
export function eventResponse(
  reply: Reply,
  { seen: { event, json } }: FoundEvent,
  { etags, eventSource }: EventReplyServices,
): BufferedResponse {
  const isCloudEvent = reply.offer.format === 'cloudevent';
  const body = isCloudEvent ? writeOrderedJson(toCloudEvent(reply, event, eventSource)) : json;
  const { urls, model } = reply.contract;
  return conditionalResponse(reply, selectDocument(etags.content(reply.variant, body)), {
    links: canonicalLink(reply, (base) => urls.system(base, model.system.events, event.id)),
    body: () => body,
  });
}

/** Writes the events alone, in a format without room for metadata; null in JSON. */
function pageText(reply: Reply, { events }: FoundEvents, source: EventSource): string | null {
  const { format } = reply.offer;
  if (format === 'cloudevents') return writeOrderedJson(events.map(({ event }) => toCloudEvent(reply, event, source)));
  return format === 'ndjson' ? events.map(({ json }) => `${json}\n`).join('') : null;
}

function pageLinks(reply: Reply, found: FoundEvents, nextCursor: string | null): readonly LinkValue[] {
  const token = found.query.position?.token ?? null;
  const targets: readonly (readonly [rel: string, cursor: string | null])[] = [
    ['self', token],
    ['first', null],
    ...(nextCursor === null ? [] : [['next', nextCursor] as const]),
  ];
  return targets.map(([rel, cursor]) => ({ rel, href: pageUrl(reply, reply.base, found, cursor) }));
}

function pageUrl(
  { contract: { urls, model } }: Reply,
  base: LinkBase,
  { query }: FoundEvents,
  cursor: string | null,
): string {
  const parameters: QueryPairs = cursor === null ? query.linkParameters : [...query.linkParameters, ['after', cursor]];
  return urls.systemCollection(base, model.system.events, writeQuery(parameters));
}

function toCloudEvent({ contract: { model } }: Reply, event: EventEnvelope, { origin }: EventSource): CloudEvent {
  const source = `${model.publicUrl ?? origin()}${model.basePath}`;
  return cloudEvent(event, { name: model.name, source, dataschema: dataSchemaUri(source, event) });
}

/** Responds with a live feed (EVT-8): never stored, never compressed, and passed on by proxies as it comes. */
export function feedResponse(reply: Reply, { body }: OpenedFeed): StreamedResponse {
  const headers = [
    ...commonHeaders(reply.exchange),
    'Content-Type',
    reply.offer.contentType,
    // Otherwise nginx buffers the response.
    'X-Accel-Buffering',
    'no',
    ...appliedPreferences(reply),
  ];
  return uncachedResponse(200, headers, body);
}
