import type { Observe } from '../observe/observation.ts';
import type { EventContext } from '../plan/change-event.ts';
import type { HookServices } from '../model/typescript/hooks.ts';
import type { ByParts } from '../cache/by-parts.ts';
import type { ChangeStamps, RowReader, Store } from '../stores/store.ts';
import type { Contract } from './contract.ts';
import type { Modified, ItemCache } from './read/item-cache.ts';
import type { PageCache } from './read/page-cache.ts';
import type { KeyMutex } from './write/key-mutex.ts';

/** What the stages work with beside the request: made once, by the composition root. */
export interface Surroundings {
  readonly compiled: Contract;
  readonly store: Store;
  /** The rows that are read: those of the store, or as a unit that is being put together would leave them. */
  readonly rows: Rows;
  /** The change stamps of those rows. */
  readonly stamps: ChangeStamps;
  /** Told of every commit that this process makes: there may be events to bring on. */
  readonly committed: () => void;
  /** What hooks get of the application. */
  readonly context: HookServices;
  /** Idempotency keys of the writes under way in this process. */
  readonly running: Set<string>;
  readonly events: EventContext;
  readonly turns: KeyMutex;
  /** Short names for what a representation depends on beside its row: each request needs one. */
  readonly variants: ByParts<string>;
  readonly itemCache: ItemCache;
  readonly pageCache: PageCache;
  readonly edition: ToldEdition;
  /** The contract served, `1.4.2`. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A UUIDv7. */
  readonly uuid: () => string;
  readonly digest: (content: string | Uint8Array) => string;
  readonly observe: Observe;
}

/** The edition of the database: its id is part of every tag, and what was last changed before it began was changed by it. */
export interface ToldEdition extends Modified {
  readonly id: string;
}

/** Reading rows, without a word of writing. */
export type Rows = Pick<RowReader, 'item' | 'list' | 'missingAncestor' | 'missingReferences'>;
