import type { StreamedResponse } from '../exchange/handler.ts';
import type { Negotiated } from '../pipeline/negotiate.ts';
import type { OpenedFeed } from '../operations/read/feed.ts';
import { appliedPreferences, commonHeaders, uncachedResponse } from './response.ts';

/** A live feed (EVT-8): never stored, never compressed, and passed on by proxies as it comes. */
export function feedResponse(request: Negotiated, { body }: OpenedFeed): StreamedResponse {
  const headers = [
    ...commonHeaders(request.exchange, request.contract),
    'Content-Type',
    request.offer.contentType,
    // nginx collects responses otherwise.
    'X-Accel-Buffering',
    'no',
    ...appliedPreferences(request),
  ];
  return uncachedResponse(200, headers, body);
}
