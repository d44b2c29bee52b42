import { setImmediate } from 'node:timers/promises';
import type { Model } from '../../../model/model.ts';
import type { MaybePromise } from '../../../platform/maybe-promise.ts';
import type { SqlRow, SqlValue, Statement } from '../dialect.ts';
import { METADATA, SystemStatements } from '../system-statements.ts';
import { RefusedCopyRow, UnstorableRow } from './unstorable-row.ts';
import { beginCounters, type Counters, listTimes } from '../write/counters.ts';
import { ALLOCATORS } from '../log-numbers.ts';
import {
  type CopiedTable,
  copiedSystemTables,
  type CopyDialects,
  modelTables,
  systemTable,
  totalsTable,
} from './copied-tables.ts';

/** A database that is read: all of it as it was at one moment. */
export interface CopySource {
  all(statement: Statement): MaybePromise<readonly SqlRow[]>;
  /** The rows of a query, in parts that are small enough for memory. */
  batches(text: string): Iterable<readonly SqlRow[]> | AsyncIterable<readonly SqlRow[]>;
  /** The names of the columns of a table. */
  columns(table: string): MaybePromise<readonly string[]>;
  close(): MaybePromise<void>;
}

/** A database that is written, in one transaction that excludes other writes. */
export interface CopyTarget {
  /** @throws where another process writes */
  begin(): MaybePromise<void>;
  run(statement: Statement): MaybePromise<readonly SqlRow[]>;
  /** @throws {RefusedCopyRow} for a row that cannot be stored */
  insert(table: CopiedTable, rows: readonly (readonly SqlValue[])[]): MaybePromise<void>;
  /** Commits what is whole: all references lead to rows. */
  commit(): MaybePromise<void>;
  /** Closes it. What is not committed is gone. */
  close(): MaybePromise<void>;
}

export interface DatabaseCopy {
  readonly model: Model;
  readonly dialects: CopyDialects;
  readonly source: CopySource;
  readonly target: CopyTarget;
  /** Once aborted, the copy ends with the current batch, and the target stays as it was. */
  readonly signal: AbortSignal;
  /** Called with the rows of all tables so far, and their total. */
  readonly onProgress: (done: number, total: number) => void;
}

/** The result of a copy. `stopped` leaves the target as it was. */
export type CopyOutcome =
  | { readonly kind: 'copied'; readonly rows: number; readonly events: number }
  | { readonly kind: 'stopped' };

/** The numbers of changes and of events that were committed to a database. */
export interface LastNumbers {
  readonly revision: number;
  readonly event: number;
}

/** @param row of `SystemStatements.commits` */
export function lastNumbers(row: SqlRow | null): LastNumbers {
  return { revision: Number(row?.['revision']), event: Number(row?.['event']) };
}

/** The target has rows, events, or had some: nothing is changed in it. */
export class TargetNotEmpty extends Error {
  override readonly name = 'TargetNotEmpty';
}

/**
 * Copies everything that a database stores. Rows keep their ids, times and revisions, and the event log its sequences,
 * positions and deliveries. Tombstones, bookmarks, change stamps, idempotency records and the key that seals cursors
 * and secrets are copied too. Leases are free in the copy, so that it can be served immediately; its cache epoch is
 * another one. Needs the memory of a few batches.
 *
 * @throws {TargetNotEmpty}
 * @throws {UnstorableRow}
 */
export async function copyDatabase(copy: DatabaseCopy): Promise<CopyOutcome> {
  const { source, target } = copy;
  const system = { from: new SystemStatements(copy.dialects.from), to: new SystemStatements(copy.dialects.to) };
  await target.begin();
  requireEmpty(lastNumbers((await target.run(system.to.commits()))[0] ?? null));
  const tables = await listCopiedTables(copy);
  let total = 0;
  for (const table of tables) total += await countRows(copy, table);
  const counts = await copyTables(copy, tables, total);
  if (counts === null) return { kind: 'stopped' };
  const counters = beginCounters((await source.all(system.from.counters()))[0] ?? null);
  const [secret] = await source.all(system.from.metadata(METADATA.secret));
  for (const each of storeNumbers(copy.dialects.to, system.to, counters)) await target.run(each);
  await target.run(system.to.setMetadata(METADATA.secret, String(secret?.['value'])));
  await target.run({ text: `update restwright_readers set owner = '', leased_until = 0`, values: [] });
  await target.commit();
  const rows = [...copy.model.resources.keys()].reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  return { kind: 'copied', rows, events: counts.get('restwright_events') ?? 0 };
}

/** @throws {TargetNotEmpty} */
export function requireEmpty({ revision, event }: LastNumbers): void {
  if (revision === 0 && event === 0) return;
  throw new TargetNotEmpty(`${revision} changes of rows and ${event} events were written to it`);
}

/**
 * Until when a process has the lease of a reader of the event log; null where none has.
 *
 * @param now milliseconds since the epoch
 */
export async function leasedUntil(database: Pick<CopySource, 'all'>, now: number): Promise<number | null> {
  const text = `select max(leased_until) as until from restwright_readers where owner <> ''`;
  const until = Number((await database.all({ text, values: [] }))[0]?.['until'] ?? 0);
  return until > now ? until : null;
}

async function listCopiedTables({ model, dialects, source }: DatabaseCopy): Promise<readonly CopiedTable[]> {
  const system: CopiedTable[] = [];
  for (const name of copiedSystemTables(dialects.from))
    system.push(systemTable(name, await source.columns(name), dialects.from));
  return [totalsTable(dialects), ...system, ...modelTables(model, dialects)];
}

/**
 * The statements that store the numbers of a log in a new database. Sequences of PostgreSQL restart within the
 * transaction: `setval` would stay when it is rolled back. Ids of shapes may have gaps.
 */
function storeNumbers(
  { numbers }: CopyDialects['to'],
  { setCounters }: SystemStatements,
  { revision, log }: Counters,
): readonly Statement[] {
  const slot = numbers === 'counted' ? [] : [0];
  const totals = setCounters(revision, log.sequence, ...listTimes(log.open), ...slot);
  if (numbers === 'counted') return [totals];
  const restart = (name: string, last: number): string => `alter sequence ${name} restart with ${last + 1}`;
  const shapes = `select setval('${ALLOCATORS.shape}', coalesce(max(id), 0) + 1, false) from restwright_event_shapes`;
  const texts = [restart(ALLOCATORS.revision, revision), restart(ALLOCATORS.sequence, log.sequence), shapes];
  return [totals, ...texts.map((text) => ({ text, values: [] }))];
}

async function countRows({ source }: DatabaseCopy, table: CopiedTable): Promise<number> {
  const text = `select count(*) as count from (${table.select}) as copied`;
  const [row] = await source.all({ text, values: [] });
  return Number(row?.['count']);
}

/** @throws {UnstorableRow} */
async function insertRows(target: CopyTarget, table: CopiedTable, rows: readonly SqlRow[]): Promise<void> {
  try {
    await target.insert(
      table,
      rows.map((row, index) => convertRow(table, row, index)),
    );
  } catch (error) {
    const row = error instanceof RefusedCopyRow ? rows[error.index] : undefined;
    if (!(error instanceof RefusedCopyRow) || row === undefined) throw error;
    throw new UnstorableRow(table.name, row, error);
  }
}

/** @throws {RefusedCopyRow} for a number that the other database has no room for */
function convertRow(table: CopiedTable, row: SqlRow, index: number): readonly SqlValue[] {
  try {
    return table.values(row);
  } catch (error) {
    throw new RefusedCopyRow(index, error);
  }
}

/** @returns the rows of each table; null where the copy was stopped */
async function copyTables(
  { source, target, dialects, signal, onProgress }: DatabaseCopy,
  tables: readonly CopiedTable[],
  total: number,
): Promise<ReadonlyMap<string, number> | null> {
  const counts = new Map<string, number>();
  let done = 0;
  for (const table of tables) {
    // A new database has rows in some system tables.
    await target.run({ text: `delete from ${dialects.to.quote(table.name)} where ${table.where}`, values: [] });
    for await (const rows of source.batches(table.select)) {
      await insertRows(target, table, rows);
      counts.set(table.name, (counts.get(table.name) ?? 0) + rows.length);
      done += rows.length;
      onProgress(done, total);
      // Between two batches signals arrive: SQLite answers within the call.
      await setImmediate();
      if (signal.aborted) return null;
    }
  }
  return counts;
}
