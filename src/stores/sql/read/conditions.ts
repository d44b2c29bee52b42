import type { Json } from '../../../conventions/json/json.ts';
import type { ValueType } from '../../../model/model.ts';
import type { ComparedPath, PathCondition } from '../../../plan/condition.ts';
import type { Condition } from '../../../plan/plan.ts';
import type { BindParameters, Dialect, SqlValue } from '../dialect.ts';
import type { Operand } from '../operand.ts';
import type { ConditionContext } from './condition-context.ts';
import { type Filter, compileFilter } from './filter.ts';
import { intervalConditions, successor, toInterval } from './intervals.ts';
import { related } from './related-conditions.ts';

/** Holds for no row. */
const NEVER = '1 = 0';
/** Holds for every row. */
const ALWAYS = '1 = 1';

/** The conditions of a filter, and of bound row policies (its `rules`), to be joined by `and`. */
export function filterConditions(context: ConditionContext, { intervals, others, rules }: Filter): readonly string[] {
  const { table, parameters } = context;
  const bounded = [...intervals].flatMap(
    ([path, interval]) => intervalConditions(interval, table.operand(path), parameters) ?? [NEVER],
  );
  const filtered = others.map((each) => otherCondition(context, each));
  if (rules.length === 0) return [...bounded, ...filtered];
  const ruled: ConditionContext = { ...context, isRule: true };
  return [...bounded, ...filtered, ...rules.map((each) => otherCondition(ruled, each))];
}

/** The values that an expression can have, as the database compares them. */
function storable({ locate }: Operand, values: readonly Json[]): readonly SqlValue[] {
  return values.flatMap((value): SqlValue[] => {
    const placement = value === null ? undefined : locate(value);
    return placement?.kind === 'within' && placement.exact ? [placement.floor] : [];
  });
}

/** An unset field is in no list. */
function matchAny({ table, parameters }: ConditionContext, operand: Operand, values: readonly Json[]): string {
  const listed = storable(operand, values);
  return listed.length === 0 ? NEVER : table.dialect.inList(operand.expression, listed, parameters);
}

/** An unset field is outside of every list. */
function matchNone({ table, parameters }: ConditionContext, operand: Operand, values: readonly Json[]): string {
  const listed = storable(operand, values);
  if (listed.length === 0) return ALWAYS;
  const { expression, nullable } = operand;
  const outside = `not ${table.dialect.inList(expression, listed, parameters)}`;
  return nullable ? `(${outside} or ${expression} is null)` : outside;
}

/** A substring of a text, or an item of an array. */
function matchContained(context: ConditionContext, { path, inside }: ComparedPath, value: Json): string {
  const { table, parameters, deadline } = context;
  const operand = table.operand(path, inside);
  if (operand.type.kind === 'text') return matchText(context, operand, value, table.dialect.hasSubstring);
  const whole = operand.type.kind === 'array' ? table.membership(path) : operand;
  const encoded = value === null ? undefined : whole.encode(value);
  if (encoded === undefined) return NEVER;
  const placeholder = parameters.add(encoded);
  return 'condition' in whole
    ? whole.condition(placeholder, deadline.found)
    : table.dialect.hasSubstring(whole.expression, placeholder);
}

const TEXT: ValueType = { kind: 'text', format: null };

/** A text that contains another one. @param matches writes the condition on a text and a placeholder */
function matchText(
  { table: { dialect }, parameters }: ConditionContext,
  operand: Operand,
  value: Json,
  matches: (expression: string, placeholder: string) => string,
): string {
  const encoded = value === null ? undefined : dialect.encode(TEXT)(value);
  if (encoded === undefined) return NEVER;
  return matches(dialect.text(operand.expression, operand.type), parameters.add(encoded));
}

/** True if a field is set. An array is set if it has items; an empty one has a single stored form. */
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
      return matchAny(context, table.operand(condition.path, condition.inside), condition.values);
    case 'nin':
      return matchNone(context, table.operand(condition.path, condition.inside), condition.values);
    case 'contains':
      return matchContained(context, condition, condition.value);
    case 'exists':
      return exists(table.operand(condition.path, condition.inside), condition.value, parameters);
    case 'search':
      if (context.readsTexts && table.dialect.wordTest !== null) {
        return table.dialect.wordTest.holds(table.resource, condition.words, parameters);
      }
      return table.dialect.search(table.resource, condition.words, parameters, deadline.found);
    case 'not':
      return `(${every(context, [condition.condition])}) is not true`;
    case 'related':
      return related(context, condition, filterConditions);
    case 'any':
      return either(context, condition.alternatives);
    case 'starts_with':
      return table.dialect.hasPrefix === null || condition.inside !== undefined
        ? matchInterval(context, condition)
        : matchPrefix(context, condition, table.dialect.hasPrefix);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return matchInterval(context, condition);
  }
}

/** A text with a prefix in a column whose order is not that of characters. */
function matchPrefix(
  context: ConditionContext,
  { path, value }: Extract<PathCondition, { operator: 'starts_with' }>,
  hasPrefix: NonNullable<Dialect['hasPrefix']>,
): string {
  const { table, parameters } = context;
  const operand = table.operand(path);
  const boundPrefix = table.existing?.boundPrefix;
  // A column of numbers encodes digits as one.
  const holdsText = operand.encode(ANY_DIGIT) === ANY_DIGIT;
  const next = holdsText ? successor(value) : null;
  const range =
    next === null || boundPrefix === undefined
      ? []
      : [
          `${operand.expression} >= ${parameters.add(value)}`,
          `${operand.expression} < ${parameters.add(boundPrefix(next))}`,
        ];
  return [...range, matchText(context, operand, value, hasPrefix)].join(' and ');
}

const ANY_DIGIT = '0';

/** A comparison that is no interval of the filter. No value fulfills one with null. */
function matchInterval({ table, parameters }: ConditionContext, condition: PathCondition): string {
  const interval = toInterval(condition, false);
  const operand = table.operand(condition.path, condition.inside);
  const bounds = interval === null ? null : intervalConditions(interval, operand, parameters);
  return bounds === null ? NEVER : bounds.join(' and ');
}

/** At least one of several conjunctions. */
function either(context: ConditionContext, alternatives: readonly (readonly Condition[])[]): string {
  const each = alternatives.map((conditions) => every(context, conditions));
  return each.length === 0 ? NEVER : `(${each.map((all) => `(${all})`).join(' or ')})`;
}

function every(context: ConditionContext, conditions: readonly Condition[]): string {
  const all = filterConditions(context, compileFilter(context.table, conditions));
  return all.length === 0 ? ALWAYS : all.join(' and ');
}
