import { fnv1a } from '../../../cache/fnv1a.ts';
import type { ReferencedRow, WritePlan } from '../../../plan/plan.ts';
import { keyIds } from '../../../plan/row-address.ts';
import type { WriteUnit } from '../../../plan/write-unit.ts';
import { BindParameters, type Statement } from '../../sql/dialect.ts';
import { isAllocatedFormat } from '../../sql/schema/system-upgrades.ts';
import type { Table, Tables } from '../../sql/tables.ts';
import { arrayLiteral } from '../dialect/literals.ts';

/** The class of the lock that each transaction which writes holds, and of the locks of what it writes. */
const CLASSES = { writes: 0x5257_0001, parts: 0x5257_0002, drain: 0x5257_0003 };

/**
 * The locks of a schema: those that hash alike are one. It bounds the memory that they need in the server, of which it
 * has as much as 64 for each connection by default.
 */
const LOCKS = 1_024;

/** The identifier of the schema: that of a table which each has. */
const SCHEMA = `'restwright_slots'::regclass::oid::bigint`;

/** The key of the lock that all transactions which write share. */
const WRITES_KEY = `(${CLASSES.writes}::bigint << 32) | ${SCHEMA}`;
/** The key of one of {@link LOCKS} locks. */
const PART_KEY = `(${CLASSES.parts}::bigint << 32) | ((${SCHEMA} * ${LOCKS} + part) & 4294967295)`;

/** A condition of `pg_locks`: the lock is one that transactions which write hold, or wait for. */
export const IS_OF_WRITES = `locktype = 'advisory' and classid = ${CLASSES.writes} and objsubid = 1
  and objid = 'restwright_slots'::regclass::oid and database = (select oid from pg_database where datname = current_database())`;

/** Joins the transactions that write. Their numbers are allocated after it. */
export const SHARE_WRITES = `select pg_advisory_xact_lock_shared(${WRITES_KEY})`;

/** Waits until no other transaction writes, and lets none begin until this one ends. */
export const EXCLUDE_WRITES = `select pg_advisory_xact_lock(${WRITES_KEY})`;

/** Lets one transaction at a time move recorded changes to the log. The others leave them to it. */
export const DRAIN_ALONE = `select pg_try_advisory_xact_lock((${CLASSES.drain}::bigint << 32) | ${SCHEMA}) as locked`;

/**
 * The statement by which a migration excludes writes. Each write of an earlier format first locks a row, of a table
 * that the migration drops. The migration locks that table: none may wait for the row, and have a lock of the table.
 */
export function excludeWrites(format: number): string {
  if (isAllocatedFormat(format)) return EXCLUDE_WRITES;
  return `lock table ${format < 11 ? 'restwright_sequences' : 'restwright_counts'} in access exclusive mode`;
}

const LOCK_PARTS = `select case when exclusive then pg_advisory_xact_lock(${PART_KEY})
  else pg_advisory_xact_lock_shared(${PART_KEY}) end
from unnest($1::integer[], $2::boolean[]) as wanted(part, exclusive)`;

/** A part of a database that a transaction locks, and whether no other one may share it. */
type WantedLocks = Map<number, boolean>;

/** The statements that lock what units write, before their numbers are allocated, in an order that all keep. */
export function lockStatements(tables: Tables, units: readonly WriteUnit[]): readonly Statement[] {
  return [...lockParts(tables, units), ...lockRows(tables, units)];
}

/** Checks if a unit needs to be alone: it removes a part of the log, whose shapes others may be about to use. */
export function isExclusive({ delivery }: WriteUnit): boolean {
  return delivery?.removeThrough !== undefined;
}

/**
 * Locks names, ids and resources. An idempotency record is found, or made, by one transaction. An id that may be used
 * again is created and deleted by one, so that its events are in the order of commits. The rows of a resource that a
 * unit expects unchanged are changed by no other one.
 *
 * @param kept rows that no other transaction may delete
 */
export function lockParts(
  tables: Tables,
  units: readonly WriteUnit[],
  kept: readonly Pick<ReferencedRow, 'resource' | 'id'>[] = [],
): readonly Statement[] {
  const wanted: WantedLocks = new Map();
  for (const unit of units) addLocks(tables, unit, wanted);
  for (const { resource, id } of kept) addLock(wanted, `id ${resource} ${id}`, false);
  if (wanted.size === 0) return [];
  const sorted = [...wanted].sort(([one], [other]) => one - other);
  const values = [
    arrayLiteral(sorted.map(([part]) => part)),
    arrayLiteral(sorted.map(([, isAlone]) => (isAlone ? 'true' : 'false'))),
  ];
  return [{ text: LOCK_PARTS, values }];
}

function addLock(wanted: WantedLocks, name: string, isAlone: boolean): void {
  const part = fnv1a(name) & (LOCKS - 1);
  wanted.set(part, isAlone || wanted.get(part) === true);
}

function addLocks(tables: Tables, { plans, records = [], expectStamps = [] }: WriteUnit, wanted: WantedLocks): void {
  const add = (name: string, isAlone: boolean): void => addLock(wanted, name, isAlone);
  for (const { name } of records) add(`record ${name}`, true);
  for (const plan of plans) {
    add(`resource ${plan.resource}`, false);
    if (plan.kind === 'create') for (const { resource } of plan.expectStamps ?? []) add(`resource ${resource}`, true);
    if (mayReuseId(tables, plan)) add(`id ${plan.resource} ${plan.id}`, true);
  }
  for (const { resource } of expectStamps) add(`resource ${resource}`, true);
}

/** Checks if the row of a plan has an id that a deleted one had, or that a later one may have. */
function mayReuseId(tables: Tables, plan: WritePlan): boolean {
  if (plan.kind !== 'create') return plan.kind === 'delete';
  return plan.isRestored === true || tables.of(plan.resource).resource.id.kind === 'client';
}

/**
 * Locks the rows that several plans change, so that transactions do not wait for each other in a circle. A lone row
 * needs no lock ahead.
 */
function lockRows(tables: Tables, units: readonly WriteUnit[]): readonly Statement[] {
  const changes = units.flatMap(({ plans }) => plans.filter(({ kind }) => kind !== 'create'));
  if (changes.length < 2) return [];
  const byResource = Map.groupBy(changes, ({ resource }) => resource);
  return [...byResource.keys()].sort().map((name) => lockTable(tables.of(name), byResource.get(name) ?? []));
}

/** Locks rows of a table in the order of their keys. References to rows that stay do not wait for them. */
function lockTable(table: Table, plans: readonly WritePlan[]): Statement {
  const { dialect, key, keyTypes, resource } = table;
  const parameters = new BindParameters(dialect);
  const keys = plans.map((plan) => table.encodeKey(keyIds(resource, plan)));
  const { source, ids } = dialect.keyRows(keys, { alias: 'one id', types: keyTypes }, parameters);
  const columns = key.map((name) => table.column(name));
  const strength = plans.some(({ kind }) => kind === 'delete') ? 'update' : 'no key update';
  return {
    text: `select 1 from ${table.name} where (${columns.join(', ')}) in (select ${ids.join(', ')} from ${source})
order by ${columns.join(', ')} for ${strength}`,
    values: parameters.values,
  };
}
