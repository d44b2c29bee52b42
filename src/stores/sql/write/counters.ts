import type { SqlRow, Statement } from '../dialect.ts';
import { type BlockShapes, type BlockTimes, type LogState, logState } from '../events/append-event.ts';
import { COUNTED, type NextNumber } from '../log-numbers.ts';
import type { Tables } from '../tables.ts';
import { purgeTombstones } from '../tombstones.ts';

/**
 * The most expired records, or tombstones, that a transaction purges beyond the number that it adds. Purging more than
 * it adds shrinks the table under any load. The bound keeps writes from waiting while a day's records are purged.
 */
const EXTRA_PURGED = 100;

/** The changes of a transaction to a resource. */
export interface ChangedTotals {
  /** The number of rows added less those deleted. */
  readonly added: number;
  /** The new stamp, or what is added to it. */
  readonly stamp: number;
}

/** The counters of a transaction. Each unit starts with those that the unit before it ended with. */
export interface Counters {
  /** The last revision that was assigned. */
  readonly revision: number;
  readonly next: NextNumber;
  /** The number of revisions that the transaction has assigned. */
  readonly changes: number;
  /** The event log. */
  readonly log: LogState;
  /** By the names of the resources that the transaction has changed. */
  readonly totals: ReadonlyMap<string, ChangedTotals>;
  /** The number of idempotency records that the transaction has stored. */
  readonly records: number;
  /** The number of tombstones that the transaction has stored. */
  readonly tombstones: number;
}

/** The numbers that a transaction begins with. */
type FoundNumbers = Pick<Counters, 'revision' | 'next' | 'log'>;

/** The counters of a transaction that has changed nothing. */
export function unchangedCounters(found: FoundNumbers): Counters {
  return { ...found, changes: 0, totals: new Map(), records: 0, tombstones: 0 };
}

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
  return unchangedCounters({
    revision: Number(row['revision']),
    next: COUNTED,
    log: logState({ sequence: Number(row['event']), open: readOpenBlock(row), shapes }),
  });
}

/** The times of the block that is not full yet, of the row of the log or a slot. */
export function readOpenBlock(row: SqlRow): BlockTimes | null {
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

/** The values of a block that is not full yet. */
export function listTimes(open: BlockTimes | null): readonly (number | null)[] {
  const { block = null, firstAt = null, lastAt = null, firstId = null, lastId = null } = open ?? {};
  return [block, firstAt, lastAt, firstId, lastId];
}

/** Checks if a transaction has changed the numbers of the log. */
export function hasNumbers(begun: Counters, { changes, log }: Counters): boolean {
  return changes > 0 || log.added > 0 || log.open !== begun.log.open;
}

/** The statements that end a transaction: they store its counters. @param now milliseconds since the epoch */
export function closingStatements(tables: Tables, ended: Counters, now: number): readonly Statement[] {
  const { system, dialect } = tables;
  const { log, totals, records, tombstones } = ended;
  const statements = [...totals].map(([resource, { added, stamp }]) =>
    system.addToRowCount(resource, added, stamp, log.slot),
  );
  if (tombstones > 0) statements.push(purgeTombstones(dialect, now, tombstones + EXTRA_PURGED));
  if (records > 0) statements.unshift(system.purgeExpiredRecords(now, records + EXTRA_PURGED));
  return statements;
}
