import type { HookServices } from '../model/hooks.ts';
import type { Observe } from '../observe/observation.ts';
import type { EventContext } from '../plan/events/change-event.ts';
import type { Descriptions } from '../operations/read/descriptions.ts';
import type { EventSource } from '../operations/read/event-log.ts';
import type { Feeds } from '../operations/read/feed.ts';
import type { ItemCache } from '../operations/read/item-cache.ts';
import type { PageCache } from '../operations/read/page-cache.ts';
import type { CompressionCache } from '../represent/content-encoding.ts';
import type { ETags } from '../operations/etags.ts';
import type { Commits } from '../operations/write/commits.ts';
import type { Idempotency } from '../operations/write/idempotency.ts';

/** Time and ids. */
export interface Sources {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The time of a write, for `created_at` and `updated_at`: never before an earlier one, nor before the newest of the database (REP-13). */
  readonly writtenAt: () => number;
  /** A UUIDv7. */
  readonly uuid: () => string;
  /** So many unpredictable bytes, two digits each. */
  readonly randomHex: (bytes: number) => string;
  /** Encrypts a secret that the server has to read again. */
  readonly seal: (secret: string) => string;
}

/**
 * What the stages use besides the request and its rows, made once by the composition root (`api.ts`). Each function names the few services that it needs:
 * `Pick<Services, 'etags' | 'sources'>`.
 */
export interface Services {
  readonly sources: Sources;
  readonly commits: Commits;
  readonly idempotency: Idempotency;
  readonly etags: ETags;
  readonly items: ItemCache;
  readonly pages: PageCache;
  /** Compressed bodies. */
  readonly bodies: CompressionCache;
  readonly descriptions: Descriptions;
  readonly events: EventContext;
  /** Where events are read. */
  readonly eventSource: EventSource;
  readonly feeds: Feeds;
  /** What hooks receive of the application. */
  readonly application: HookServices;
  readonly observe: Observe;
}

/** What preparing a write needs. */
export type WriteServices = Pick<Services, 'sources' | 'etags' | 'events' | 'application'>;
