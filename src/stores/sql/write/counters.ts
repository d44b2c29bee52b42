import type { SqlRow, Statement } from '../dialect.ts';
import { type LogState, logState, timeStatements } from '../events/append-event.ts';
import type { Tables } from '../tables.ts';
import { purgeTombstones } from '../tombstones.ts';

/**
 * The most expired records, or tombstones, that a transaction purges beyond the number that it adds. Purging more than
 * it adds shrinks the table under any load. The bound keeps writes from waiting while a day's records are purged.
 */
const EXTRA_PURGED = 100;

/** The counters of a transaction. Each unit starts with those that the unit before it ended with. */
export interface Counters {
  /** The last revision that was assigned. */
  readonly revision: number;
  /** The event log. */
  readonly log: LogState;
  /** The resources that the transaction has changed, with the number of rows added less those deleted. */
  readonly rowCounts: ReadonlyMap<string, number>;
  /** The number of idempotency records that the transaction has stored. */
  readonly records: number;
  /** The number of tombstones that the transaction has stored. */
  readonly tombstones: number;
}

const NO_COUNTERS: Counters = { revision: 0, log: logState(0), rowCounts: new Map(), records: 0, tombstones: 0 };

/**
 * The counters of a transaction that begins.
 *
 * @param row what `SystemStatements.counters` reads
 * @throws {Error} where that is missing
 */
export function beginCounters(row: SqlRow | null): Counters {
  if (row === null) throw new Error('The table restwright_sequences is empty. Restore the database from a backup.');
  return { ...NO_COUNTERS, revision: Number(row['revision']), log: logState(Number(row['event'])) };
}

/** The statements that end a transaction: they store its counters. @param now milliseconds since the epoch */
export function closingStatements(
  { system, dialect }: Tables,
  begun: Counters,
  { revision, log, rowCounts, records, tombstones }: Counters,
  now: number,
): readonly Statement[] {
  const statements = [...rowCounts].map(([resource, added]) => system.addToRowCount(resource, added, revision));
  const isChanged = revision !== begun.revision || log.sequence !== begun.log.sequence;
  if (isChanged) statements.unshift(system.setCounters(revision, log.sequence));
  statements.push(...timeStatements(dialect, begun.log, log));
  if (tombstones > 0) statements.push(purgeTombstones(dialect, now, tombstones + EXTRA_PURGED));
  if (records > 0) statements.unshift(system.purgeExpiredRecords(now, records + EXTRA_PURGED));
  return statements;
}
