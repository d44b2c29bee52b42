import type { Dialect } from '../dialect.ts';
import { BLOCK_SIZE } from '../events/event-statements.ts';
import { ALLOCATORS, FROM_LOG, SLOT_COUNT } from '../log-numbers.ts';
import { METADATA } from '../system-statements.ts';
import {
  blockShapeTable,
  countedTables,
  countsTable,
  deliveryTables,
  eventTables,
  idempotencyTables,
  partitionTable,
  retentionParts,
  tombstoneTable,
} from './system-tables.ts';

/** The last format in which numbers are counted. */
const COUNTED_FORMAT = 12;

/** Checks if a database of a format allocates numbers. */
export function isAllocatedFormat(format: number): boolean {
  return format > COUNTED_FORMAT;
}

/**
 * The format of the system tables of this version. A database with a greater format was created by a newer version.
 * Where numbers are allocated, it is another one: versions that count them must not write there.
 */
export function currentFormat({ numbers }: Pick<Dialect, 'numbers'>): number {
  return numbers === 'counted' ? COUNTED_FORMAT : COUNTED_FORMAT + 1;
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

/**
 * Divides the totals of a log into slots, one for each transaction that writes at a time, and lets PostgreSQL allocate
 * its numbers. Other names make versions fail that count them and are still running.
 */
function addSlots({ columnType }: Dialect): readonly string[] {
  const int64 = columnType({ kind: 'int64' });
  const divide = (table: string, key: string): readonly string[] => [
    `alter table ${table} add column slot integer not null default 0`,
    `alter table ${table} drop constraint ${table}_pkey`,
    `alter table ${table} add primary key (${key}, slot)`,
  ];
  return [
    ...Object.values(ALLOCATORS).map((name) => `create sequence ${name}`),
    `select setval('${ALLOCATORS.revision}', change + 1, false), setval('${ALLOCATORS.sequence}', count + 1, false) ${FROM_LOG}`,
    `select setval('${ALLOCATORS.shape}', coalesce(max(id), 0) + 1, false) from restwright_event_shapes`,
    `create table restwright_slots (
  slot integer primary key,
  changes ${int64} not null default 0,
  events ${int64} not null default 0,
  block ${int64},
  first_at ${int64},
  last_at ${int64},
  first_id ${int64},
  last_id ${int64}
) with (fillfactor = 50)`,
    `insert into restwright_slots (slot, changes, events, block, first_at, last_at, first_id, last_id)
  select 0, change, count, block, first_at, last_at, first_id, last_id ${FROM_LOG}`,
    `insert into restwright_slots (slot) select generate_series(1, ${SLOT_COUNT - 1})`,
    `create table restwright_totals (
  resource text not null,
  slot integer not null default 0,
  count ${int64} not null,
  change ${int64} not null,
  primary key (resource, slot)
) with (fillfactor = 50)`,
    "insert into restwright_totals (resource, count, change) select resource, count, change from restwright_counts where resource <> ''",
    'drop table restwright_counts',
    `insert into restwright_meta (name, value) values ('${METADATA.timeline}', left(pg_walfile_name(pg_current_wal_lsn()), 8))
  on conflict (name) do nothing`,
    ...divide('restwright_partitions', 'resource, field, value'),
    ...divide('restwright_event_blocks', 'block'),
    ...divide('restwright_block_shapes', 'block, shape'),
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
  // An older version would count the numbers that this one allocates.
  [COUNTED_FORMAT, addSlots],
]);

/** The statements that upgrade the system tables from an older format. */
export function upgradeStatements(from: number, dialect: Dialect): readonly string[] {
  const formats = Array.from({ length: currentFormat(dialect) - from }, (_, index) => from + index);
  return formats.flatMap((format) => UPGRADES.get(format)?.(dialect, from) ?? []);
}

/** The statements that create the system tables. */
export function systemTables(dialect: Dialect): readonly string[] {
  return [...countedTables(dialect), ...upgradeStatements(COUNTED_FORMAT, dialect)];
}
