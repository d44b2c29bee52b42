import type { SqlRow, SqlValue } from '../../sql/dialect.ts';
import { UnusableDatabase } from '../../sql/schema/schema-errors.ts';
import { arrayLiteral } from '../dialect/literals.ts';
import type { FoundRelation } from '../existing/find-relations.ts';
import { RECORD_CHANGE, type TriggerForm, TRIGGERS } from './foreign-queue.ts';

/** Runs a statement and returns its rows. */
type ReadRows = (text: string, values: readonly SqlValue[]) => Promise<readonly SqlRow[]>;

/** The triggers of a table: `disabled` where one of them does not fire in every session, or in every partition. */
export type TriggerState = 'enabled' | 'disabled' | 'missing';

/** Facts of a table of which triggers record the changes. */
export interface TriggeredTable {
  readonly oid: number;
  readonly states: ReadonlyMap<TriggerForm, TriggerState>;
  /** True if it is a partition: its changes are those of its root. */
  readonly isPartition: boolean;
  /** True if tables inherit from it, whose rows it shows and no trigger records. */
  readonly hasHeirs: boolean;
}

const TABLES = `select oid::bigint as oid, relispartition as partition, relhassubclass and relkind = 'r' as heirs
from pg_catalog.pg_class where oid = any($1::oid[])`;

/** The triggers of the function on tables, and those of their partitions. */
const FOUND = `select coalesce(pg_partition_root(tgrelid)::oid, tgrelid)::bigint as table, tgname as name, tgtype as type,
  tgparentid = 0 as own, tgenabled = 'A' as enabled
from pg_catalog.pg_trigger where tgfoid = to_regproc('${RECORD_CHANGE}') and tgqual is null and tgattr = ''`;

/** Reads the triggers of tables. Those that no longer exist are left out. @param oids the numbers of the tables */
export async function readTriggers(read: ReadRows, oids: readonly number[]): Promise<readonly TriggeredTable[]> {
  const tables = await read(TABLES, [arrayLiteral(oids)]);
  const found = await read(FOUND, []);
  return tables.map((row) => {
    const oid = Number(row['oid']);
    const own = found.filter((each) => Number(each['table']) === oid);
    return {
      oid,
      states: new Map(TRIGGERS.map((form) => [form, findState(form, own)])),
      isPartition: row['partition'] === 1,
      hasHeirs: row['heirs'] === 1,
    };
  });
}

function findState({ name, type }: TriggerForm, found: readonly SqlRow[]): TriggerState {
  const same = found.filter((each) => each['name'] === name && Number(each['type']) === type);
  if (!same.some((each) => each['own'] === 1)) return 'missing';
  return same.every((each) => each['enabled'] === 1) ? 'enabled' : 'disabled';
}

/** The state of the triggers of a table together. */
export function joinStates({ states }: Pick<TriggeredTable, 'states'>): TriggerState {
  const found = [...states.values()];
  return found.find((state) => state === 'missing') ?? found.find((state) => state === 'disabled') ?? 'enabled';
}

/** Lists the tables of which triggers record the changes. */
export function listTriggered(found: readonly FoundRelation[]): readonly FoundRelation[] {
  return found.filter(({ source }) => source.changes === 'triggers');
}

/** Reports tables that no trigger can record the changes of. */
export function unrecordable(
  { resource, table }: FoundRelation,
  { isPartition }: Pick<TriggeredTable, 'isPartition'>,
): readonly string[] {
  const why = table.hasTransactions ? (isPartition ? 'a partition' : null) : 'no table of its own rows';
  if (why === null) return [];
  const fix = isPartition ? 'name the partitioned table' : 'remove changes';
  return [`${resource.name}: ${table.name} is ${why}, whose changes triggers do not record; ${fix}`];
}

/** @throws {UnusableDatabase} with the tables whose changes are not recorded, and the command that changes that */
export async function requireTriggers(read: ReadRows, all: readonly FoundRelation[]): Promise<void> {
  const found = listTriggered(all);
  if (found.length === 0) return;
  const states = await readTriggers(
    read,
    found.map(({ table }) => table.oid),
  );
  const problems = found.flatMap((each) => {
    const state = states.find(({ oid }) => oid === each.table.oid);
    if (state === undefined) return [];
    const joined = joinStates(state);
    if (joined === 'enabled') return unrecordable(each, state);
    return [
      ...unrecordable(each, state),
      `${each.resource.name}: the triggers of ${each.table.name} are ${joined}; run restwright adopt with the model`,
    ];
  });
  if (problems.length > 0) throw new UnusableDatabase(problems.join('\n'));
}
