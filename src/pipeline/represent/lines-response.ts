import type { LinesOutcome } from '../batch/ndjson.ts';
import type { StreamedResponse } from '../exchange.ts';
import type { Negotiated } from '../negotiate.ts';
import { appliedPreferences, commonHeaders, uncachedResponse } from './response.ts';

/** The response to NDJSON: a result line for each line, streamed (MET-13). */
export function linesResponse(request: Negotiated, { dry, results }: LinesOutcome): StreamedResponse {
  const headers = [
    ...commonHeaders(request.exchange, request.contract.version),
    ...(dry ? ['Dry-Run', 'true'] : []),
    'Content-Type',
    request.offer.contentType,
    ...appliedPreferences(request),
  ];
  return uncachedResponse(200, headers, results);
}
