import type { Json } from '../../../conventions/json.ts';
import type { Resource } from '../../../model/model.ts';
import { referringMembers } from '../../../model/row-key.ts';
import { type Alternative, holdsForUnset, type PathCondition } from '../../../plan/condition.ts';
import type { Condition, VisibleRelatedCondition } from '../../../plan/plan.ts';
import type { BindParameters, SqlValue } from '../dialect.ts';
import { indexesOf } from '../../../plan/indexes.ts';
import { type Interval, intersection, intervalConditions, intervalOf } from './intervals.ts';
import { type Links, type Operand, rowValue, type Table, type Tables } from '../tables.ts';

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
    if (!('path' in condition)) {
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
export interface ConditionContext {
  readonly tables: Tables;
  /** Of the rows that the conditions are on. */
  readonly table: Table;
  readonly parameters: BindParameters;
  readonly deadline: DeadlineCheck;
}

/** The conditions that check a deadline: at each row of a table, and at each result of a search that comes before them; none without a deadline. */
export interface DeadlineCheck {
  readonly row: readonly string[];
  readonly found: string | null;
}

/** The conditions of a filter, to be joined by `and`. */
export function filterConditions(context: ConditionContext, { intervals, others }: Filter): readonly string[] {
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
function contains({ table, parameters, deadline }: ConditionContext, path: string, value: Json): string {
  const operand = table.operand(path);
  const whole = operand.type.kind === 'array' ? table.membership(path) : operand;
  const encoded = value === null ? undefined : whole.encode(value);
  if (encoded === undefined) return NEVER;
  const placeholder = parameters.add(encoded);
  return 'condition' in whole
    ? whole.condition(placeholder, deadline.found)
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
  const { table, parameters, deadline } = context;
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
      return table.dialect.search(table.resource, condition.words, parameters, deadline.found);
    case 'related':
      return related(context, condition);
    case 'any':
      return either(context, condition.alternatives);
    // A comparison with null: with any other value it is an interval.
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'starts_with':
      return NEVER;
  }
}

/** At least one of several conjunctions. */
function either(
  context: ConditionContext,
  alternatives: readonly Alternative<Pick<VisibleRelatedCondition, 'visible'>>[],
): string {
  const each = alternatives.map((conditions) => {
    const all = filterConditions(context, filterOf(context.table, conditions));
    return all.length === 0 ? ALWAYS : all.join(' and ');
  });
  return each.length === 0 ? NEVER : `(${each.map((all) => `(${all})`).join(' or ')})`;
}

/**
 * A related row exists that fulfills conditions. What a row refers to are few rows, which are collected first: an index on the field then finds the
 * rows that refer to them.
 */
function related(context: ConditionContext, condition: VisibleRelatedCondition): string {
  const { tables, table } = context;
  const { resource, field, inverse } = condition.relation;
  if (inverse) return referredTo(context, condition);
  const keys = relatedRows(context, condition, columnsOfKey(tables.related(resource)));
  const links = table.links(field);
  if (links !== null) return `${table.keyExpression} in (${ownersOf(links, keys)})`;
  const [first = '', ...others] = referringMembers(table.resource, field).map((name) => table.column(name));
  const leads = `${rowValue([first, ...others])} in (${keys})`;
  return condition.conditions.every(holdsForUnset) ? `(${leads} or ${leadsToNone(first, condition)})` : leads;
}

/**
 * A row exists that refers to the row and fulfills conditions. Such rows are many, and often the first one does: each row looks for it in the index
 * on their field, unless an index finds the few that fulfill the conditions.
 */
function referredTo(context: ConditionContext, condition: VisibleRelatedCondition): string {
  const { tables, table } = context;
  const { resource, field } = condition.relation;
  const target = tables.related(resource);
  const links = target.links(field);
  const referring = links?.target ?? referringMembers(target.resource, field).map((name) => target.column(name));
  if (findsFew(target.resource, condition.conditions)) {
    const found = relatedRows(context, condition, links === null ? referring.join(', ') : columnsOfKey(target));
    return `${table.keyExpression} in (${links === null ? found : targetsOf(links, found)})`;
  }
  const same = referring.map((column, index) => `${column} = ${table.column(table.key[index] ?? '')}`).join(' and ');
  const owners = links === null ? '' : `select ${links.owner.join(', ')} from ${links.name} where ${same}`;
  return `exists (${relatedRows(context, condition, '1', links === null ? same : `${target.keyExpression} in (${owners})`)})`;
}

/** A query of the related rows that fulfill the conditions. @param refers a further condition */
function relatedRows(
  context: ConditionContext,
  condition: VisibleRelatedCondition,
  selection: string,
  refers?: string,
): string {
  const { tables, deadline } = context;
  const target = tables.related(condition.relation.resource);
  const conditions = [
    ...deadline.row,
    ...(refers === undefined ? [] : [refers]),
    ...visibleConditions(condition),
    ...filterConditions({ ...context, table: target }, filterOf(target, condition.conditions)),
  ];
  const text = `select ${selection} from ${target.source}`;
  return conditions.length === 0 ? text : `${text} where ${conditions.join(' and ')}`;
}

/** The conditions of what may be seen of a resource. */
function visibleConditions({ visible }: VisibleRelatedCondition): readonly string[] {
  switch (visible.kind) {
    case 'everything':
      return [];
  }
}

/** A condition: a reference leads to no visible row. Foreign keys make sure that there is a row. */
function leadsToNone(reference: string, { visible }: VisibleRelatedCondition): string {
  switch (visible.kind) {
    case 'everything':
      return `${reference} is null`;
  }
}

function columnsOfKey(table: Table): string {
  return table.key.map((name) => table.column(name)).join(', ');
}

/** The keys of the rows whose arrays have one of the keys of a query. */
function ownersOf({ name, owner, target }: Links, keys: string): string {
  return `select ${owner.join(', ')} from ${name} where ${rowValue(target)} in (${keys})`;
}

/** The keys that are in the arrays of the rows of a query. */
function targetsOf({ name, owner, target }: Links, keys: string): string {
  return `select ${target.join(', ')} from ${name} where ${rowValue(owner)} in (${keys})`;
}

/** Whether an index finds the rows that fulfill conditions by one of many values. */
function findsFew(resource: Resource, conditions: readonly PathCondition[]): boolean {
  const isSelective = (path: string): boolean => {
    const property = resource.properties.get(path);
    const isIndexed = path === 'id' || indexesOf(resource).some(({ keys }) => keys[0]?.path === path);
    return isIndexed && property?.allowed === null && property.type.kind !== 'boolean';
  };
  return conditions.some(({ operator, path }) => operator === 'in' && isSelective(path));
}
