import type { Dialect } from '../dialect.ts';

/** The format of the system tables of this version. A database with a greater format was created by a newer version. */
export const FORMAT = 5;

/** The prefix of the names of system tables. No resource name may start with it. */
export const SYSTEM_PREFIX = 'restwright_';

/** The names of metadata in `restwright_meta`. */
export const METADATA = {
  format: 'format',
  /** The storage type of each column, as JSON: the column types of a database do not distinguish a timestamp from an integer. */
  storageTypes: 'storage',
  /** What each field allows, as JSON: rows are checked against rules that have changed. */
  rules: 'rules',
  /** How owner fields name callers, since the first start of a model with one. */
  owners: 'owners',
  /** The key that seals cursors, hexadecimal. */
  secret: 'secret',
  /** The cache epoch with its name, as JSON. */
  cacheEpoch: 'edition',
  /** Written and deleted while writes fail, to learn when they succeed again. */
  probe: 'probe',
} as const;

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

/** The statements that upgrade the system tables from each older format to the next one. */
const UPGRADES: ReadonlyMap<number, (dialect: Dialect) => readonly string[]> = new Map([
  [1, idempotencyTables],
  // Since this format models with search have triggers that call SQL functions: an older version could not write to their tables.
  [
    2,
    ({ columnType }: Dialect) => [
      `alter table restwright_counts add column change ${columnType({ kind: 'int64' })} not null default 0`,
    ],
  ],
  // Since this format ids of nested rows can be unique below their parent only: an older version would change several rows by one id. The tables
  // of resources are migrated to the model.
  [3, () => []],
  // An older version would not stamp them.
  [4, partitionTable],
]);

/** The statements that upgrade the system tables from an older format. */
export function upgradeStatements(from: number, dialect: Dialect): readonly string[] {
  const statements: string[] = [];
  for (let format = from; format < FORMAT; format += 1) statements.push(...(UPGRADES.get(format)?.(dialect) ?? []));
  return statements;
}

/**
 * The statements that create the system tables: metadata, the counters of revisions and event sequences, the row count and the change stamp of
 * each resource and partition, bookmarks, idempotency records, the event log, and the deliveries of events.
 */
export function systemTables(dialect: Dialect): readonly string[] {
  const { rows, clustered } = dialect.tableOptions;
  const int64 = dialect.columnType({ kind: 'int64' });
  return [
    `create table restwright_meta (name text primary key not null, value text not null) ${clustered}`,
    `create table restwright_sequences (one integer primary key check (one = 1), revision ${int64} not null, event ${int64} not null) ${rows}`,
    `create table restwright_counts (resource text primary key not null, count ${int64} not null, change ${int64} not null default 0) ${clustered}`,
    ...partitionTable(dialect),
    `create table restwright_bookmarks (name text primary key not null, value text not null) ${clustered}`,
    ...idempotencyTables(dialect),
    `create table restwright_events (
  sequence ${int64} primary key,
  id text not null,
  type text not null,
  resource_type text not null,
  resource_id text not null,
  at ${int64} not null,
  envelope text not null
) ${rows}`,
    `create table restwright_deliveries (
  endpoint text not null,
  sequence ${int64} not null references restwright_events (sequence),
  state text not null,
  attempts integer not null,
  due ${int64} not null,
  leased_until ${int64} not null,
  primary key (endpoint, sequence)
) ${clustered}`,
    "create index restwright_deliveries_due on restwright_deliveries (due, sequence) where state = 'waiting'",
    'insert into restwright_sequences values (1, 0, 0)',
  ];
}
