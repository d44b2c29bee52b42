import { type BatchOutcome, readBatchRecord, runBatch, type StoredBatch } from '../operations/batch/batch.ts';
import { importLines, type LinesOutcome } from '../operations/batch/ndjson.ts';
import type { Caller } from '../operations/caller.ts';
import type { DescriptionForm, FoundDescription } from '../operations/read/descriptions.ts';
import { type FoundEvent, type FoundEvents, readEvent, readEvents } from '../operations/read/event-log.ts';
import { openFeed, type OpenedFeed } from '../operations/read/feed.ts';
import { type FoundItem, readItem } from '../operations/read/item.ts';
import { type FoundPage, readList, type UnmodifiedPage } from '../operations/read/list.ts';
import { type FoundRoot, readRoot } from '../operations/read/root.ts';
import { runWrite, type Written } from '../operations/write/write-request.ts';
import type { MaybePromise } from '../platform/maybe-promise.ts';
import type { Plan } from './plan.ts';
import type { Services } from './services.ts';

/** The result of a plan, not yet serialized. */
export type Outcome =
  | FoundRoot
  | FoundDescription
  | FoundItem
  | FoundPage
  | UnmodifiedPage
  | Written
  | LinesOutcome
  | BatchOutcome
  | StoredBatch
  | FoundEvents
  | OpenedFeed
  | FoundEvent;

/**
 * Reads or writes rows (steps 13 to 18). Reads from the cache and from SQLite on the request thread are synchronous.
 *
 * @throws {ApiError} 400 to 503
 */
export function execute(plan: Plan, caller: Caller, services: Services): MaybePromise<Outcome> {
  switch (plan.kind) {
    case 'root':
      return readRoot(caller, plan);
    case 'description':
      return describe(caller.contract.version, plan.form, services);
    case 'item':
      return readItem(caller, plan, services);
    case 'list':
      return readList(caller, plan, services);
    case 'write':
      return runWrite(plan.write, services);
    case 'ndjson':
      return importLines(plan.write, services);
    case 'batch':
      return runBatch(caller, plan, services);
    case 'batch-record':
      return readBatchRecord(caller, plan.id, services);
    case 'events':
      return readEvents(caller, plan.query, services);
    case 'feed':
      return openFeed(caller, plan, services);
    case 'event':
      return readEvent(caller, plan.id, services);
  }
}

async function describe(
  version: string,
  form: DescriptionForm,
  { descriptions }: Pick<Services, 'descriptions'>,
): Promise<FoundDescription> {
  return { kind: 'description', description: await descriptions.find(version, form) };
}
