import type { Rewrite } from './statement-relay.ts';

export const NO_FAULT: Rewrite = (text) => text;

/** A fault that replaces a statement, or a part of it. */
function replace(found: RegExp, by: string): Rewrite {
  return (text) => text.replace(found, by);
}

/** Faults that tests plant into stores. */
export const FAULTS = {
  /** Writers do not hold the lock that readers of the log look at. */
  noWriteLock: replace(/^select pg_advisory_xact_lock_shared.*$/s, 'select 1'),
  /** Names, ids and resources are not locked. */
  noPartLocks: replace(/^select case when exclusive then pg_advisory.*$/s, 'select $1::integer[], $2::boolean[]'),
  /** Rows are locked in the order in which units change them. */
  noRowLocks: replace(/(^select 1 from .*\norder by .*) for (?:no key )?update$/s, '$1'),
  /** Two transactions may have one slot. */
  sharedSlots: replace(/ for update skip locked$/, ''),
  /** Readers of the log look at nobody who writes. */
  noHolders: replace(/(string_agg\(virtualtransaction, ','\).* from pg_locks where )/, '$1false and '),
  /** Readers of the log wait for every transaction that writes anything in any database. */
  allHolders: replace(
    /(string_agg\(virtualtransaction, ','\) from pg_locks where ).*( and granted\) as holders)$/s,
    "$1locktype = 'transactionid'$2",
  ),
  /** Readers of the log wait until nobody writes. */
  oneHolder: replace(/string_agg\(virtualtransaction, ','\)/, "max('busy')"),
  /** The state of a database is its greatest sequence. */
  greatestSequence: replace(
    /string_agg\(slot \|\| ':' \|\| changes, ','\) as slots/,
    "'0:' || (select max(sequence) from restwright_events) as slots",
  ),
  /** A transaction does not add its changes to a stamp of its slot. */
  keptStamp: replace(/change = \(\((restwright_\w+\.change) \+ excluded\.change\) % \d+\)::bigint/, 'change = $1'),
  /** A transaction stores its own count instead of adding it. */
  storedCount: replace(/count = restwright_totals\.count \+ excluded\.count/, 'count = excluded.count'),
  /** Events are removed while others write. */
  sharedRemoval: replace(/^select pg_advisory_xact_lock\(/, 'select pg_advisory_xact_lock_shared('),
  /** A slot has the times of its last transaction alone. */
  replacedTimes: replace(
    /^update restwright_slots set .*$/s,
    `update restwright_slots set changes = $1, events = $2, block = $3, first_at = $5, last_at = $5, first_id = $7,
  last_id = $7 where slot = $8 and $4::bigint is not null and $6::bigint is not null`.replaceAll('$', '$$$$'),
  ),
} as const satisfies Readonly<Record<string, Rewrite>>;
