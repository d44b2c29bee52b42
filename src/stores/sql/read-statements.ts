import type { SortKey } from '../../model/model.ts';
import type { Ancestor, ItemPlan, ListPlan } from '../../plan/plan.ts';
import { ancestorStands, belowAncestors, condition } from './conditions.ts';
import { Parameters, type Statement } from './dialect.ts';
import { type Range, rangesAfter, walked } from './seek.ts';
import type { Table, Tables } from './tables.ts';

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
}

/** Reads the one row of an item plan. */
export function itemStatement(tables: Tables, plan: ItemPlan): Statement {
  const table = tables.of(plan.resource);
  const parameters = new Parameters(tables.dialect);
  const own = `${table.column('id')} = ${parameters.add(plan.id)}`;
  const conditions = [own, ...belowAncestors(tables, table, plan.within, parameters)];
  return { text: `select ${table.selection} from ${table.name}${where(conditions)}`, values: parameters.values };
}

/** What every row of a list satisfies, wherever the window lies. */
function selected(tables: Tables, table: Table, plan: ListPlan, parameters: Parameters): string[] {
  const { deadline } = tables.dialect;
  return [
    ...(plan.heavy && deadline !== null ? [deadline] : []),
    ...belowAncestors(tables, table, plan.within, parameters),
    ...plan.filter.map((each) => condition(table, each, parameters)),
  ];
}

function orderBy(table: Table, order: readonly SortKey[]): string {
  return order
    .map(({ path, descending }) => table.dialect.order(table.operand(path).expression, descending))
    .join(', ');
}

/**
 * Several ranges in one statement: the ids of the page with their keys, merged, then the rows. An index that has the keys is all that
 * the ranges read, one after the other and as far as they are wanted. Where the database cannot see that a settled key is constant,
 * for it lies inside a column, each range orders itself by what remains and stops by itself.
 */
function merged(
  tables: Tables,
  table: Table,
  plan: ListPlan,
  order: readonly SortKey[],
  ranges: readonly Range[],
): Statement {
  const { dialect } = tables;
  const { quote } = dialect;
  const parameters = new Parameters(dialect);
  const terms = order.map(({ path, descending }, index) => {
    const name = quote(`key ${index}`);
    return { key: `${table.operand(path).expression} as ${name}`, term: dialect.order(name, descending) };
  });
  // No resource can bear a name with a space.
  const of = quote('one page');
  const opaque = order.some(({ path }) => !table.operand(path).plain);
  const by = (from: number): string =>
    ` order by ${terms
      .slice(from)
      .map(({ term }) => term)
      .join(', ')}`;
  const window = (from: number): string => `${by(from)} limit ${parameters.add(plan.window.limit + 1)}`;
  const keys = [`${table.column('id')} as ${quote('row')}`, ...terms.map(({ key }) => key)].join(', ');
  const parts = ranges.map(({ settled, condition: after }) => {
    const conditions = where([...selected(tables, table, plan, parameters), after(parameters)]);
    const part = `select ${keys} from ${table.name}${conditions}`;
    return opaque ? `select * from (${part}${window(settled)}) as part` : part;
  });
  const page = `(${parts.join(' union all ')}${window(0)}) as ${of}`;
  const rows = `${table.name} on ${table.column('id')} = ${of}.${quote('row')}`;
  return { text: `select ${table.selection} from ${page} join ${rows}${by(0)}`, values: parameters.values };
}

/** Reads the rows of a list plan and one more, which tells whether others follow. A walk backward reads the reversed order. */
export function listStatement(tables: Tables, plan: ListPlan): Statement {
  const table = tables.of(plan.resource);
  const { window } = plan;
  const order = walked(plan.order, window.kind === 'seek' && window.backward);
  const after = window.kind === 'seek' && window.after !== null ? rangesAfter(table, order, window.after) : [];
  if (after.length > 1) return merged(tables, table, plan, order, after);
  const parameters = new Parameters(tables.dialect);
  const conditions = selected(tables, table, plan, parameters);
  for (const range of after) conditions.push(range.condition(parameters));
  let text = `select ${table.selection} from ${table.name}${where(conditions)} order by ${orderBy(table, order)}`;
  text += ` limit ${parameters.add(window.limit + 1)}`;
  if (window.kind === 'offset' && window.offset > 0) text += ` offset ${parameters.add(window.offset)}`;
  return { text, values: parameters.values };
}

/** Whether a count of the plan is the number of all rows of the resource, which the store keeps (PAGE-9). */
export function countsWholeCollection(plan: ListPlan): boolean {
  return plan.filter.length === 0 && plan.within.length === 0;
}

/** Counts the rows that a plan selects, as `count`; up to one more than the cap, where there is one. */
export function countStatement(tables: Tables, plan: ListPlan, cap: number | null): Statement {
  const table = tables.of(plan.resource);
  const parameters = new Parameters(tables.dialect);
  const conditions = where(selected(tables, table, plan, parameters));
  const name = tables.dialect.quote('count');
  if (cap === null)
    return { text: `select count(*) as ${name} from ${table.name}${conditions}`, values: parameters.values };
  const rows = `select 1 from ${table.name}${conditions} limit ${parameters.add(cap + 1)}`;
  return { text: `select count(*) as ${name} from (${rows}) as capped`, values: parameters.values };
}

/** Tells of each ancestor whether it stands, under the column `0` for the nearest, `1` for the one above it and so on. */
export function ancestorsStatement(tables: Tables, within: readonly Ancestor[]): Statement {
  const parameters = new Parameters(tables.dialect);
  const stand = within.map(
    (_, index) => `${ancestorStands(tables, within, index, parameters)} as ${tables.dialect.quote(String(index))}`,
  );
  return { text: `select ${stand.join(', ')}`, values: parameters.values };
}

/** Reads one row where a resource has the id. */
export function standsStatement(tables: Tables, resource: string, id: string): Statement {
  const table = tables.of(resource);
  const parameters = new Parameters(tables.dialect);
  return {
    text: `select 1 from ${table.name} where ${table.column('id')} = ${parameters.add(id)}`,
    values: parameters.values,
  };
}
