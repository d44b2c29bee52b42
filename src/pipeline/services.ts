import type { BatchServices } from '../operations/batch/batch-run.ts';
import type { Descriptions } from '../operations/read/descriptions.ts';
import type { EventSource } from '../operations/read/event-log.ts';
import type { Feeds } from '../operations/read/feed.ts';
import type { ItemCache } from '../operations/read/item-cache.ts';
import type { PageCache } from '../operations/read/page-cache.ts';
import type { CompressionCache } from '../represent/content-encoding.ts';

/**
 * The services of all operations and responses, made once by the composition root (`api.ts`). Each function names the
 * few that it needs.
 */
export interface Services extends BatchServices {
  readonly items: ItemCache;
  readonly pages: PageCache;
  /** The cache of compressed bodies. */
  readonly bodies: CompressionCache;
  readonly descriptions: Descriptions;
  readonly eventSource: EventSource;
  readonly feeds: Feeds;
}
