import { RETENTION_READER } from '../../../plan/delivery-plan.ts';
import type { Dialect } from '../dialect.ts';

/** The prefix of the names of system tables. No resource name may start with it. */
export const SYSTEM_PREFIX = 'restwright_';

/** Idempotency records, and the order in which they expire (MET-12). */
export function idempotencyTables({ tableOptions, columnType }: Dialect): readonly string[] {
  return [
    `create table restwright_memos (
  name text primary key not null,
  request text not null,
  outcome text not null,
  revisions text not null,
  expires_at ${columnType({ kind: 'int64' })} not null
) ${tableOptions.clustered}`,
    'create index restwright_memos_expiry on restwright_memos (expires_at)',
  ];
}

/** The table of deleted rows, which are stored for a time, and the index of their ends (MET-4). */
export function tombstoneTable({ tableOptions, columnType }: Dialect): readonly string[] {
  return [
    `create table restwright_tombstones (
  resource text not null,
  path text not null,
  row text not null,
  expires_at ${columnType({ kind: 'int64' })} not null,
  primary key (resource, path)
) ${tableOptions.clustered}`,
    'create index restwright_tombstones_expiry on restwright_tombstones (expires_at)',
  ];
}

/** The change stamps of rows whose field has one value (CACHE-2): of an owner, of a tenant. */
export function partitionTable({ tableOptions, columnType }: Dialect): readonly string[] {
  return [
    `create table restwright_partitions (
  resource text not null,
  field text not null,
  value text not null,
  change ${columnType({ kind: 'int64' })} not null,
  primary key (resource, field, value)
) ${tableOptions.clustered}`,
  ];
}

/**
 * Readers of the event log with their leases, subscriptions with positions of their own, and the deliveries that are
 * not simply done. No delivery refers to its event by a foreign key: removing old events would search for references
 * one by one.
 */
export function deliveryTables({ tableOptions: { clustered }, columnType }: Dialect): readonly string[] {
  const int64 = columnType({ kind: 'int64' });
  return [
    `create table restwright_readers (
  name text primary key not null,
  sequence ${int64} not null,
  owner text not null,
  leased_until ${int64} not null
) ${clustered}`,
    `create table restwright_subscriptions (name text primary key not null, position ${int64}) ${clustered}`,
    `create table restwright_deliveries (
  endpoint text not null,
  sequence ${int64} not null,
  reader text not null,
  state text not null,
  attempts integer not null,
  due ${int64} not null,
  resource text,
  primary key (endpoint, sequence)
) ${clustered}`,
    "create index restwright_deliveries_due on restwright_deliveries (reader, endpoint, due, sequence) where state = 'waiting'",
    'create index restwright_deliveries_state on restwright_deliveries (endpoint, state, sequence)',
    'create index restwright_deliveries_event on restwright_deliveries (sequence)',
    `create index restwright_deliveries_open on restwright_deliveries (endpoint, resource, sequence)
  where resource is not null and state in ('waiting', 'held')`,
  ];
}

/**
 * The event log, what its events have in common, and the times of the events in each block
 * (`events/event-statements.ts`). An event is stored as what does not follow from the rest (`events/event-codec.ts`);
 * `base` is the distance to an earlier event with the same origin.
 */
export function eventTables(dialect: Dialect): readonly string[] {
  const {
    tableOptions: { rows },
    columnType,
  } = dialect;
  const [int64, bytes] = [columnType({ kind: 'int64' }), columnType({ kind: 'binary', mediaType: null })];
  return [
    `create table restwright_event_shapes (
  id integer primary key,
  type text not null,
  resource text not null,
  shape text not null
) ${rows}`,
    'create unique index restwright_event_shapes_shape on restwright_event_shapes (shape)',
    `create table restwright_events (
  sequence ${int64} primary key,
  shape integer not null,
  base integer not null,
  at ${int64} not null,
  id ${bytes} not null,
  resource_id ${bytes} not null,
  origin ${bytes},
  data text,
  detail text
) ${rows}`,
    'create index restwright_events_resource on restwright_events (resource_id, sequence)',
    `create table restwright_event_blocks (
  block ${int64} primary key,
  first_at ${int64} not null,
  last_at ${int64} not null,
  first_id ${int64} not null,
  last_id ${int64} not null
) ${rows}`,
    ...blockShapeTable(dialect),
  ];
}

/** The shapes of the events of each block: an index of the events would be written by each of them. */
export function blockShapeTable({ tableOptions: { clustered }, columnType }: Dialect): readonly string[] {
  return [
    `create table restwright_block_shapes (
  block ${columnType({ kind: 'int64' })} not null,
  shape integer not null,
  primary key (block, shape)
) ${clustered}`,
    'create index restwright_block_shapes_shape on restwright_block_shapes (shape, block)',
  ];
}

/** The counts of resources, with their change stamps, and the row of the log (`system-statements.ts`). */
export function countsTable({ tableOptions: { clustered }, columnType }: Dialect): string {
  const int64 = columnType({ kind: 'int64' });
  return `create table restwright_counts (
  resource text primary key not null,
  count ${int64} not null,
  change ${int64} not null default 0,
  block ${int64},
  first_at ${int64},
  last_at ${int64},
  first_id ${int64},
  last_id ${int64}
) ${clustered}`;
}

/** The position up to which the log was removed, and the order of deliveries that succeeded. */
export function retentionParts(): readonly string[] {
  return [
    `insert into restwright_readers (name, sequence, owner, leased_until) values ('${RETENTION_READER}', 0, '', 0)`,
    "create index restwright_deliveries_succeeded on restwright_deliveries (due) where state = 'succeeded'",
  ];
}

/**
 * The statements that create the system tables of a log with counted numbers. They hold metadata, the counters of
 * revisions and event sequences, the row count and the change stamp of each resource and partition, and bookmarks.
 * Others hold idempotency records, the event log, the deliveries of events, and tombstones.
 */
export function countedTables(dialect: Dialect): readonly string[] {
  const { clustered } = dialect.tableOptions;
  return [
    `create table restwright_meta (name text primary key not null, value text not null) ${clustered}`,
    countsTable(dialect),
    ...partitionTable(dialect),
    `create table restwright_bookmarks (name text primary key not null, value text not null) ${clustered}`,
    ...idempotencyTables(dialect),
    ...eventTables(dialect),
    ...deliveryTables(dialect),
    ...retentionParts(),
    ...tombstoneTable(dialect),
    "insert into restwright_counts (resource, count, change) values ('', 0, 0)",
  ];
}
