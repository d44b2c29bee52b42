import { RETENTION_READER } from '../../../plan/delivery-plan.ts';
import type { WritePlan } from '../../../plan/plan.ts';
import type { WriteUnit } from '../../../plan/write-unit.ts';
import type { SqlRow, Statement } from '../../sql/dialect.ts';
import { logState } from '../../sql/events/append-event.ts';
import { ALLOCATORS, allocated, selectAllocated, SLOT_COUNT } from '../../sql/log-numbers.ts';
import { METADATA } from '../../sql/system-statements.ts';
import type { Tables } from '../../sql/tables.ts';
import { type Counters, readOpenBlock, unchangedCounters } from '../../sql/write/counters.ts';
import { allAnswers } from '../driver/answers.ts';
import type { PostgresConnection } from '../driver/pg.ts';
import { SERVER } from './database-state.ts';
import type { KnownShapes } from './known-shapes.ts';
import { beginTimeline } from './timeline.ts';
import { EXCLUDE_WRITES, isExclusive, lockStatements, SHARE_WRITES } from './write-locks.ts';

/** The numbers and totals with which a transaction begins. */
export interface BegunTransaction {
  /** When the server started. */
  readonly server: string;
  /** The totals of its slot before it. */
  readonly slot: SlotTotals;
  /** The sequence up to which the log was removed. */
  readonly removed: number;
  readonly counters: Counters;
}

/** The changes and events of all transactions that had a slot. */
export interface SlotTotals {
  readonly slot: number;
  readonly changes: number;
  readonly events: number;
}

/** The numbers that units need, if each of their plans writes. */
interface NeededNumbers {
  readonly revisions: number;
  readonly sequences: number;
}

/**
 * Locks a slot and allocates numbers. It comes after the statements that lock what is written: who waits for a row gets
 * greater numbers than who writes it before.
 */
const ALLOCATE = `select slot, changes, events, block, first_at, last_at, first_id, last_id,
  left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline,
  (select value from restwright_meta where name = '${METADATA.timeline}') as last_timeline,
  coalesce((select sequence from restwright_readers where name = '${RETENTION_READER}'), 0) as removed,
  ${SERVER} as server, ${selectAllocated(ALLOCATORS.sequence)} as last_sequence,
  array(select nextval('${ALLOCATORS.revision}') from generate_series(1, $1::integer)) as revisions,
  array(select nextval('${ALLOCATORS.sequence}') from generate_series(1, $2::integer)) as sequences
from restwright_slots`;

/** Locks the first slot that is free. */
const ALLOCATE_FREE = `${ALLOCATE} order by slot limit 1 for update skip locked`;
/** Waits for one of the slots: more transactions write than there are. */
const ALLOCATE_ANY = `${ALLOCATE} where slot = pg_backend_pid() % ${SLOT_COUNT} for update`;

interface BeginOptions {
  readonly session: PostgresConnection;
  readonly tables: Tables;
  readonly units: readonly WriteUnit[];
  /** True if no other transaction may write meanwhile, whatever the units do. */
  readonly isAlone: boolean;
  readonly shapes: KnownShapes;
  /** True if the transaction is begun already, and has locked what it writes. Default: false. */
  readonly isBegun?: boolean;
}

/** The server was promoted. The transaction is rolled back; a retry will succeed. */
export class TimelineChanged extends Error {
  override readonly name = 'TimelineChanged';
}

/** Begins a transaction that writes units: locks what they write, then allocates the numbers of their changes. */
export async function beginTransaction(options: BeginOptions): Promise<BegunTransaction> {
  const { session, tables, shapes } = options;
  const row = await allocate(options);
  if (row['timeline'] === row['last_timeline']) return readBegun(row, shapes);
  await session.query('rollback');
  await beginTimeline(session, tables);
  if (options.isBegun === true) throw new TimelineChanged();
  return readBegun(await allocate(options), shapes);
}

async function allocate({ session, tables, units, isAlone, isBegun = false }: BeginOptions): Promise<SqlRow> {
  const needed = countNumbers(units);
  const values = [needed.revisions, needed.sequences];
  const excludes = isAlone || units.some(isExclusive);
  const locks = isAlone || isBegun ? [] : lockStatements(tables, units);
  const statements: readonly Statement[] = [
    ...(isBegun ? [] : [{ text: 'begin', values: [] }]),
    { text: excludes ? EXCLUDE_WRITES : SHARE_WRITES, values: [] },
    ...locks,
    { text: ALLOCATE_FREE, values },
  ];
  const answers = await allAnswers(statements.map((each) => session.query(each.text, each.values)));
  const row = answers.at(-1)?.rows[0] ?? (await session.query(ALLOCATE_ANY, values)).rows[0];
  if (row === undefined) throw new Error('The table restwright_slots has no rows. Restore the database from a backup.');
  return row;
}

function readBegun(row: SqlRow, shapes: KnownShapes): BegunTransaction {
  const [slot, removed] = [Number(row['slot']), Number(row['removed'])];
  const revisions = allocated(readNumbers(row['revisions']));
  const log = logState({
    sequence: 0,
    end: Number(row['last_sequence']),
    open: readOpenBlock(row),
    next: allocated(readNumbers(row['sequences'])),
    slot,
    shapes: shapes.of(slot, removed),
  });
  return {
    server: String(row['server']),
    removed,
    slot: { slot, changes: Number(row['changes']), events: Number(row['events']) },
    counters: unchangedCounters({ revision: 0, next: revisions, log }),
  };
}

function countNumbers(units: readonly WriteUnit[]): NeededNumbers {
  const plans = units.flatMap((unit) => unit.plans);
  return {
    revisions: plans.filter(({ kind }) => kind !== 'detach').length,
    sequences: plans.filter(hasEvent).length,
  };
}

/** Checks if a plan has an event, or may have one once its row is written. */
function hasEvent(plan: WritePlan): boolean {
  return plan.event !== null || (plan.kind !== 'delete' && plan.settle !== undefined && plan.written === undefined);
}

/** The numbers of an array, as PostgreSQL writes it: `{1,2}`. */
function readNumbers(array: SqlRow[string] | undefined): readonly number[] {
  const text = String(array).slice(1, -1);
  return text === '' ? [] : text.split(',').map(Number);
}
