import { type CloudEvent, cloudEvent, eventTraceparent } from '../conventions/events/cloud-event.ts';
import type { EventEnvelope } from '../conventions/events/event.ts';
import type { LinkValue } from '../conventions/url/links.ts';
import { type QueryPairs, writeQuery } from '../conventions/url/query.ts';
import { writeOrderedJson } from '../formats/json.ts';
import type { LinkBase } from '../plan/routes/url-builder.ts';
import type { BufferedResponse } from '../exchange/handler.ts';
import type { Negotiated } from '../pipeline/negotiate.ts';
import type { EventSource, FoundEvent, FoundEvents } from '../operations/read/event-log.ts';
import type { Services } from '../pipeline/services.ts';
import { canonicalLink, conditionalResponse, selectedDocument } from './conditional-response.ts';
import { writeJsonPage } from './encode.ts';
import { linkTargets } from './page-metadata.ts';
import { metadataHeaders } from './page-to-write.ts';

/** A page of the event log (EVT-8). The log is read forward only: no page has one before it. */
export function eventsResponse(
  request: Negotiated,
  found: FoundEvents,
  { etags, eventSource }: Pick<Services, 'etags' | 'eventSource'>,
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
  const links = pageLinks(request, found, nextCursor);
  const body =
    pageText(request, found, eventSource) ??
    writeJsonPage(`[${events.map(({ json }) => json).join(',')}]`, metadata, linkTargets(links));
  return conditionalResponse(
    request,
    selectedDocument(etags.named(request, etags.digest(`${body}\n${endCursor}`), body)),
    {
      links: [...links, ...canonicalLink(request, (base) => pageUrl(request, base, found, position?.token ?? null))],
      headers: metadataHeaders(request.offer.format, metadata),
      body: () => body,
    },
  );
}

/** One event: as its envelope, or as a CloudEvent. */
export function eventResponse(
  request: Negotiated,
  { seen: { event, json } }: FoundEvent,
  { etags, eventSource }: Pick<Services, 'etags' | 'eventSource'>,
): BufferedResponse {
  const isCloudEvent = request.offer.format === 'cloudevent';
  const body = isCloudEvent ? writeOrderedJson(cloudEventOf(request, event, eventSource)) : json;
  const { urls, model } = request.contract;
  return conditionalResponse(request, selectedDocument(etags.content(request, body)), {
    links: canonicalLink(request, (base) => urls.system(base, model.system.events, event.id)),
    body: () => body,
  });
}

/** The events alone, in a format without room for what describes their page; null in JSON. */
function pageText(request: Negotiated, { events }: FoundEvents, source: EventSource): string | null {
  const { format } = request.offer;
  if (format === 'cloudevents')
    return writeOrderedJson(events.map(({ event }) => cloudEventOf(request, event, source)));
  return format === 'ndjson' ? events.map(({ json }) => `${json}\n`).join('') : null;
}

function pageLinks(request: Negotiated, found: FoundEvents, nextCursor: string | null): readonly LinkValue[] {
  const token = found.query.position?.token ?? null;
  const targets: readonly (readonly [rel: string, cursor: string | null])[] = [
    ['self', token],
    ['first', null],
    ...(nextCursor === null ? [] : [['next', nextCursor] as const]),
  ];
  return targets.map(([rel, cursor]) => ({ rel, href: pageUrl(request, request.base, found, cursor) }));
}

function pageUrl(
  { contract: { urls, model } }: Negotiated,
  base: LinkBase,
  { query }: FoundEvents,
  cursor: string | null,
): string {
  const parameters: QueryPairs = cursor === null ? query.linkParameters : [...query.linkParameters, ['after', cursor]];
  return urls.systemCollection(base, model.system.events, writeQuery(parameters));
}

function cloudEventOf({ contract: { model } }: Negotiated, event: EventEnvelope, { origin }: EventSource): CloudEvent {
  const source = `${model.publicUrl ?? origin()}${model.basePath}`;
  return cloudEvent(event, { name: model.name, source, traceparent: eventTraceparent(event) });
}
