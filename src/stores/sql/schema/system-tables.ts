import { RETENTION_READER } from '../../../plan/delivery-plan.ts';
import type { Dialect } from '../dialect.ts';
import { BLOCK_SIZE } from '../events/event-statements.ts';
import { FROM_LOG } from '../system-statements.ts';

/** The format of the system tables of this version. A database with a greater format was created by a newer version. */
export const FORMAT = 12;

/** The prefix of the names of system tables. No resource name may start with it. */
export const SYSTEM_PREFIX = 'restwright_';

/** The row whose lock each write of a format takes first, for `select ... for update`. */
export function rowOfLog(format: number): string {
  return format < 11 ? 'from restwright_sequences' : FROM_LOG;
}

/** Idempotency records, and the order in which they expire (MET-12). */
function idempotencyTables({ tableOptions, columnType }: Dialect): readonly string[] {
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
function tombstoneTable({ tableOptions, columnType }: Dialect): readonly string[] {
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
function partitionTable({ tableOptions, columnType }: Dialect): readonly string[] {
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
function deliveryTables({ tableOptions: { clustered }, columnType }: Dialect): readonly string[] {
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
function eventTables(dialect: Dialect): readonly string[] {
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
function blockShapeTable({ tableOptions: { clustered }, columnType }: Dialect): readonly string[] {
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
function countsTable({ tableOptions: { clustered }, columnType }: Dialect): string {
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

/**
 * Upgrades a log whose numbers had a table of their own. It stored the times of the block with each event, and an index
 * of shapes.
 */
function upgradeLog(dialect: Dialect, from: number): readonly string[] {
  return [
    // The upgrade of a log of envelopes creates it.
    ...(from <= 6 ? [] : ['drop index restwright_events_shape', ...blockShapeTable(dialect)]),
    `insert into restwright_block_shapes (block, shape) select distinct (sequence - 1) / ${BLOCK_SIZE}, shape from restwright_events`,
    'alter table restwright_counts rename to restwright_counts_before',
    countsTable(dialect),
    'insert into restwright_counts (resource, count, change) select resource, count, change from restwright_counts_before',
    `insert into restwright_counts (resource, count, change, block, first_at, last_at, first_id, last_id)
  select '', event, revision, block, first_at, last_at, first_id, last_id
  from restwright_sequences left join restwright_event_blocks on block = (event - 1) / ${BLOCK_SIZE}`,
    `delete from restwright_event_blocks where block = (select block ${FROM_LOG})`,
    'drop table restwright_counts_before',
    'drop table restwright_sequences',
  ];
}

/** The position up to which the log was removed, and the order of deliveries that succeeded. */
function retentionParts(): readonly string[] {
  return [
    `insert into restwright_readers (name, sequence, owner, leased_until) values ('${RETENTION_READER}', 0, '', 0)`,
    "create index restwright_deliveries_succeeded on restwright_deliveries (due) where state = 'succeeded'",
  ];
}

/**
 * Upgrades a log of stored envelopes: they stay as they are, with a shape that is not JSON. Only SQLite has such
 * databases.
 */
function upgradeEvents(dialect: Dialect): readonly string[] {
  const digits = (count: number): string => '[0-9a-f]'.repeat(count);
  const uuid = [8, 4, 4, 4, 12].map(digits).join('-');
  // As `packTexts` does.
  const packed = (column: string): string => `case
    when ${column} glob '${uuid}' then unhex('01' || replace(${column}, '-', ''))
    when ${column} glob '${digits(32)}' then unhex('02' || ${column})
    else unhex('03' || printf('%08x', octet_length(${column})) || hex(${column})) end`;
  return [
    'alter table restwright_events rename to restwright_events_before',
    ...eventTables(dialect),
    `insert into restwright_event_shapes (type, resource, shape)
  select distinct type, resource_type, type || ' ' || resource_type from restwright_events_before`,
    `insert into restwright_events (sequence, shape, base, at, id, resource_id, detail)
  select sequence, (select shape.id from restwright_event_shapes as shape
      where shape.type = event.type and shape.resource = event.resource_type),
    0, at, ${packed('event.id')}, ${packed('event.resource_id')}, envelope
  from restwright_events_before as event`,
    `insert into restwright_event_blocks
  select (sequence - 1) / ${BLOCK_SIZE}, min(at), max(at), 0, ${Number.MAX_SAFE_INTEGER}
  from restwright_events_before group by 1`,
    'drop table restwright_events_before',
  ];
}

/** Upgrades deliveries of each event to each hook, with one bookmark. Only SQLite has such databases. */
function upgradeDeliveries(dialect: Dialect): readonly string[] {
  return [
    'drop index restwright_deliveries_due',
    'alter table restwright_deliveries rename to restwright_deliveries_before',
    ...deliveryTables(dialect),
    `insert into restwright_deliveries (endpoint, sequence, reader, state, attempts, due)
  select endpoint, sequence, 'after', state, attempts, due from restwright_deliveries_before`,
    'drop table restwright_deliveries_before',
    `insert into restwright_readers (name, sequence, owner, leased_until)
  select 'after', value ->> 'sequence', '', 0 from restwright_bookmarks where name = 'relay'`,
    `insert into restwright_subscriptions (name, position)
  select start.key, max(start.value, relay.value ->> 'sequence')
  from restwright_bookmarks as relay, json_each(relay.value, '$.starts') as start where relay.name = 'relay'`,
    "delete from restwright_bookmarks where name = 'relay'",
  ];
}

/** The statements that upgrade the system tables from each older format to the next one. */
const UPGRADES: ReadonlyMap<number, (dialect: Dialect, from: number) => readonly string[]> = new Map<
  number,
  (dialect: Dialect, from: number) => readonly string[]
>([
  [1, idempotencyTables],
  // Since this format models with search have triggers that call SQL functions: an older version could not write to
  // their tables.
  [
    2,
    ({ columnType }: Dialect) => [
      `alter table restwright_counts add column change ${columnType({ kind: 'int64' })} not null default 0`,
    ],
  ],
  // Since this format ids of nested rows can be unique below their parent only: an older version would change several
  // rows by one id. The tables of resources are migrated to the model.
  [3, () => []],
  // An older version would not stamp them.
  [4, partitionTable],
  [5, upgradeDeliveries],
  [6, upgradeEvents],
  // An older version would not know that events were removed.
  [7, retentionParts],
  // An older version would not remove the tombstone of an id that is used again.
  [8, tombstoneTable],
  // Attempts are listed by webhooks alone. Upgrades from format 5 create no such table any more.
  [9, () => ['drop table if exists restwright_attempts']],
  // An older version would read other tables.
  [10, upgradeLog],
  // Since this format webhooks and what lies below them are stored in a compact form, to which tables are migrated.
  [11, () => []],
]);

/** The statements that upgrade the system tables from an older format. */
export function upgradeStatements(from: number, dialect: Dialect): readonly string[] {
  const statements: string[] = [];
  for (let format = from; format < FORMAT; format += 1)
    statements.push(...(UPGRADES.get(format)?.(dialect, from) ?? []));
  return statements;
}

/**
 * The statements that create the system tables. They hold metadata, the counters of revisions and event sequences, the
 * row count and the change stamp of each resource and partition, and bookmarks. Others hold idempotency records, the
 * event log, the deliveries of events, and tombstones.
 */
export function systemTables(dialect: Dialect): readonly string[] {
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
