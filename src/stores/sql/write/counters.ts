import type { SqlRow, Statement } from '../dialect.ts';
import { type BlockShapes, type BlockTimes, type LogState, logState } from '../events/append-event.ts';
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
 * @param shapes those that are known to be stored
 * @throws {Error} where the row is missing
 */
export function beginCounters(row: SqlRow | null, shapes?: BlockShapes): Counters {
  if (row === null)
    throw new Error('The table restwright_counts has no row of the log. Restore the database from a backup.');
  return {
    ...NO_COUNTERS,
    revision: Number(row['revision']),
    log: logState(Number(row['event']), openBlock(row), shapes),
  };
}

/** The times of the block that is not full yet, of the row of the log. */
function openBlock(row: SqlRow): BlockTimes | null {
  const { block = null, first_at: firstAt, last_at: lastAt, first_id: firstId, last_id: lastId } = row;
  if (block === null) return null;
  return {
    block: Number(block),
    firstAt: Number(firstAt),
    lastAt: Number(lastAt),
    firstId: Number(firstId),
    lastId: Number(lastId),
  };
}

/** The statement that stores the numbers of the log. */
export function storeCounters(
  { system }: Pick<Tables, 'system'>,
  { revision, log }: Pick<Counters, 'revision' | 'log'>,
): Statement {
  const { block = null, firstAt = null, lastAt = null, firstId = null, lastId = null } = log.open ?? {};
  return system.setCounters(revision, log.sequence, block, firstAt, lastAt, firstId, lastId);
}

/** The statements that end a transaction: they store its counters. @param now milliseconds since the epoch */
export function closingStatements(tables: Tables, begun: Counters, ended: Counters, now: number): readonly Statement[] {
  const { system, dialect } = tables;
  const { revision, log, rowCounts, records, tombstones } = ended;
  const statements = [...rowCounts].map(([resource, added]) => system.addToRowCount(resource, added, revision));
  const isChanged = revision !== begun.revision || log.sequence !== begun.log.sequence || log.open !== begun.log.open;
  if (isChanged) statements.unshift(storeCounters(tables, ended));
  if (tombstones > 0) statements.push(purgeTombstones(dialect, now, tombstones + EXTRA_PURGED));
  if (records > 0) statements.unshift(system.purgeExpiredRecords(now, records + EXTRA_PURGED));
  return statements;
}
