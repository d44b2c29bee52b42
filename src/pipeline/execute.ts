import type { MaybePromise } from '../platform/maybe-promise.ts';
import { type BatchOutcome, readBatchRecord, runBatch, type StoredBatch } from '../operations/batch/batch.ts';
import { importLines, type LinesOutcome } from '../operations/batch/ndjson.ts';
import type { Negotiated } from './negotiate.ts';
import type { Planned } from './plan.ts';
import type { FoundDescription } from '../operations/read/descriptions.ts';
import { type FoundEvent, type FoundEvents, readEvent, readEvents } from '../operations/read/event-log.ts';
import { openFeed, type OpenedFeed } from '../operations/read/feed.ts';
import { type FoundItem, readItem } from '../operations/read/item.ts';
import { type FoundPage, readList } from '../operations/read/list.ts';
import { type FoundRoot, readRoot } from '../operations/read/root.ts';
import type { SelectedRepresentation } from '../represent/conditional-response.ts';
import type { Services } from './services.ts';
import { runWrite, type Written } from '../operations/write/write-request.ts';

/** What became of a plan. Nothing of it is bytes yet. */
export type Outcome =
  | FoundRoot
  | FoundDescription
  | FoundItem
  | FoundPage
  /** The caller's copy is current: found out before any row was read (CACHE-2). */
  | { readonly kind: 'not-modified'; readonly selected: SelectedRepresentation; readonly etag: string }
  | Written
  | LinesOutcome
  | BatchOutcome
  | StoredBatch
  | FoundEvents
  | OpenedFeed
  | FoundEvent;

/** A request with the outcome of its plan (steps 13 to 18). */
export interface Executed {
  readonly request: Negotiated;
  readonly outcome: Outcome;
}

/**
 * Steps 13 to 18: reads or writes rows. Reads from cache and from SQLite's request thread are synchronous.
 *
 * @throws {ApiError} 400 to 503
 */
export function execute({ request, plan }: Planned, services: Services): MaybePromise<Outcome> {
  switch (plan.kind) {
    case 'root':
      return readRoot(request);
    case 'description':
      return { kind: 'description', description: services.descriptions.find(request.contract.version, plan.form) };
    case 'item':
      return readItem(request, plan, services);
    case 'list':
      return readList(request, plan, services);
    case 'write':
      return runWrite(plan, services);
    case 'ndjson':
      return importLines(plan, services);
    case 'batch':
      return runBatch(request, plan.dry, services);
    case 'batch-record':
      return readBatchRecord(request, plan.id, services);
    case 'events':
      return readEvents(request, plan.query, services);
    case 'feed':
      return openFeed(request, plan, services);
    case 'event':
      return readEvent(request, plan.id, services);
  }
}
