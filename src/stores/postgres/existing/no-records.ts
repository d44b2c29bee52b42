import type { WriteOutcome, WriteUnit } from '../../../plan/write-unit.ts';
import type { Deliveries, EventLog } from '../../event-store.ts';
import { type Store, StoreUnavailable } from '../../store.ts';

/** A log without events. */
const NO_EVENTS: EventLog = {
  after: () => [],
  list: () => [],
  types: () => [],
  lookup: () => [],
  find: () => null,
  lastSequence: () => 0,
  range: () => ({ removed: 0, last: 0, since: null }),
  nextExpired: () => null,
};

/** No subscription has a position or a delivery, and no reader gets a lease. */
const NO_DELIVERIES: Deliveries = {
  register: () => Promise.resolve(),
  reader: () => null,
  lease: () => Promise.resolve(false),
  positions: () => [],
  storedAfter: () => [],
  waiting: () => [],
  due: () => [],
  openResources: () => [],
  list: () => [],
  isBehind: () => false,
  expired: () => [],
};

/** A unit without rows has nothing to write: the record of a batch whose operations were refused is dropped. */
async function commitNothing({ plans }: WriteUnit): Promise<WriteOutcome> {
  if (plans.length === 0) return { kind: 'committed', revisions: [] };
  throw new StoreUnavailable('The tables are only read', { reason: 'read-only' });
}

/** The parts of a store that records nothing next to the tables of another program. */
export const NO_RECORDS: Pick<
  Store,
  'writes' | 'bookmarks' | 'idempotencyRecords' | 'events' | 'deliveries' | 'newestTime'
> = {
  writes: { pending: 0, commit: commitNothing },
  bookmarks: { get: () => null },
  idempotencyRecords: { find: () => null },
  events: NO_EVENTS,
  deliveries: NO_DELIVERIES,
  newestTime: () => null,
};
