import { weakMemoize } from '../../../cache/memoize.ts';
import { keyIds } from '../../../plan/row-address.ts';
import { partitionFields } from '../../../plan/list/partitions.ts';
import type { CreatePlan, DeletePlan, UpdatePlan } from '../../../plan/plan.ts';
import type { Statement } from '../dialect.ts';
import type { Table, Tables } from '../tables.ts';

/** The statements that stamp the partitions of a row that a plan leaves and enters (CACHE-2). */
export interface PartitionStatements {
  /** To be run before the row is written: they read the value that it has. */
  readonly left: readonly Statement[];
  readonly entered: readonly Statement[];
}

const NONE: PartitionStatements = { left: [], entered: [] };

/** @param stamp the new change stamp */
export function partitionStatements(
  tables: Tables,
  plan: CreatePlan | UpdatePlan | DeletePlan,
  stamp: number,
): PartitionStatements {
  const table = tables.of(plan.resource);
  const fields = fieldsOf(table);
  if (fields.length === 0) return NONE;
  const { name, key } = table;
  const values: Readonly<Record<string, unknown>> = plan.kind === 'delete' ? {} : plan.values;
  const { quote, placeholder } = tables.dialect;
  const left = fields.map((field): Statement => {
    const found = key.map((column, index) => `${quote(column)} = ${placeholder(index + 4)}`).join(' and ');
    const read = `select ${placeholder(1)}, ${placeholder(2)}, ${quote(field)}, ${placeholder(3)} from ${name}`;
    const text = `insert into restwright_partitions ${read} where ${found} and ${quote(field)} is not null ${REPLACE}`;
    return { text, values: [plan.resource, field, stamp, ...table.encodeKey(keyIds(table.resource, plan))] };
  });
  const entered = fields.flatMap((field): readonly Statement[] => {
    const value = values[field];
    return typeof value === 'string' ? [tables.system.setPartitionStamp(plan.resource, field, value, stamp)] : [];
  });
  return { left: plan.kind === 'create' ? [] : left, entered };
}

const REPLACE = 'on conflict (resource, field, value) do update set change = excluded.change';

const fieldsOf = weakMemoize(({ resource }: Table) => partitionFields(resource));
