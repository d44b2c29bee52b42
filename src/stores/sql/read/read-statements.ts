import type { SortKey } from '../../../model/model.ts';
import { memoize, weakMemoize } from '../../../cache/memoize.ts';
import { keyIds } from '../../../plan/row-address.ts';
import type { Columns, Effort, ItemPlan, ListPlan, Visibility } from '../../../plan/plan.ts';
import { visibleConditions } from '../../../plan/visibility.ts';
import { ancestorChain, belowParent } from './ancestor-conditions.ts';
import { conditionContext, type DeadlineCheck, NO_DEADLINE } from './condition-context.ts';
import { filterConditions } from './conditions.ts';
import { type Dialect, type DeadlineChecks, BindParameters, type Statement } from '../dialect.ts';
import { type Filter, compileFilter } from './filter.ts';
import { type Range, rangesAfter, directedOrder } from './seek.ts';
import { listIdColumns, orderByKey } from '../existing/existing-table.ts';
import type { Table, Tables } from '../tables.ts';
import { narrowWalk } from './walk.ts';

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
}

/**
 * A sort key. It names the place of NULLs in each own column, as the indexes do. In a column of another program it does
 * so where there can be some.
 */
function orderTerm(table: Table, path: string, expression: string, descending: boolean): string {
  const isNeverNull = table.existing !== null && !table.operand(path).nullable;
  return table.dialect.order(isNeverNull ? 'id' : path, expression, descending);
}

/** @returns an `order by` of the keys of a table */
export function orderBy(table: Table, order: readonly SortKey[]): string {
  const terms = order.map(({ path, descending }) => orderTerm(table, path, table.operand(path).expression, descending));
  return ` order by ${terms.join(', ')}`;
}

/** Reads the row of an item plan. */
export function itemStatement(tables: Tables, plan: ItemPlan): Statement {
  const table = tables.of(plan.resource);
  const key = table.encodeKey(keyIds(table.resource, plan));
  if (plan.within.length === 0 && plan.columns === undefined) {
    if (plan.visible.kind === 'everything') return { text: wholeRowText(table), values: key };
    const { text, values } = visibleRow(tables)(table)(plan.visible);
    return { text, values: [...key, ...values] };
  }
  const parameters = new BindParameters(tables.dialect);
  const own = listIdColumns(table).map((name, at) => `${table.column(name)} = ${parameters.add(key[at] ?? null)}`);
  const filter = compileFilter(table, belowParent(table, plan.within), visibleConditions(plan.visible));
  const conditions = [
    ...own,
    ...filterConditions(conditionContext(tables, table, parameters), filter),
    ...ancestorChain(tables, plan.within, parameters),
  ];
  const text = `select ${table.selection(plan.columns)} from ${table.source}${where(conditions)}`;
  return { text, values: parameters.values };
}

/** The text that reads a whole row by its id, the most frequent statement of all. */
const wholeRowText = weakMemoize((table: Table) => {
  const key = listIdColumns(table).map((name, at) => `${table.column(name)} = ${table.dialect.placeholder(at + 1)}`);
  return `select ${table.selection()} from ${table.source}${where(key)}`;
});

/** Makes the statement that reads a whole visible row by its id. Visibilities of one shape share its text. */
const visibleRow = weakMemoize((tables: Tables) =>
  weakMemoize((table: Table) => {
    const shared = memoize((text) => text);
    return weakMemoize((visible: Visibility): Statement => {
      const parameters = new BindParameters(tables.dialect);
      // The places of the id, whose values come first.
      const places = listIdColumns(table);
      for (const _ of places) parameters.add(null);
      const filter = compileFilter(table, [], visibleConditions(visible));
      const conditions = filterConditions(conditionContext(tables, table, parameters), filter);
      const text = [wholeRowText(table), ...conditions].join(' and ');
      return { text: shared(text), values: parameters.values.slice(places.length) };
    });
  }),
);

/** The rows of a list plan, and at which of them the statement checks its deadline. */
interface RowSelection {
  readonly plan: ListPlan;
  readonly filter: Filter;
  readonly deadlineChecks: DeadlineChecks;
  readonly choice?: SearchChoice;
}

/** One of two statements for a search: which of them reads the page is decided when they run. */
export interface SearchChoice {
  /** True if the texts of each row are compared, in the order of the list; else the index of words is read first. */
  readonly readsTexts: boolean;
  /** The condition of the whole statement: without it, there is no row. */
  readonly condition: (parameters: BindParameters) => string;
}

/** The filter of a list plan, with its parent and its visibility. */
function filterOfPlan(table: Table, { within, filter, visible }: ListPlan): Filter {
  return compileFilter(table, [...belowParent(table, within), ...filter], visibleConditions(visible));
}

/** The rows at which a statement of an effort checks its deadline. */
export function deadlineChecksFor(effort: Effort): DeadlineChecks {
  return effort === 'unbounded' ? 'sampled' : 'never';
}

/** The check of the deadline in a statement of a dialect. */
export function deadlineCheck({ deadline }: Dialect, checks: DeadlineChecks): DeadlineCheck {
  return deadline === null || checks === 'never' ? NO_DEADLINE : { row: [deadline[checks]], found: deadline.always };
}

/** The conditions on all rows of a list, independent of the page. */
export function rowConditions(
  tables: Tables,
  { plan, filter, deadlineChecks, choice }: RowSelection,
  parameters: BindParameters,
): string[] {
  const table = tables.of(plan.resource);
  const deadline = deadlineCheck(table.dialect, deadlineChecks);
  const context = conditionContext(tables, table, parameters, deadline);
  return [
    ...deadline.row,
    ...filterConditions({ ...context, readsTexts: choice?.readsTexts === true }, filter),
    ...ancestorChain(tables, plan.within, parameters),
  ];
}

/** The scan of a list: the rows of a filter in an order, from a position or from the start. */
interface ListScan extends RowSelection {
  readonly order: readonly SortKey[];
  /** The ranges of rows after the position; empty where there is none. */
  readonly ranges: readonly Range[];
}

export function listScan(table: Table, plan: ListPlan, deadlineChecks: DeadlineChecks): ListScan {
  const { window } = plan;
  const backward = window.kind === 'seek' && window.backward;
  const planFilter = filterOfPlan(table, plan);
  const keyed = orderByKey(table, {
    order: directedOrder(plan.order, backward),
    after: window.kind === 'seek' ? window.after : null,
  });
  const { order, after, filter } = narrowWalk(table, { ...keyed, filter: planFilter });
  return {
    plan,
    deadlineChecks,
    order,
    filter,
    ranges: after === null ? [] : rangesAfter(table, order, after, planFilter),
  };
}

/** The limit of a page and one more row, and its offset. */
function limitClause({ plan: { window }, choice }: RowSelection, parameters: BindParameters): string {
  const chosen = choice?.condition(parameters);
  const rows = parameters.add(window.limit + 1);
  const limit = ` limit ${chosen === undefined ? rows : `case when ${chosen} then ${rows} else 0 end`}`;
  return window.kind === 'offset' && window.offset > 0 ? `${limit} offset ${parameters.add(window.offset)}` : limit;
}

/** Reads the rows of one range in index order. */
function singleRange(tables: Tables, table: Table, scan: ListScan): Statement {
  const { plan, order, ranges } = scan;
  const parameters = new BindParameters(tables.dialect);
  const conditions = rowConditions(tables, scan, parameters);
  for (const range of ranges) conditions.push(range.condition(parameters));
  conditions.push(...largeRowCondition(table, plan, parameters));
  const text = `select ${table.selection(plan.columns)} from ${table.source}${where(conditions)}`;
  return { text: `${text}${orderBy(table, order)}${limitClause(scan, parameters)}`, values: parameters.values };
}

/**
 * Reads the ids and sort keys of the page, then its rows: of the rows that an offset skips only the index is read.
 * Several ranges are concatenated and limited together. The database cannot know that a constant key inside a JSON
 * column is constant. Each range is then ordered by the other keys and limited itself.
 */
function keysThenRows(tables: Tables, table: Table, scan: ListScan): Statement {
  const { plan, order, ranges } = scan;
  const { dialect } = tables;
  const { quote } = dialect;
  const parameters = new BindParameters(dialect);
  const terms = order.map(({ path, descending }, index) => {
    const name = quote(`key ${index}`);
    return { key: `${table.operand(path).expression} as ${name}`, term: orderTerm(table, path, name, descending) };
  });
  // No resource name has a space.
  const pageName = quote('one page');
  const hasMemberKeys = order.some(({ path }) => !table.operand(path).isColumn);
  const by = (from: number): string =>
    ` order by ${terms
      .slice(from)
      .map(({ term }) => term)
      .join(', ')}`;
  const ids = table.key.map((name, index) => ({ column: table.column(name), as: quote(`row ${index}`) }));
  const keys = [...ids.map(({ column, as }) => `${column} as ${as}`), ...terms.map(({ key }) => key)].join(', ');
  // Values are bound in the order of the text: filter, range, limit.
  const part = (range: Range | null): string => {
    const conditions = rowConditions(tables, scan, parameters);
    if (range !== null) conditions.push(range.condition(parameters));
    const keyed = `select ${keys} from ${table.source}${where(conditions)}`;
    if (range === null || !hasMemberKeys) return keyed;
    return `select * from (${keyed}${by(range.constantKeys)}${limitClause(scan, parameters)}) as part`;
  };
  const page = ranges.length === 0 ? part(null) : ranges.map(part).join(' union all ');
  const source = `(${page}${by(0)}${limitClause(scan, parameters)}) as ${pageName}`;
  const rows = `${table.source} on ${ids.map(({ column, as }) => `${column} = ${pageName}.${as}`).join(' and ')}`;
  const guard = where(largeRowCondition(table, plan, parameters));
  const text = `select ${table.selection(plan.columns)} from ${source} join ${rows}${guard}${by(0)}`;
  return { text, values: parameters.values };
}

/** Reads the rows of a list plan and one more, which shows if others follow. Backward walks read in reverse. */
export function listStatement(
  tables: Tables,
  plan: ListPlan,
  checks: DeadlineChecks = deadlineChecksFor(plan.effort),
  choice?: SearchChoice,
): Statement {
  const table = tables.of(plan.resource);
  const scan: ListScan = { ...listScan(table, plan, checks), ...(choice === undefined ? {} : { choice }) };
  const skips = plan.window.kind === 'offset' && plan.window.offset > 0;
  const statement =
    skips || scan.ranges.length > 1 ? keysThenRows(tables, table, scan) : singleRange(tables, table, scan);
  if (plan.maxSize === undefined) return statement;
  return {
    ...statement,
    bound: { columns: table.sized(plan.columns), size: plan.maxSize, guarded: isGuarded(table, plan) },
  };
}

/** True if a list reads all its rows together unless one is large. A scan would judge rows that are on no page. */
function isGuarded({ dialect }: Table, { maxSize, effort }: ListPlan): boolean {
  return dialect.largeRow !== null && maxSize !== undefined && effort === 'light';
}

/** The condition by which a page of small rows is known before any of them is read. */
function largeRowCondition(table: Table, plan: ListPlan, parameters: BindParameters): readonly string[] {
  const { largeRow } = table.dialect;
  const { maxSize = Infinity, columns, window } = plan;
  if (largeRow === null || !isGuarded(table, plan) || table.sized(columns).length === 0) return [];
  const share = Math.floor(maxSize / (window.limit + 1));
  const placeholder = parameters.add(share);
  return [columns === undefined ? smallRow(table)(placeholder) : largeRow(sizedColumns(table, columns), placeholder)];
}

/** The condition that a whole row is not large. */
const smallRow = weakMemoize((table: Table) =>
  memoize((placeholder) => table.dialect.largeRow?.(sizedColumns(table), placeholder) ?? ''),
);

function sizedColumns(table: Table, columns?: Columns): readonly string[] {
  return table.sized(columns).map((name) => table.column(name));
}

/** True if the count of a plan is the row count of an own table, which each commit maintains (PAGE-9). */
export function countsWholeCollection({ existing }: Table, plan: ListPlan): boolean {
  return (
    existing === null && plan.filter.length === 0 && plan.within.length === 0 && plan.visible.kind === 'everything'
  );
}

/** Counts the rows of a plan, as `count`; with a cap at most one more than it. */
export function countStatement(
  tables: Tables,
  plan: ListPlan,
  cap: number | null,
  checks: DeadlineChecks = deadlineChecksFor(plan.effort),
): Statement {
  const table = tables.of(plan.resource);
  const parameters = new BindParameters(tables.dialect);
  const conditions = where(
    rowConditions(tables, { plan, deadlineChecks: checks, filter: filterOfPlan(table, plan) }, parameters),
  );
  const name = tables.dialect.quote('count');
  if (cap === null)
    return { text: `select count(*) as ${name} from ${table.source}${conditions}`, values: parameters.values };
  const rows = `select 1 from ${table.source}${conditions} limit ${parameters.add(cap + 1)}`;
  return { text: `select count(*) as ${name} from (${rows}) as capped`, values: parameters.values };
}
