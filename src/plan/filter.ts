import { cut, quoted } from '../conventions/quoted.ts';
import { type ErrorDetail, apiError } from '../conventions/errors.ts';
import type { Json } from '../conventions/json.ts';
import { type QueryParameter, splitList, splitPlainList } from '../conventions/query.ts';
import type { Property } from '../model/model.ts';
import { type ComparisonOperator, OPERATORS, operatorsOf } from '../model/values/operators.ts';
import type { Alternative, FilterCondition, PathCondition, RelationKey } from './condition.ts';
import { filterablePaths, type FilterRule, type FilterTarget, filterTarget, isEmptyGroup } from './filter-rule.ts';
import { readFilterName, readGroupFilterName } from './parameters.ts';

/** Maximum number of values in all filters of a query: the body of a QUERY may be large. */
export const MAX_VALUES = 10_000;

/** Maximum number of groups of alternatives (QRY-1). */
export const MAX_GROUPS = 10;

/** A parsed filter. It has several values if it is a list, or if a filter without an operator is repeated. */
interface FilterTerm {
  readonly target: FilterTarget;
  readonly operator: ComparisonOperator;
  readonly texts: readonly string[];
}

/** A filter parameter with its name in parts. */
interface FilterParameter extends QueryParameter {
  /** As written; null outside of groups. */
  readonly group: string | null;
  /** Its name without the group. */
  readonly filter: string;
}

/** A condition, or the errors of its values. */
type ConditionResult = { readonly condition: PathCondition } | { readonly errors: readonly string[] };

/** A condition on the row, or on the rows of a relation. */
interface PlacedCondition {
  readonly relation: RelationKey | null;
  readonly condition: PathCondition;
}

/**
 * The conditions of filter parameters (QRY-1): those without a group all hold, and all of at least one group. Conditions on one relation in the same
 * group, or in none, are on one related row. Values are coerced by the schema (QRY-2).
 *
 * @throws {ApiError} QUERY_FILTER_INVALID with every error in `details`
 */
export function readFilter(parameters: readonly QueryParameter[], rule: FilterRule): readonly FilterCondition[] {
  const reader = new FilterReader(rule);
  const byGroup = Map.groupBy(inGroups(parameters), ({ group }) => group);
  const ungrouped = reader.conjunction(byGroup.get(null) ?? []);
  const groups = [...byGroup].flatMap(([group, members]) => (group === null ? [] : [{ group, members }]));
  const alternatives = groups.map(({ group, members }) => {
    if (groupNumber(group) === null) reader.refuse(members, `is in group ${quoted(group)}; ${GROUPS}`);
    return reader.conjunction(members);
  });
  reader.check();
  const [only = [], ...others] = alternatives;
  return others.length === 0 ? [...ungrouped, ...only] : [...ungrouped, { operator: 'any', alternatives }];
}

const GROUPS = `groups have numbers from 1 to ${MAX_GROUPS}`;

/** Filter parameters in canonical order: those without a group, then the groups by their numbers. */
export function inGroups(parameters: readonly QueryParameter[]): readonly FilterParameter[] {
  return parameters
    .map((parameter) => {
      const { group, filter } = readGroupFilterName(parameter.name) ?? { group: null, filter: parameter.name };
      return { ...parameter, group, filter };
    })
    .sort((one, other) => groupOrder(one.group) - groupOrder(other.group));
}

function groupOrder(group: string | null): number {
  return group === null ? 0 : (groupNumber(group) ?? MAX_GROUPS + 1);
}

/** A group as a number; null if it is not a number from 1 to the maximum. */
function groupNumber(group: string): number | null {
  const number = Number(group);
  return /^[1-9][0-9]?$/.test(group) && number <= MAX_GROUPS ? number : null;
}

/** Reads the filters of one query, whose values are limited together. */
class FilterReader {
  readonly #rule: FilterRule;
  readonly #details: ErrorDetail[] = [];
  #remaining = MAX_VALUES;

  constructor(rule: FilterRule) {
    this.#rule = rule;
  }

  refuse(parameters: readonly QueryParameter[], message: string): void {
    this.#details.push(...parameters.map(({ name }) => ({ field: cut(name), message })));
  }

  /** @throws {ApiError} QUERY_FILTER_INVALID if an error was found */
  check(): void {
    if (this.#details.length === 0) return;
    throw apiError('QUERY_FILTER_INVALID', 'Invalid filter; see details.', { details: this.#details });
  }

  /** The conditions of filters that all hold. */
  conjunction(parameters: readonly FilterParameter[]): Alternative<unknown> {
    const placed: PlacedCondition[] = [];
    for (const given of Map.groupBy(parameters, ({ filter }) => filter).values()) {
      const condition = this.#read(given);
      if (condition !== null) placed.push(condition);
    }
    return gathered(placed);
  }

  #read(given: readonly FilterParameter[]): PlacedCondition | null {
    const [{ name, filter } = { name: '', filter: '' }] = given;
    const term = parseFilter(given, filter, this.#rule, this.#remaining);
    if (term === null) throw tooManyValues(name);
    if (typeof term === 'string') {
      this.refuse(given.slice(0, 1), term);
      return null;
    }
    this.#remaining -= term.texts.length;
    const result = makeCondition(term);
    if ('condition' in result) return { relation: term.target.relation, condition: result.condition };
    for (const message of result.errors) this.refuse(given.slice(0, 1), message);
    return null;
  }
}

/** The conditions in their order, with those on one relation together, where the first of them is. */
function gathered(placed: readonly PlacedCondition[]): Alternative<unknown> {
  const keyOf = ({ relation }: PlacedCondition, index: number): string =>
    relation === null ? String(index) : JSON.stringify([relation.resource, relation.field, relation.inverse]);
  const byRelation = Map.groupBy(placed.entries(), ([index, each]) => keyOf(each, index));
  return [...byRelation.values()].flatMap((entries): Alternative<unknown> => {
    const conditions = entries.map(([, { condition }]) => condition);
    const relation = entries[0]?.[1].relation ?? null;
    return relation === null ? conditions : [{ operator: 'related', relation, conditions }];
  });
}

function tooManyValues(field: string): Error {
  return apiError(
    'QUERY_FILTER_INVALID',
    `Too many filter values: at most ${MAX_VALUES} in a query; send several queries.`,
    {
      details: [{ field: cut(field), message: `exceeds the ${MAX_VALUES} values of all filters` }],
    },
  );
}

/** Parses a filter. Returns an error message if it is invalid, null if it has more values than `remaining`. */
function parseFilter(
  given: readonly QueryParameter[],
  filter: string,
  rule: FilterRule,
  remaining: number,
): FilterTerm | string | null {
  const { path, operator: named } = readFilterName(filter) ?? { path: filter, operator: null };
  const target = filterTarget(rule, path);
  if (target === null) return isEmptyGroup(filter) ? EMPTY_GROUP : 'is not a filter';
  const { property, resource, prefix } = target;
  if (!property.filterable) {
    return `is not filterable; filterable fields: ${filterablePaths(resource, prefix).join(', ')}`;
  }
  const operators = operatorsOf(property.type);
  const operator = operators.find((each) => each === (named ?? 'eq'));
  if (operator === undefined) {
    const isKnown = named === null || OPERATORS.some((each) => each === named);
    const problem = isKnown ? `does not support ${named ?? 'a filter without an operator'}` : 'has an unknown operator';
    return `${problem}; supported: ${operators.map((each) => `${path}[${each}]`).join(', ')}`;
  }
  const isList = operator === 'in' || operator === 'nin';
  const lists = given.map((parameter) => (isList ? filterItems(parameter, property, remaining) : [parameter.value]));
  const texts = lists.flatMap((list) => list ?? []);
  return lists.includes(null) || texts.length > remaining ? null : { target, operator, texts };
}

const EMPTY_GROUP = `has no filter; write any[1][field]=value, in groups from 1 to ${MAX_GROUPS}`;

/**
 * The items of a list filter. `%2C` separates them like `,`, unless a value of the property can contain a comma (URL-5).
 *
 * @param most maximum number of items; null is returned if there are more
 */
export function filterItems(
  { raw, value }: QueryParameter,
  { holdsComma }: Property,
  most = Number.POSITIVE_INFINITY,
): readonly string[] | null {
  return holdsComma ? splitList(raw, most) : splitPlainList(value, most);
}

function makeCondition(term: FilterTerm): ConditionResult {
  const { target, operator, texts } = term;
  const { property } = target;
  const { path } = property;
  const [text = ''] = texts;
  switch (operator) {
    case 'eq':
    case 'in':
      return coerceValues(term, (values) => ({ path, operator: 'in', values }));
    case 'ne':
    case 'nin':
      return coerceValues(term, (values) => ({ path, operator: 'nin', values }));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return coerceValues(term, ([value = null]) => ({ path, operator, value }));
    case 'starts_with':
      return { condition: { path, operator, value: text } };
    case 'contains':
      // A substring need not be a valid value: of a date, for example.
      if (property.type.kind === 'text') return { condition: { path, operator, value: text } };
      return coerceValues(term, ([value = null]) => ({ path, operator, value }));
    case 'exists':
      if (text !== 'true' && text !== 'false') return { errors: ['must be true or false'] };
      return { condition: { path, operator, value: text === 'true' } };
  }
}

function coerceValues(
  { target, texts }: FilterTerm,
  make: (values: readonly Json[]) => PathCondition,
): ConditionResult {
  const coerced = texts.map((text) => target.validator.coerce(target.property.path, text));
  const errors = coerced.flatMap((each) => (each.kind === 'invalid' ? [each.message] : []));
  if (errors.length > 0) return { errors: [...new Set(errors)] };
  return { condition: make(coerced.flatMap((each) => (each.kind === 'valid' ? [each.value] : []))) };
}
