import type { Json } from '../../../conventions/json.ts';
import type { Ancestor, Condition } from '../../../plan/plan.ts';
import type { BindParameters, SqlValue } from '../dialect.ts';
import { type Interval, intersection, intervalConditions, intervalOf } from './intervals.ts';
import type { Operand, Table, Tables } from '../tables.ts';

/** Holds for no row. */
const NEVER = '1 = 0';
/** Holds for every row. */
const ALWAYS = '1 = 1';

/** A filter as an index can serve it: one interval for each path with bounds, and the other conditions. */
export interface Filter {
  readonly intervals: ReadonlyMap<string, Interval>;
  readonly others: readonly Condition[];
}

/** Merges the conditions on each path into one interval, so that the index is entered at the tightest bound. */
export function filterOf(table: Table, conditions: readonly Condition[]): Filter {
  const intervals = new Map<string, Interval>();
  const others: Condition[] = [];
  for (const condition of conditions) {
    if (condition.operator === 'search') {
      others.push(condition);
      continue;
    }
    const { path } = condition;
    const { type, compare } = table.operand(path);
    const interval = intervalOf(condition, type.kind === 'array');
    const known = intervals.get(path);
    if (interval === null) others.push(condition);
    else intervals.set(path, known === undefined ? interval : intersection(known, interval, compare));
  }
  return { intervals, others };
}

/** What the conditions of a statement are generated with. */
interface ConditionContext {
  readonly table: Table;
  readonly parameters: BindParameters;
  /** The deadline's `always` where the statement has a deadline. */
  readonly deadlineCheck: string | null;
}

/** The conditions of a filter, to be joined by `and`. */
export function filterConditions(context: ConditionContext, { intervals, others }: Filter): string[] {
  const { table, parameters } = context;
  const bounded = [...intervals].flatMap(
    ([path, interval]) => intervalConditions(interval, table.operand(path), parameters) ?? [NEVER],
  );
  return [...bounded, ...others.map((each) => otherCondition(context, each))];
}

/** The values that an expression can have, as the database compares them. */
function storable({ locate }: Operand, values: readonly Json[]): readonly SqlValue[] {
  return values.flatMap((value): SqlValue[] => {
    const placement = value === null ? undefined : locate(value);
    return placement?.kind === 'within' && placement.exact ? [placement.floor] : [];
  });
}

/** An unset field is in no list. */
function anyOf({ table, parameters }: ConditionContext, operand: Operand, values: readonly Json[]): string {
  const listed = storable(operand, values);
  return listed.length === 0 ? NEVER : `${operand.expression} in (${table.dialect.valueList(listed, parameters)})`;
}

/** An unset field is outside of every list. */
function noneOf({ table, parameters }: ConditionContext, operand: Operand, values: readonly Json[]): string {
  const listed = storable(operand, values);
  if (listed.length === 0) return ALWAYS;
  const { expression, nullable } = operand;
  const outside = `${expression} not in (${table.dialect.valueList(listed, parameters)})`;
  return nullable ? `(${outside} or ${expression} is null)` : outside;
}

/** A substring of a text, or an item of an array. */
function contains({ table, parameters, deadlineCheck }: ConditionContext, path: string, value: Json): string {
  const operand = table.operand(path);
  const whole = operand.type.kind === 'array' ? table.membership(path) : operand;
  const encoded = value === null ? undefined : whole.encode(value);
  if (encoded === undefined) return NEVER;
  const placeholder = parameters.add(encoded);
  return 'condition' in whole
    ? whole.condition(placeholder, deadlineCheck)
    : table.dialect.hasSubstring(whole.expression, placeholder);
}

/** Whether a field is set. An array is set if it has items; an empty one has a single stored form. */
function exists({ expression, type, nullable, encode }: Operand, wanted: boolean, parameters: BindParameters): string {
  const empty = type.kind === 'array' ? encode([]) : undefined;
  if (empty !== undefined) {
    if (wanted) return `${expression} <> ${parameters.add(empty)}`;
    const isEmpty = `${expression} = ${parameters.add(empty)}`;
    return nullable ? `(${isEmpty} or ${expression} is null)` : isEmpty;
  }
  if (!nullable) return wanted ? ALWAYS : NEVER;
  return `${expression} is ${wanted ? 'not ' : ''}null`;
}

/** A condition without bounds. A value that the column cannot hold is equal to that of no row (QRY-7). */
function otherCondition(context: ConditionContext, condition: Condition): string {
  const { table, parameters, deadlineCheck } = context;
  switch (condition.operator) {
    case 'in':
      return anyOf(context, table.operand(condition.path), condition.values);
    case 'nin':
      return noneOf(context, table.operand(condition.path), condition.values);
    case 'contains':
      return contains(context, condition.path, condition.value);
    case 'exists':
      return exists(table.operand(condition.path), condition.value, parameters);
    case 'search':
      return table.dialect.search(table.resource, condition.words, parameters, deadlineCheck);
    // A comparison with null: with any other value it is an interval.
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'starts_with':
      return NEVER;
  }
}

/**
 * The columns that hold the key of a row's parent, each with the id that a path names; none for a path without ancestors.
 *
 * @throws {Error} where the resource has no parent, or the path names too few ancestors
 */
function parentIds(
  { resource }: Table,
  within: readonly Ancestor[],
): readonly (readonly [column: string, id: string])[] {
  if (within.length === 0) return [];
  if (resource.parent === null) throw new Error(`${resource.name} has no parent, but the plan names one`);
  return resource.parentKey.map((column, level) => {
    const id = within[level]?.id;
    if (id === undefined) throw new Error(`The plan names too few of the rows above ${resource.name}`);
    return [column, id];
  });
}

/** A condition: an ancestor exists, and is below the next one where the plan names it (URL-7). */
export function ancestorExists(
  tables: Tables,
  within: readonly Ancestor[],
  index: number,
  parameters: BindParameters,
): string {
  const [ancestor, ...above] = within.slice(index);
  if (ancestor === undefined) throw new RangeError(`The path has no ancestor ${index}`);
  const table = tables.of(ancestor.resource);
  const conditions = [`${table.column('id')} = ${parameters.add(ancestor.id)}`];
  for (const [level, id] of parentIds(table, above)) {
    conditions.push(`${table.column(level)} = ${parameters.add(id)}`);
  }
  return `exists (select 1 from ${table.name} where ${conditions.join(' and ')})`;
}

/** The conditions on rows below a path: their columns hold the key of the nearest ancestor. */
export function belowParent(table: Table, within: readonly Ancestor[]): readonly Condition[] {
  return parentIds(table, within).map(([path, id]) => ({ path, operator: 'in', values: [id] }));
}

/** Conditions: each ancestor of a path is below the next. Rows below the nearest ancestor prove that it exists. */
export function ancestorChain(tables: Tables, within: readonly Ancestor[], parameters: BindParameters): string[] {
  return within.slice(0, -1).map((_, index) => ancestorExists(tables, within, index, parameters));
}
