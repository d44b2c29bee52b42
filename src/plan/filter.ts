import { cut } from '../conventions/quoted.ts';
import { type ErrorDetail, apiError } from '../conventions/errors.ts';
import type { Json } from '../conventions/json.ts';
import { type QueryParameter, splitList, splitPlainList } from '../conventions/query.ts';
import type { Property, Resource, ValueType } from '../model/model.ts';
import type { ResourceValidator } from '../model/values/resource-validator.ts';
import { readFilterName } from './parameters.ts';
import type { Condition } from './plan.ts';

/** The operators by type of property (QRY-1). */
const SCALAR_OPERATORS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'exists'] as const;
const STRING_OPERATORS = [...SCALAR_OPERATORS, 'contains', 'starts_with'] as const;
const ARRAY_OPERATORS = ['contains', 'exists'] as const;

/** Maximum number of values in all filters of a query: the body of a QUERY may be large. */
const MAX_VALUES = 10_000;

type Operator = (typeof STRING_OPERATORS)[number];

/** A parsed filter. It has several values if it is a list, or if a filter without an operator is repeated. */
interface FilterTerm {
  /** The parameter's name, for messages. */
  readonly name: string;
  readonly property: Property;
  readonly operator: Operator;
  readonly texts: readonly string[];
}

/** A condition, or the errors of its values. */
type ConditionResult = { readonly condition: Condition } | { readonly errors: readonly string[] };

/** Returns a test of whether a parameter name is a filter on a property of the resource. */
export function isFilterOf(resource: Resource): (name: string) => boolean {
  return (name) => {
    const filter = readFilterName(name);
    return filter !== null && resource.properties.has(filter.path);
  };
}

/**
 * The conditions of filter parameters, all of which must hold (QRY-1). Values are coerced by the schema (QRY-2).
 *
 * @throws {ApiError} QUERY_FILTER_INVALID with every error in `details`
 */
export function readFilter(
  parameters: readonly QueryParameter[],
  resource: Resource,
  validator: ResourceValidator,
): readonly Condition[] {
  const details: ErrorDetail[] = [];
  const conditions: Condition[] = [];
  const byName = Map.groupBy(parameters, ({ name }) => name);
  let remaining = MAX_VALUES;
  for (const [name, given] of byName) {
    const term = parseFilter(name, given, resource, remaining);
    if (term === null) throw tooManyValues(name);
    const result = typeof term === 'string' ? { errors: [term] } : makeCondition(term, validator);
    remaining -= typeof term === 'string' ? 0 : term.texts.length;
    if ('condition' in result) conditions.push(result.condition);
    else details.push(...result.errors.map((message) => ({ field: cut(name), message })));
  }
  if (details.length > 0) {
    throw apiError('QUERY_FILTER_INVALID', 'Invalid filter; see details.', { details });
  }
  return conditions;
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
  name: string,
  given: readonly QueryParameter[],
  resource: Resource,
  remaining: number,
): FilterTerm | string | null {
  const { path, operator: named } = readFilterName(name) ?? { path: name, operator: null };
  const property = resource.properties.get(path);
  if (property?.filterable !== true) {
    const names = [...resource.properties.values()].filter(({ filterable }) => filterable).map((each) => each.path);
    return `is not filterable; filterable fields: ${names.join(', ')}`;
  }
  const operators = operatorsOf(property.type);
  const operator = operators.find((each) => each === (named ?? 'eq'));
  if (operator === undefined) {
    const isKnown = named === null || STRING_OPERATORS.some((each) => each === named);
    const problem = isKnown ? `does not support ${named ?? 'a filter without an operator'}` : 'has an unknown operator';
    return `${problem}; supported: ${operators.map((each) => `${path}[${each}]`).join(', ')}`;
  }
  const isList = operator === 'in' || operator === 'nin';
  const lists = given.map((parameter) => (isList ? filterItems(parameter, property, remaining) : [parameter.value]));
  const texts = lists.flatMap((list) => list ?? []);
  return lists.includes(null) || texts.length > remaining ? null : { name, property, operator, texts };
}

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

function operatorsOf({ kind }: ValueType): readonly Operator[] {
  if (kind === 'array') return ARRAY_OPERATORS;
  return kind === 'text' ? STRING_OPERATORS : SCALAR_OPERATORS;
}

function makeCondition(term: FilterTerm, validator: ResourceValidator): ConditionResult {
  const { property, operator, texts } = term;
  const { path } = property;
  const [text = ''] = texts;
  switch (operator) {
    case 'eq':
    case 'in':
      return coerceValues(term, validator, (values) => ({ path, operator: 'in', values }));
    case 'ne':
    case 'nin':
      return coerceValues(term, validator, (values) => ({ path, operator: 'nin', values }));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return coerceValues(term, validator, ([value = null]) => ({ path, operator, value }));
    case 'starts_with':
      return { condition: { path, operator, value: text } };
    case 'contains':
      // A substring need not be a valid value: of a date, for example.
      if (property.type.kind === 'text') return { condition: { path, operator, value: text } };
      return coerceValues(term, validator, ([value = null]) => ({ path, operator, value }));
    case 'exists':
      if (text !== 'true' && text !== 'false') return { errors: ['must be true or false'] };
      return { condition: { path, operator, value: text === 'true' } };
  }
}

function coerceValues(
  { property, texts }: FilterTerm,
  validator: ResourceValidator,
  make: (values: readonly Json[]) => Condition,
): ConditionResult {
  const coerced = texts.map((text) => validator.coerce(property.path, text));
  const errors = coerced.flatMap((each) => (each.kind === 'invalid' ? [each.message] : []));
  if (errors.length > 0) return { errors: [...new Set(errors)] };
  return { condition: make(coerced.flatMap((each) => (each.kind === 'valid' ? [each.value] : []))) };
}
