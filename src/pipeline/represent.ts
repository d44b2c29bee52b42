import type { MaybePromise } from '../platform/maybe-promise.ts';
import type { ApiResponse } from '../exchange/handler.ts';
import type { Outcome } from './execute.ts';
import type { Negotiated } from './negotiate.ts';
import { batchRecordResponse, batchResponse, linesResponse } from '../represent/batch-response.ts';
import { notModifiedResponse } from '../represent/conditional-response.ts';
import { descriptionResponse } from '../represent/description-response.ts';
import { eventResponse, eventsResponse } from '../represent/events-response.ts';
import { feedResponse } from '../represent/feed-response.ts';
import { itemResponse } from '../represent/item-response.ts';
import { pageResponse } from '../represent/page-response.ts';
import { rootResponse } from '../represent/root-response.ts';
import { writeResponse } from '../represent/write-response.ts';
import type { Services } from './services.ts';

/**
 * Step 19: outcome → status, header fields and body, in the form that was negotiated. Conditions of a read are judged here, where its ETag is
 * made.
 *
 * @throws {ApiError} 412; PAGINATION_LIMIT_INVALID, QUERY_EXPAND_INVALID where a body would be too large
 */
export function represent(
  request: Negotiated,
  outcome: Outcome,
  services: Pick<Services, 'etags' | 'items' | 'pages' | 'eventSource'>,
): MaybePromise<ApiResponse> {
  switch (outcome.kind) {
    case 'root':
      return rootResponse(request, outcome, services);
    case 'description':
      return descriptionResponse(request, outcome, services);
    case 'item':
      return itemResponse(request, outcome, services);
    case 'page':
      return pageResponse(request, outcome, services);
    case 'not-modified':
      return notModifiedResponse(request, outcome.selected, outcome.etag);
    case 'written':
      return writeResponse(request, outcome, services);
    case 'lines':
      return linesResponse(request, outcome);
    case 'batch':
      return batchResponse(request, outcome, services);
    case 'batch-record':
      return batchRecordResponse(request, outcome.record, services);
    case 'events':
      return eventsResponse(request, outcome, services);
    case 'feed':
      return feedResponse(request, outcome);
    case 'event':
      return eventResponse(request, outcome, services);
  }
}
