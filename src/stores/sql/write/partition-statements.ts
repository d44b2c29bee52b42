import { weakMemoize } from '../../../cache/memoize.ts';
import { keyIds } from '../../../plan/row-address.ts';
import { partitionFields } from '../../../plan/list/partitions.ts';
import type { CreatePlan, DeletePlan, UpdatePlan } from '../../../plan/plan.ts';
import type { Statement } from '../dialect.ts';
import { stampChange, sumStamps } from '../log-numbers.ts';
import type { Table, Tables } from '../tables.ts';

/** The statements that stamp the partitions of a row that a plan leaves and enters (CACHE-2). */
export interface PartitionStatements {
  /** To be run before the row is written: they read the value that it has. */
  readonly left: readonly Statement[];
  readonly entered: readonly Statement[];
}

const NONE: PartitionStatements = { left: [], entered: [] };

/** @param revision that of the change @param slot of the transaction */
export function partitionStatements(
  tables: Tables,
  plan: CreatePlan | UpdatePlan | DeletePlan,
  revision: number,
  slot: number,
): PartitionStatements {
  const table = tables.of(plan.resource);
  const fields = fieldsOf(table);
  if (fields.length === 0) return NONE;
  const { name, key } = table;
  const values: Readonly<Record<string, unknown>> = plan.kind === 'delete' ? {} : plan.values;
  const { quote, placeholder, numbers } = tables.dialect;
  const stamp = stampChange(tables.dialect, revision);
  const isCounted = numbers === 'counted';
  const left = fields.map((field): Statement => {
    const first = isCounted ? 4 : 5;
    const found = key.map((column, index) => `${quote(column)} = ${placeholder(index + first)}`).join(' and ');
    const columns = isCounted ? 'resource, field, value, change' : 'resource, field, value, change, slot';
    const own = isCounted ? [] : [placeholder(4)];
    const read = [placeholder(1), placeholder(2), quote(field), placeholder(3), ...own].join(', ');
    const rows = `select ${read} from ${name} where ${found} and ${quote(field)} is not null`;
    const bound = [plan.resource, field, stamp, ...(isCounted ? [] : [slot])];
    return {
      text: `insert into restwright_partitions (${columns}) ${rows} ${isCounted ? REPLACE : ADD}`,
      values: [...bound, ...table.encodeKey(keyIds(table.resource, plan))],
    };
  });
  const entered = fields.flatMap((field): readonly Statement[] => {
    const value = values[field];
    return typeof value === 'string' ? [tables.system.setPartitionStamp(plan.resource, field, value, stamp, slot)] : [];
  });
  return { left: plan.kind === 'create' ? [] : left, entered };
}

const REPLACE = 'on conflict (resource, field, value) do update set change = excluded.change';
const ADD = `on conflict (resource, field, value, slot) do update
set change = ${sumStamps('restwright_partitions.change + excluded.change')}`;

const fieldsOf = weakMemoize(({ resource }: Table) => partitionFields(resource));
