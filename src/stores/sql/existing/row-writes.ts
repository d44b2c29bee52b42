import { jsonEquals } from '../../../conventions/json/json-equality.ts';
import type { Json } from '../../../conventions/json/json.ts';
import {
  EVERYTHING,
  type CreatePlan,
  type DeletePlan,
  type DetachPlan,
  type Row,
  type UpdatePlan,
} from '../../../plan/plan.ts';
import { BindParameters, type SqlValue, type Statement } from '../dialect.ts';
import { itemStatement } from '../read/read-statements.ts';
import type { Table, Tables } from '../tables.ts';
import { splitKey, type TableTarget, type TargetColumn } from './existing-table.ts';

/** A plan that writes a row of a table of another program. */
export type ExistingRowPlan = CreatePlan | UpdatePlan | DetachPlan | DeletePlan;

/** A statement that writes a row, or the field whose value its column cannot hold. */
export type RowWrite = { readonly kind: 'statement'; readonly statement: Statement } | MisfitValue;

/** A field whose value no column of its row can hold, with the reason if it is known. */
interface MisfitValue {
  readonly kind: 'misfit';
  readonly field: string;
  readonly message: string | null;
}

const MISFIT_KEY: RowWrite = { kind: 'misfit', field: 'id', message: 'is not a value that the key can have' };

/** A column, and the value that it is assigned. */
interface ColumnValue {
  readonly column: TargetColumn;
  readonly value: SqlValue;
}

/**
 * The statement that writes the row of a plan. An insert and an update return the id of the row. An update and a delete
 * change no row unless it has the expected revision (CACHE-3).
 */
export function writeRow(tables: Tables, plan: ExistingRowPlan, expected: number): RowWrite {
  const table = tables.of(plan.resource);
  const target = table.existing?.target ?? null;
  if (target === null) throw new Error(`${plan.resource} is only read`);
  switch (plan.kind) {
    case 'create':
      return insertRow(table, target, plan);
    case 'update':
    case 'detach':
      return updateRow(table, target, plan, expected);
    case 'delete':
      return deleteRow(table, target, plan, expected);
  }
}

/** The statement that reads a row by the id that the statement which wrote it has returned. */
export function readRow(tables: Tables, resource: string, id: string): Statement {
  return itemStatement(tables, { kind: 'item', resource, id, within: [], visible: EVERYTHING });
}

/**
 * The refusal of a new row that has another key in its fields than in its id, which decides; null if they agree.
 *
 * @param row the row as it was stored
 */
export function refuseOtherKey(table: Table, plan: ExistingRowPlan, row: Row): MisfitValue | null {
  if (plan.kind !== 'create' || plan.hasDefaultId === true) return null;
  const keys = new Set(table.existing?.target?.keys.map(({ name }) => name));
  const other = Object.entries(plan.values).find(([name, value]) => {
    const column = table.existing?.target?.columns.get(name)?.name;
    return value !== null && column !== undefined && keys.has(column) && !jsonEquals(value, row[name] ?? null);
  });
  return other === undefined ? null : { kind: 'misfit', field: other[0], message: `differs from the id, ${plan.id}` };
}

/** Inserts a row. Columns without a value have their defaults; those of a restored row are NULL as in its file. */
function insertRow(table: Table, target: TableTarget, plan: CreatePlan): RowWrite {
  const { at, updatedAt = at, isRestored = false } = plan;
  const key = assignKey(table, target, plan);
  if (key === null) return MISFIT_KEY;
  const named = new Set(key.map(({ column }) => column.name));
  const members = Object.entries({ ...plan.values, created_at: at, updated_at: updatedAt }).filter(
    ([name, value]) => (value !== null || isRestored) && !named.has(target.columns.get(name)?.name ?? ''),
  );
  const fields = assignMembers(table, target, members);
  if ('kind' in fields) return fields;
  const parameters = new BindParameters(table.dialect);
  const all = [...key, ...fields];
  const names = all.map(({ column }) => column.name).join(', ');
  const values = all.map((each) => writeValue(each, parameters)).join(', ');
  const rows = all.length === 0 ? 'default values' : `(${names}) values (${values})`;
  const text = `insert into ${target.name} as shown ${rows} returning ${target.id} as "id"`;
  return { kind: 'statement', statement: { text, values: parameters.values } };
}

/**
 * Assigns the columns of the key of a new row. The database makes one that was not chosen, unless it is a UUID.
 *
 * @returns null for an id that the key cannot hold
 */
function assignKey(
  table: Table,
  { keys }: TableTarget,
  { id, hasDefaultId }: CreatePlan,
): readonly ColumnValue[] | null {
  if (hasDefaultId === true && (keys.length > 1 || keys[0]?.isUuid !== true)) return [];
  const parts = splitKey(table, [id]);
  const assigned: ColumnValue[] = [];
  for (const [at, column] of keys.entries()) {
    const [part, name] = [parts[at], table.key[at]];
    const value = typeof part === 'string' && name !== undefined ? table.tryEncode(name, part) : undefined;
    if (value === undefined) return null;
    assigned.push({ column, value });
  }
  return assigned;
}

/** Assigns the columns of members of a row. Those without a column are left out. */
function assignMembers(
  table: Table,
  { columns }: TableTarget,
  members: readonly (readonly [name: string, value: Json | undefined])[],
): readonly ColumnValue[] | RowWrite {
  const assigned: ColumnValue[] = [];
  for (const [name, member] of members) {
    const column = columns.get(name);
    if (column === undefined) continue;
    const value = table.tryEncode(name, member);
    if (value === undefined) return { kind: 'misfit', field: name, message: null };
    assigned.push({ column, value });
  }
  return assigned;
}

function writeValue({ column, value }: ColumnValue, parameters: BindParameters): string {
  return value === null ? 'null' : column.assign(parameters.add(value));
}

function updateRow(table: Table, target: TableTarget, plan: UpdatePlan | DetachPlan, expected: number): RowWrite {
  const members = Object.entries({ ...plan.values, updated_at: plan.at });
  const fixed = members.find(([name]) => target.keys.some((key) => key.name === target.columns.get(name)?.name));
  if (fixed !== undefined)
    return { kind: 'misfit', field: fixed[0], message: 'is part of the key; it cannot be changed after creation' };
  const fields = assignMembers(table, target, members);
  if ('kind' in fields) return fields;
  const parameters = new BindParameters(table.dialect);
  const assigned = fields.map((each) => `${each.column.name} = ${writeValue(each, parameters)}`).join(', ');
  const found = findRow(table, target, { id: plan.id, expected }, parameters);
  const text = `update ${target.name} as shown set ${assigned} where ${found} returning ${target.id} as "id"`;
  return { kind: 'statement', statement: { text, values: parameters.values } };
}

function deleteRow(table: Table, target: TableTarget, plan: DeletePlan, expected: number): RowWrite {
  const parameters = new BindParameters(table.dialect);
  const found = findRow(table, target, { id: plan.id, expected }, parameters);
  const statement = { text: `delete from ${target.name} as shown where ${found}`, values: parameters.values };
  return { kind: 'statement', statement };
}

/** A condition: the row has an id, and the expected revision unless that is compared before. */
function findRow(
  table: Table,
  { keys, revision }: TableTarget,
  { id, expected }: { readonly id: string; readonly expected: number },
  parameters: BindParameters,
): string {
  const values = table.encodeKey([id]);
  const same = keys.map(({ compared }, at) => `${compared} = ${parameters.add(values[at] ?? null)}`);
  const unchanged = revision === null ? [] : [`${revision} = ${parameters.add(expected)}`];
  return [...same, ...unchanged].join(' and ');
}
