import type { Json } from '../../../conventions/json.ts';
import type { Ancestor, Condition } from '../../../plan/plan.ts';
import type { BindParameters, SqlValue } from '../dialect.ts';
import { type Interval, intersection, intervalConditions, intervalOf } from './intervals.ts';
import type { Operand, Table, Tables } from '../tables.ts';

/** Holds for no row. */
const NEVER = '1 = 0';
/** Holds for every row. */
const ALWAYS = '1 = 1';

/** A filter as an index can serve it: of each path that is bounded one interval, and what remains. */
export interface Filter {
  readonly intervals: ReadonlyMap<string, Interval>;
  readonly others: readonly Condition[];
}

/** Brings together what the conditions say about one path, so that the tightest ends are where an index is entered. */
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

/** The conditions of a filter, to be joined by `and`. @param look the deadline's `always`, where the statement has one */
export function filterConditions(
  table: Table,
  { intervals, others }: Filter,
  parameters: BindParameters,
  look: string | null,
): string[] {
  const bounded = [...intervals].flatMap(
    ([path, interval]) => intervalConditions(interval, table.operand(path), parameters) ?? [NEVER],
  );
  return [...bounded, ...others.map((each) => otherCondition(table, each, parameters, look))];
}

/** Those of the values that an expression can have, as the database compares them. */
function storable({ locate }: Operand, values: readonly Json[]): readonly SqlValue[] {
  return values.flatMap((value): SqlValue[] => {
    const place = value === null ? undefined : locate(value);
    return place?.kind === 'within' && place.exact ? [place.floor] : [];
  });
}

/** An unset field is in no list. */
function anyOf({ dialect }: Table, operand: Operand, values: readonly Json[], parameters: BindParameters): string {
  const listed = storable(operand, values);
  return listed.length === 0 ? NEVER : `${operand.expression} in (${dialect.valueList(listed, parameters)})`;
}

/** An unset field is outside of every list. */
function noneOf({ dialect }: Table, operand: Operand, values: readonly Json[], parameters: BindParameters): string {
  const listed = storable(operand, values);
  if (listed.length === 0) return ALWAYS;
  const { expression, nullable } = operand;
  const outside = `${expression} not in (${dialect.valueList(listed, parameters)})`;
  return nullable ? `(${outside} or ${expression} is null)` : outside;
}

/** A part of a text, or an item of an array. */
function contains(table: Table, path: string, value: Json, parameters: BindParameters, look: string | null): string {
  const operand = table.operand(path);
  const whole = operand.type.kind === 'array' ? table.membership(path) : operand;
  const encoded = value === null ? undefined : whole.encode(value);
  if (encoded === undefined) return NEVER;
  const placeholder = parameters.add(encoded);
  return 'condition' in whole
    ? whole.condition(placeholder, look)
    : table.dialect.hasSubstring(whole.expression, placeholder);
}

/** Whether a field is set. An array is where it has an item; the empty one is stored in one form alone. */
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

/** A condition that bounds nothing. A value that the column could never hold equals no row's (QRY-7). */
function otherCondition(table: Table, comparison: Condition, parameters: BindParameters, look: string | null): string {
  switch (comparison.operator) {
    case 'in':
      return anyOf(table, table.operand(comparison.path), comparison.values, parameters);
    case 'nin':
      return noneOf(table, table.operand(comparison.path), comparison.values, parameters);
    case 'contains':
      return contains(table, comparison.path, comparison.value, parameters, look);
    case 'exists':
      return exists(table.operand(comparison.path), comparison.value, parameters);
    case 'search':
      return table.dialect.search(table.resource.name, comparison.words, parameters, look);
    // Whatever else they compare with is an interval; null is neither before nor after any value.
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'starts_with':
      return NEVER;
  }
}

/** The field that holds the id of a resource's parent. @throws {Error} where the plan walks up from a resource without one */
function parentField(table: Table): string {
  if (table.resource.parent === null)
    throw new Error(`The plan puts ${table.resource.name} below a parent; it has none`);
  return table.resource.parent.field;
}

/** That the row of an ancestor stands, below the ancestor after it where the plan names one (URL-7). */
export function ancestorExists(
  tables: Tables,
  within: readonly Ancestor[],
  index: number,
  parameters: BindParameters,
): string {
  const [ancestor, above] = within.slice(index, index + 2);
  if (ancestor === undefined) throw new RangeError('The path has no such ancestor');
  const table = tables.of(ancestor.resource);
  const conditions = [`${table.column('id')} = ${parameters.add(ancestor.id)}`];
  if (above !== undefined) conditions.push(`${table.column(parentField(table))} = ${parameters.add(above.id)}`);
  return `exists (select 1 from ${table.name} where ${conditions.join(' and ')})`;
}

/** What the rows below a path satisfy by their own field: it holds the id of the nearest ancestor. */
export function belowParent(table: Table, [nearest]: readonly Ancestor[]): readonly Condition[] {
  return nearest === undefined ? [] : [{ path: parentField(table), operator: 'in', values: [nearest.id] }];
}

/** That the ancestors that a path names are each below the next; whoever is below the nearest shows that it stands. */
export function ancestorChain(tables: Tables, within: readonly Ancestor[], parameters: BindParameters): string[] {
  return within.slice(0, -1).map((_, index) => ancestorExists(tables, within, index, parameters));
}
