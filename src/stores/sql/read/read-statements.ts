import type { SortKey } from '../../../model/model.ts';
import { weakMemoize } from '../../../cache/memoize.ts';
import type { Ancestor, Effort, ItemPlan, ListPlan } from '../../../plan/plan.ts';
import { ancestorExists, belowParent, ancestorChain, type Filter, filterConditions, filterOf } from './conditions.ts';
import { type Dialect, type DeadlineChecks, BindParameters, type Statement } from '../dialect.ts';
import { type Range, rangesAfter, directedOrder } from './seek.ts';
import type { Table, Tables } from '../tables.ts';
import { walkOf } from './walk.ts';

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
}

/** @returns an `order by` of the keys of a table */
export function orderBy(table: Table, order: readonly SortKey[]): string {
  const terms = order.map(({ path, descending }) => table.dialect.order(table.operand(path).expression, descending));
  return ` order by ${terms.join(', ')}`;
}

/** Reads the one row of an item plan. */
export function itemStatement(tables: Tables, plan: ItemPlan): Statement {
  const table = tables.of(plan.resource);
  if (plan.within.length === 0 && plan.columns === undefined) return { text: wholeRowText(table), values: [plan.id] };
  const parameters = new BindParameters(tables.dialect);
  const own = `${table.column('id')} = ${parameters.add(plan.id)}`;
  const below = filterOf(table, belowParent(table, plan.within));
  const conditions = [
    own,
    ...filterConditions(table, below, parameters, null),
    ...ancestorChain(tables, plan.within, parameters),
  ];
  const text = `select ${table.selection(plan.columns)} from ${table.name}${where(conditions)}`;
  return { text, values: parameters.values };
}

/** What reads a whole row by its id, which is asked more often than anything else. */
const wholeRowText = weakMemoize(
  (table: Table) =>
    `select ${table.selection()} from ${table.name} where ${table.column('id')} = ${table.dialect.placeholder(1)}`,
);

/** The rows of a list plan, and at which of them the statement looks at its deadline. */
interface RowSelection {
  readonly plan: ListPlan;
  readonly filter: Filter;
  readonly deadlineChecks: DeadlineChecks;
}

/** What every row of a list satisfies by itself. */
function filterOfPlan(table: Table, { within, filter }: ListPlan): Filter {
  return filterOf(table, [...belowParent(table, within), ...filter]);
}

/** At which of its rows a statement looks at its deadline, where it is read under one. */
export function deadlineChecksFor(effort: Effort): DeadlineChecks {
  return effort === 'unbounded' ? 'sampled' : 'never';
}

/** The conditions by which a statement looks at its deadline: at its rows, and at what it finds before them. */
export function deadlineConditions(
  { deadline }: Dialect,
  looks: DeadlineChecks,
): { readonly row: readonly string[]; readonly found: string | null } {
  return deadline === null || looks === 'never'
    ? { row: [], found: null }
    : { row: [deadline[looks]], found: deadline.always };
}

/** What every row of a list satisfies, wherever the window lies. */
function rowConditions(
  tables: Tables,
  { plan, filter, deadlineChecks }: RowSelection,
  parameters: BindParameters,
): string[] {
  const { row, found } = deadlineConditions(tables.dialect, deadlineChecks);
  return [
    ...row,
    ...filterConditions(tables.of(plan.resource), filter, parameters, found),
    ...ancestorChain(tables, plan.within, parameters),
  ];
}

/** What a list reads: in an order, from a position on or from the start, the rows of a filter. */
interface ListScan extends RowSelection {
  readonly order: readonly SortKey[];
  /** Of rows after the position; empty where there is none. */
  readonly ranges: readonly Range[];
}

function listScan(table: Table, plan: ListPlan, looks: DeadlineChecks): ListScan {
  const { window } = plan;
  const backward = window.kind === 'seek' && window.backward;
  const position = window.kind === 'seek' ? window.after : null;
  const given = filterOfPlan(table, plan);
  const { order, after, filter } = walkOf(table, {
    order: directedOrder(plan.order, backward),
    after: position,
    filter: given,
  });
  return {
    plan,
    deadlineChecks: looks,
    order,
    filter,
    ranges: after === null ? [] : rangesAfter(table, order, after, given),
  };
}

/** The rows that a window asks for and one more, from where it begins. */
function limited({ window }: ListPlan, parameters: BindParameters): string {
  const limit = ` limit ${parameters.add(window.limit + 1)}`;
  return window.kind === 'offset' && window.offset > 0 ? `${limit} offset ${parameters.add(window.offset)}` : limit;
}

/** Reads the rows as they come: one range, from its start. */
function direct(tables: Tables, table: Table, reading: ListScan): Statement {
  const { plan, order, ranges } = reading;
  const parameters = new BindParameters(tables.dialect);
  const conditions = rowConditions(tables, reading, parameters);
  for (const range of ranges) conditions.push(range.condition(parameters));
  const text = `select ${table.selection(plan.columns)} from ${table.name}${where(conditions)}`;
  return { text: `${text}${orderBy(table, order)}${limited(plan, parameters)}`, values: parameters.values };
}

/**
 * Reads the ids of the page with their keys, then the rows: an index that has the keys is all that is read of the rows that an offset
 * skips. Several ranges are merged, one after the other and as far as they are wanted. Where the database cannot see that a settled key
 * is constant, for it lies inside a column, each range orders itself by what remains and stops by itself.
 */
function keysFirst(tables: Tables, table: Table, reading: ListScan): Statement {
  const { plan, order, ranges } = reading;
  const { dialect } = tables;
  const { quote } = dialect;
  const parameters = new BindParameters(dialect);
  const terms = order.map(({ path, descending }, index) => {
    const name = quote(`key ${index}`);
    return { key: `${table.operand(path).expression} as ${name}`, term: dialect.order(name, descending) };
  });
  // No resource can bear a name with a space.
  const of = quote('one page');
  const opaque = order.some(({ path }) => !table.operand(path).isColumn);
  const by = (from: number): string =>
    ` order by ${terms
      .slice(from)
      .map(({ term }) => term)
      .join(', ')}`;
  const keys = [`${table.column('id')} as ${quote('row')}`, ...terms.map(({ key }) => key)].join(', ');
  // The values of a statement stand in the order of its text: the filter's, the range's, the window's.
  const part = (range: Range | null): string => {
    const conditions = rowConditions(tables, reading, parameters);
    if (range !== null) conditions.push(range.condition(parameters));
    const keyed = `select ${keys} from ${table.name}${where(conditions)}`;
    if (range === null || !opaque) return keyed;
    return `select * from (${keyed}${by(range.settled)}${limited(plan, parameters)}) as part`;
  };
  const page = ranges.length === 0 ? part(null) : ranges.map(part).join(' union all ');
  const source = `(${page}${by(0)}${limited(plan, parameters)}) as ${of}`;
  const rows = `${table.name} on ${table.column('id')} = ${of}.${quote('row')}`;
  const text = `select ${table.selection(plan.columns)} from ${source} join ${rows}${by(0)}`;
  return { text, values: parameters.values };
}

/** Reads the rows of a list plan and one more, which tells whether others follow. A walk backward reads the reversed order. */
export function listStatement(
  tables: Tables,
  plan: ListPlan,
  looks: DeadlineChecks = deadlineChecksFor(plan.effort),
): Statement {
  const table = tables.of(plan.resource);
  const reading = listScan(table, plan, looks);
  const skips = plan.window.kind === 'offset' && plan.window.offset > 0;
  return skips || reading.ranges.length > 1 ? keysFirst(tables, table, reading) : direct(tables, table, reading);
}

/** Whether a count of the plan is the number of all rows of the resource, which the store keeps (PAGE-9). */
export function countsWholeCollection(plan: ListPlan): boolean {
  return plan.filter.length === 0 && plan.within.length === 0;
}

/** Counts the rows that a plan selects, as `count`; up to one more than the cap, where there is one. */
export function countStatement(
  tables: Tables,
  plan: ListPlan,
  cap: number | null,
  looks: DeadlineChecks = deadlineChecksFor(plan.effort),
): Statement {
  const table = tables.of(plan.resource);
  const parameters = new BindParameters(tables.dialect);
  const conditions = where(
    rowConditions(tables, { plan, deadlineChecks: looks, filter: filterOfPlan(table, plan) }, parameters),
  );
  const name = tables.dialect.quote('count');
  if (cap === null)
    return { text: `select count(*) as ${name} from ${table.name}${conditions}`, values: parameters.values };
  const rows = `select 1 from ${table.name}${conditions} limit ${parameters.add(cap + 1)}`;
  return { text: `select count(*) as ${name} from (${rows}) as capped`, values: parameters.values };
}

/** Reads whether each ancestor exists, in the column `0` for the nearest one, `1` for the one above it, and so on. */
export function ancestorsStatement(tables: Tables, within: readonly Ancestor[]): Statement {
  const parameters = new BindParameters(tables.dialect);
  const exist = within.map(
    (_, level) => `${ancestorExists(tables, within, level, parameters)} as ${tables.dialect.quote(String(level))}`,
  );
  return { text: `select ${exist.join(', ')}`, values: parameters.values };
}

/** Reads a row where the ancestor at a level (0 for the nearest) exists below the one above it. */
export function ancestorStatement(tables: Tables, within: readonly Ancestor[], level: number): Statement {
  const parameters = new BindParameters(tables.dialect);
  return { text: `select 1 where ${ancestorExists(tables, within, level, parameters)}`, values: parameters.values };
}

/** Reads one row where a resource has the id. */
export function rowExistsStatement(tables: Tables, resource: string, id: string): Statement {
  const table = tables.of(resource);
  const parameters = new BindParameters(tables.dialect);
  return {
    text: `select 1 from ${table.name} where ${table.column('id')} = ${parameters.add(id)}`,
    values: parameters.values,
  };
}
