import type { SqliteConnection } from '../connection/sqlite-connection.ts';

/** The form in which this version keeps its database; a database of a greater one was made by a newer version. */
export const FORMAT = 3;

/** What the names of our own tables begin with; no resource's may. */
export const SYSTEM_PREFIX = 'restwright_';

/** What is remembered of writes for a while (MET-12), and the order in which it is forgotten. */
const IDEMPOTENCY_TABLES: readonly string[] = [
  `create table restwright_memos (
  name text primary key not null,
  request text not null,
  outcome text not null,
  revisions text not null,
  expires_at integer not null
) strict, without rowid`,
  'create index restwright_memos_expiry on restwright_memos (expires_at)',
];

/** What brings a database of an older format to the next one, by the format that it has. */
export const UPGRADES: ReadonlyMap<number, readonly string[]> = new Map([
  [1, IDEMPOTENCY_TABLES],
  // Where a model searches there are also triggers that call our functions: an older version could not write to their tables.
  [2, ['alter table restwright_counts add column change integer not null default 0']],
]);

/**
 * The tables that hold what is no row of a resource: facts about the database, the counters that every commit draws from, how many
 * rows each resource has and the revision that was last drawn when one of them changed, how far imports have come, what is remembered of writes, the log of events, and which of them still have to reach which endpoint.
 */
export const SYSTEM_TABLES: readonly string[] = [
  'create table restwright_meta (name text primary key not null, value text not null) strict, without rowid',
  'create table restwright_sequences (one integer primary key check (one = 1), revision integer not null, event integer not null) strict',
  'create table restwright_counts (resource text primary key not null, count integer not null, change integer not null default 0) strict, without rowid',
  'create table restwright_bookmarks (name text primary key not null, value text not null) strict, without rowid',
  ...IDEMPOTENCY_TABLES,
  `create table restwright_events (
  sequence integer primary key,
  id text not null,
  type text not null,
  resource_type text not null,
  resource_id text not null,
  at integer not null,
  envelope text not null
) strict`,
  `create table restwright_deliveries (
  endpoint text not null,
  sequence integer not null references restwright_events (sequence),
  state text not null,
  attempts integer not null,
  due integer not null,
  leased_until integer not null,
  primary key (endpoint, sequence)
) strict, without rowid`,
  "create index restwright_deliveries_due on restwright_deliveries (due, sequence) where state = 'waiting'",
  'insert into restwright_sequences values (1, 0, 0)',
];

/** Names under which facts stand in `restwright_meta`. */
export const META = {
  format: 'format',
  /** How the values of each column are stored, as JSON: the types that SQLite knows do not tell a timestamp from an integer. */
  storage: 'storage',
  /** The key that seals cursors, hexadecimal. */
  secret: 'secret',
  /** Since when the database is told as it is now, and by what, as JSON. */
  edition: 'edition',
} as const;

/** A fact about the database; null where it is not known. */
export function readMeta(connection: SqliteConnection, name: string): string | null {
  const read = connection.get('select value from restwright_meta where name = ?', [name]);
  return read === null ? null : String(read['value']);
}

/** The revision that was drawn last when a row of a resource changed; 0 where none ever did. */
export function readResourceStamp(connection: SqliteConnection, resource: string): number {
  return Number(connection.get('select change from restwright_counts where resource = ?', [resource])?.['change'] ?? 0);
}

/** Keeps a fact about the database, in place of what stood under its name. */
export function writeMeta(connection: SqliteConnection, name: string, value: string): void {
  const text = 'insert into restwright_meta values (?, ?) on conflict (name) do update set value = excluded.value';
  connection.run(text, [name, value]);
}
