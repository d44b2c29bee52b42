import type { StreamedResponse } from '../exchange/handler.ts';
import type { OpenedFeed } from '../operations/read/feed.ts';
import type { Reply } from './reply.ts';
import { appliedPreferences, commonHeaders, uncachedResponse } from './response.ts';

/** Responds with a live feed (EVT-8): never stored, never compressed, and passed on by proxies as it comes. */
export function feedResponse(reply: Reply, { body }: OpenedFeed): StreamedResponse {
  const headers = [
    ...commonHeaders(reply.exchange, reply.contract),
    'Content-Type',
    reply.offer.contentType,
    // nginx collects responses otherwise.
    'X-Accel-Buffering',
    'no',
    ...appliedPreferences(reply),
  ];
  return uncachedResponse(200, headers, body);
}
