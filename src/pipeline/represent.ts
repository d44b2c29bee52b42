import type { MaybePromise } from '../platform/maybe-promise.ts';
import type { ApiResponse } from '../exchange/handler.ts';
import { batchRecordResponse, batchResponse, linesResponse } from '../represent/batch-response.ts';
import { notModifiedResponse } from '../represent/conditional-response.ts';
import { eventResponse, eventsResponse, feedResponse } from '../represent/events-response.ts';
import { itemResponse } from '../represent/item-response.ts';
import { pageResponse } from '../represent/page-response.ts';
import type { Reply } from '../represent/reply.ts';
import { descriptionResponse, rootResponse } from '../represent/root-response.ts';
import { writeResponse } from '../represent/write-response.ts';
import type { Outcome } from './execute.ts';
import type { Services } from './services.ts';

/**
 * Turns an outcome into status, header fields and body, in the negotiated form (step 19). Conditions of a read are
 * judged here, because its ETag is made here.
 *
 * @throws {ApiError} 412; PAGINATION_LIMIT_INVALID, QUERY_EXPAND_INVALID: a body would be too large
 */
export function represent(
  outcome: Outcome,
  reply: Reply,
  services: Pick<Services, 'etags' | 'pages' | 'eventSource'>,
): MaybePromise<ApiResponse> {
  switch (outcome.kind) {
    case 'root':
      return rootResponse(reply, outcome, services);
    case 'description':
      return descriptionResponse(reply, outcome);
    case 'item':
      return itemResponse(reply, outcome, services);
    case 'page':
      return pageResponse(reply, outcome, services);
    case 'not-modified':
      return notModifiedResponse(reply, outcome.selected, outcome.etag);
    case 'written':
      return writeResponse(reply, outcome, services);
    case 'lines':
      return linesResponse(reply, outcome);
    case 'batch':
      return batchResponse(reply, outcome, services);
    case 'batch-record':
      return batchRecordResponse(reply, outcome.record, services);
    case 'events':
      return eventsResponse(reply, outcome, services);
    case 'feed':
      return feedResponse(reply, outcome);
    case 'event':
      return eventResponse(reply, outcome, services);
  }
}
