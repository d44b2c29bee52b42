import type { Bookmark } from '../../plan/bookmark.ts';
import type { IdempotencyRecord } from '../../plan/write-unit.ts';
import type { Dialect, Statement } from './dialect.ts';
import { ALLOCATORS, FROM_LOG, selectAllocated, selectLastSequence, sumStamps } from './log-numbers.ts';
import { type Prepare, prepareStatement, unlockedRows } from './prepare.ts';

/** The columns of the times of a block of events that is not full yet; null without events in it. */
const BLOCK_COLUMNS = 'block, first_at, last_at, first_id, last_id';

/** The last revision and sequence, and the times of the block that is not full yet. */
const LOG_COLUMNS = `change as revision, count as event, ${BLOCK_COLUMNS}`;

/** The last numbers of a log with slots, and the times of its last block in all of them. */
const SLOT_NUMBERS = `select ${selectAllocated(ALLOCATORS.revision)} as revision, ${selectAllocated(ALLOCATORS.sequence)} as event,
  place.block, min(first_at) as first_at, max(last_at) as last_at, min(first_id) as first_id, max(last_id) as last_id
from (select max(block) as block from restwright_slots) as last left join restwright_slots as place on place.block = last.block
group by place.block`;

/** The names of metadata in `restwright_meta`. */
export const METADATA = {
  format: 'format',
  /**
   * The storage type of each column, as JSON: the column types of a database do not distinguish a timestamp from an
   * integer.
   */
  storageTypes: 'storage',
  /** The rules of each field, as JSON: rows are checked against rules that have changed. */
  rules: 'rules',
  /** The models that instances serve, as JSON: two of them during a deployment. */
  models: 'models',
  /** The version of the model whose newest contract the rows are those of. */
  contract: 'contract',
  /** On PostgreSQL, how far the rows of a database are converted for a second model, as JSON. */
  expansion: 'expansion',
  /** The form in which owner fields name callers, since the first start of a model with one. */
  owners: 'owners',
  /** The fields whose UUIDs are stored in lower case, as JSON. */
  uuids: 'uuids',
  /** The key that seals cursors, hexadecimal. */
  secret: 'secret',
  /** The cache epoch with its name, as JSON. */
  cacheEpoch: 'edition',
  /** On PostgreSQL, the timeline of the last commit: another one begins where a replica is promoted. */
  timeline: 'timeline',
  /** Written and deleted while writes fail, to learn when they succeed again. */
  probe: 'probe',
} as const;

/** Processes commit in another order than that of their times: so many events at the end of the log are compared. */
const LAST_EVENTS = 1_000;

/** The numbers, counts and stamps of the log and of resources. */
type Totals = Pick<
  SystemStatements,
  | 'counters'
  | 'commits'
  | 'setCounters'
  | 'rowCount'
  | 'addToRowCount'
  | 'resourceStamp'
  | 'partitionStamp'
  | 'setPartitionStamp'
  | 'hasResourceStamp'
>;

/** Totals in one row for each resource, and one for the log. */
function countedTotals(of: (text: string) => Prepare): Totals {
  const addToRowCount =
    of(`insert into restwright_counts (resource, count, change) values (?, ?, ?) on conflict (resource) do update set
  count = restwright_counts.count + excluded.count, change = excluded.change`);
  const setPartitionStamp = of(`insert into restwright_partitions values (?, ?, ?, ?)
  on conflict (resource, field, value) do update set change = excluded.change`);
  return {
    counters: of(`select ${LOG_COLUMNS} ${FROM_LOG}`),
    commits: of(`select ${LOG_COLUMNS} ${FROM_LOG}`),
    setCounters: of(`update restwright_counts set change = ?, count = ?, block = ?, first_at = ?, last_at = ?,
  first_id = ?, last_id = ? where resource = ''`),
    rowCount: of('select count from restwright_counts where resource = ?'),
    addToRowCount: (resource, added, stamp) => addToRowCount(resource, added, stamp),
    resourceStamp: of('select change from restwright_counts where resource = ?'),
    partitionStamp: of('select change from restwright_partitions where resource = ? and field = ? and value = ?'),
    setPartitionStamp: (resource = '', field = '', value = '', stamp = 0) =>
      setPartitionStamp(resource, field, value, stamp),
    hasResourceStamp: of(
      'select 1 from (select coalesce(max(change), 0) as change from restwright_counts where resource = ?) as stamp where change = ?',
    ),
  };
}

/** Totals that are added up over the slots of the log. */
function slotTotals(of: (text: string) => Prepare): Totals {
  const stamp = `coalesce(${sumStamps('sum(change)')}, 0)`;
  const addToRowCount =
    of(`insert into restwright_totals (resource, count, change, slot) values (?, ?, ?, ?) on conflict (resource, slot) do update
  set count = restwright_totals.count + excluded.count, change = ${sumStamps('restwright_totals.change + excluded.change')}`);
  return {
    counters: of(SLOT_NUMBERS),
    commits: of('select sum(changes)::bigint as revision, sum(events)::bigint as event from restwright_slots'),
    setCounters: of(`update restwright_slots set changes = ?, events = ?, block = ?, first_at = ?, last_at = ?,
  first_id = ?, last_id = ? where slot = ?`),
    rowCount: of('select coalesce(sum(count), 0)::bigint as count from restwright_totals where resource = ?'),
    addToRowCount,
    resourceStamp: of(`select ${stamp} as change from restwright_totals where resource = ?`),
    partitionStamp: of(
      `select ${stamp} as change from restwright_partitions where resource = ? and field = ? and value = ?`,
    ),
    setPartitionStamp:
      of(`insert into restwright_partitions (resource, field, value, change, slot) values (?, ?, ?, ?, ?)
  on conflict (resource, field, value, slot) do update
  set change = ${sumStamps('restwright_partitions.change + excluded.change')}`),
    hasResourceStamp: of(
      `select 1 from (select ${stamp} as change from restwright_totals where resource = ?) as stamp where change = ?`,
    ),
  };
}

/** The statements that read and write the system tables (`schema/system-tables.ts`). */
export class SystemStatements {
  /** The numbers of the log: revision, event, and the times of the block that is not full yet. */
  readonly counters: () => Statement;
  /** The numbers of changes and events that were committed. Columns: `revision`, `event`. */
  readonly commits: () => Statement;
  /**
   * Parameters: revision, event, and the times of the open block: block, first and last time, first and last id. Where
   * numbers are allocated: the changes and events of a slot, those times, and the slot.
   */
  readonly setCounters: Prepare;
  /** The number of rows of a resource, maintained by each commit (PAGE-9). Column: `count`. */
  readonly rowCount: (resource: string) => Statement;
  /**
   * @param added rows that a transaction added, less those it deleted
   * @param stamp the new stamp of the resource, or what is added to it in the slot
   */
  readonly addToRowCount: (resource: string, added: number, stamp: number, slot: number) => Statement;
  /** Column: `change`. */
  readonly resourceStamp: (resource: string) => Statement;
  /** Column: `change`. */
  readonly partitionStamp: (resource: string, field: string, value: string) => Statement;
  /** Parameters: resource, field, value, stamp, slot. */
  readonly setPartitionStamp: Prepare;
  /** Reads a row where the resource has the stamp. A resource that never changed has the stamp 0. */
  readonly hasResourceStamp: (resource: string, stamp: number) => Statement;
  /** Column: `value`. */
  readonly bookmark: (name: string) => Statement;
  readonly removeBookmark: (name: string) => Statement;
  /** Columns: `request`, `outcome`, `revisions`, `expires_at`. */
  readonly record: (name: string, now: number) => Statement;
  readonly hasRecord: (name: string, now: number) => Statement;
  readonly purgeExpiredRecords: (now: number, limit: number) => Statement;
  /** The newest time of the last events that is not after a given one. Column: `newest`. */
  readonly newestEvent: (until: number) => Statement;
  /** Column: `last`. */
  readonly lastSequence: () => Statement;
  /** Column: `value`. */
  readonly metadata: (name: string) => Statement;
  readonly setMetadata: (name: string, value: string) => Statement;
  readonly deleteMetadata: (name: string) => Statement;
  /** Inserts metadata that does not exist. Returns a row if it did. */
  readonly insertMetadata: (name: string, value: string) => Statement;
  /** Replaces metadata that still has the expected value. Returns a row if it did. */
  readonly replaceMetadata: (value: string, name: string, expected: string) => Statement;
  readonly #setBookmark: Prepare;
  readonly #setRecord: Prepare;

  constructor(dialect: Dialect) {
    const of = (text: string): Prepare => prepareStatement(dialect, text);
    const totals = dialect.numbers === 'counted' ? countedTotals(of) : slotTotals(of);
    this.counters = totals.counters;
    this.commits = totals.commits;
    this.setCounters = totals.setCounters;
    this.rowCount = totals.rowCount;
    this.addToRowCount = totals.addToRowCount;
    this.resourceStamp = totals.resourceStamp;
    this.partitionStamp = totals.partitionStamp;
    this.setPartitionStamp = totals.setPartitionStamp;
    this.hasResourceStamp = totals.hasResourceStamp;
    this.bookmark = of('select value from restwright_bookmarks where name = ?');
    this.removeBookmark = of('delete from restwright_bookmarks where name = ?');
    this.record = of(
      'select request, outcome, revisions, expires_at from restwright_memos where name = ? and expires_at > ?',
    );
    this.hasRecord = of('select 1 from restwright_memos where name = ? and expires_at > ?');
    this.purgeExpiredRecords = of(`delete from restwright_memos where name in
  (select name from restwright_memos where expires_at <= ? order by expires_at limit ?${unlockedRows(dialect)})`);
    this.newestEvent = of(`select max(at) as newest from
  (select at from restwright_events order by sequence desc limit ${LAST_EVENTS}) as recent where at <= ?`);
    this.lastSequence = of(`select ${selectLastSequence(dialect)} as last`);
    this.metadata = of('select value from restwright_meta where name = ?');
    this.setMetadata = of(
      'insert into restwright_meta values (?, ?) on conflict (name) do update set value = excluded.value',
    );
    this.deleteMetadata = of('delete from restwright_meta where name = ?');
    this.insertMetadata = of('insert into restwright_meta values (?, ?) on conflict (name) do nothing returning name');
    this.replaceMetadata = of('update restwright_meta set value = ? where name = ? and value = ? returning name');
    this.#setBookmark = of(
      'insert into restwright_bookmarks values (?, ?) on conflict (name) do update set value = excluded.value',
    );
    this.#setRecord = of(`insert into restwright_memos values (?, ?, ?, ?, ?) on conflict (name) do update set
  request = excluded.request, outcome = excluded.outcome, revisions = excluded.revisions, expires_at = excluded.expires_at`);
  }

  setBookmark({ name, value }: Bookmark): Statement {
    return this.#setBookmark(name, value);
  }

  /** @param revisions those that the plans of the unit were assigned */
  setRecord(
    { name, request, outcome, expiresAt }: IdempotencyRecord & { readonly outcome: string },
    revisions: readonly number[],
  ): Statement {
    return this.#setRecord(name, request, outcome, JSON.stringify(revisions), expiresAt);
  }
}
