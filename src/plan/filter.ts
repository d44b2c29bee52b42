import { type ErrorDetail, apiError } from '../conventions/errors.ts';
import { type QueryParameter, splitList } from '../conventions/query.ts';
import type { Property, Resource, ValueType } from '../model/model.ts';
import type { ResourceValidator } from '../model/values/resource-validator.ts';
import { readFilterName } from './parameters.ts';
import type { Condition } from './plan.ts';

/** What a filter may ask of a value (QRY-1). */
const OF_VALUES = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'exists'] as const;
const OF_TEXTS = [...OF_VALUES, 'contains', 'starts_with'] as const;
const OF_LISTS = ['contains', 'exists'] as const;

/** Most values in all filters of a query together: a body may hold more than any question needs. */
const MAX_VALUES = 10_000;

type Operator = (typeof OF_TEXTS)[number];

/** A filter as its parameters say it: several values only where one without operator is repeated. */
interface FilterRequest {
  /** The parameter's name, for messages. */
  readonly name: string;
  readonly property: Property;
  readonly operator: Operator;
  readonly texts: readonly string[];
}

/** A condition, or what is wrong with the values that it was to have. */
type ConditionResult = { readonly condition: Condition } | { readonly faults: readonly string[] };

/** Whether a parameter's name is a filter on a property of the resource. */
export function isFilterOf(resource: Resource): (name: string) => boolean {
  return (name) => {
    const filter = readFilterName(name);
    return filter !== null && resource.properties.has(filter.path);
  };
}

/**
 * The conditions that filter parameters ask for, each of which must hold (QRY-1). Values are coerced by the schema (QRY-2).
 *
 * @throws {ApiError} QUERY_FILTER_INVALID with every fault in `details`
 */
export function readFilter(
  parameters: readonly QueryParameter[],
  resource: Resource,
  validator: ResourceValidator,
): readonly Condition[] {
  const details: ErrorDetail[] = [];
  const conditions: Condition[] = [];
  const byName = Map.groupBy(parameters, ({ name }) => name);
  let left = MAX_VALUES;
  for (const [name, given] of byName) {
    const asked = readRequest(name, given, resource, left);
    if (asked === null) throw tooManyValues(name);
    const made = typeof asked === 'string' ? { faults: [asked] } : makeCondition(asked, validator);
    left -= typeof asked === 'string' ? 0 : asked.texts.length;
    if ('condition' in made) conditions.push(made.condition);
    else details.push(...made.faults.map((message) => ({ field: name, message })));
  }
  if (details.length > 0) {
    throw apiError('QUERY_FILTER_INVALID', 'A filter cannot be applied; see details for what to send.', { details });
  }
  return conditions;
}

function tooManyValues(field: string): Error {
  return apiError('QUERY_FILTER_INVALID', `The filters name more than ${MAX_VALUES} values; ask in several queries.`, {
    details: [{ field, message: `brings the values of all filters over ${MAX_VALUES}` }],
  });
}

/** What a filter asks; a text where it cannot be asked, null where it has more values than are left. */
function readRequest(
  name: string,
  given: readonly QueryParameter[],
  resource: Resource,
  left: number,
): FilterRequest | string | null {
  const { path, operator: named } = readFilterName(name) ?? { path: name, operator: null };
  const property = resource.properties.get(path);
  if (property?.filterable !== true) {
    const names = [...resource.properties.values()].filter(({ filterable }) => filterable).map((each) => each.path);
    return `cannot be filtered by; filters are ${names.join(', ')}`;
  }
  const operators = operatorsOf(property.type);
  const operator = operators.find((each) => each === (named ?? 'eq'));
  if (operator === undefined) {
    const subject = named === null || isOperator(named) ? `takes no ${named ?? 'plain value'} here` : 'is no operator';
    return `${subject}; there are ${operators.map((each) => `${path}[${each}]`).join(', ')}`;
  }
  const isList = operator === 'in' || operator === 'nin';
  const lists = given.map(({ raw, value }) => (isList ? splitList(raw, left) : [value]));
  const texts = lists.flatMap((list) => list ?? []);
  return lists.includes(null) || texts.length > left ? null : { name, property, operator, texts };
}

function isOperator(name: string): boolean {
  return OF_TEXTS.some((operator) => operator === name);
}

function operatorsOf({ kind }: ValueType): readonly Operator[] {
  if (kind === 'array') return OF_LISTS;
  return kind === 'text' ? OF_TEXTS : OF_VALUES;
}

function makeCondition(asked: FilterRequest, validator: ResourceValidator): ConditionResult {
  const { property, operator, texts } = asked;
  const { path } = property;
  const [text = ''] = texts;
  switch (operator) {
    case 'eq':
    case 'in':
      return ofValues(asked, validator, (values) => ({ path, operator: 'in', values }));
    case 'ne':
    case 'nin':
      return ofValues(asked, validator, (values) => ({ path, operator: 'nin', values }));
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return ofValues(asked, validator, ([value = null]) => ({ path, operator, value }));
    case 'starts_with':
      return { condition: { path, operator, value: text } };
    case 'contains':
      // A part of a text is any text: of a date too.
      if (property.type.kind === 'text') return { condition: { path, operator, value: text } };
      return ofValues(asked, validator, ([value = null]) => ({ path, operator, value }));
    case 'exists':
      if (text !== 'true' && text !== 'false') return { faults: ['must be true or false'] };
      return { condition: { path, operator, value: text === 'true' } };
  }
}

type CoercedValue = ReturnType<ResourceValidator['coerce']> & { readonly kind: 'valid' };

function ofValues(
  { property, texts }: FilterRequest,
  validator: ResourceValidator,
  make: (values: readonly CoercedValue['value'][]) => Condition,
): ConditionResult {
  const coerced = texts.map((text) => validator.coerce(property.path, text));
  const faults = coerced.flatMap((each) => (each.kind === 'invalid' ? [each.message] : []));
  if (faults.length > 0) return { faults: [...new Set(faults)] };
  return { condition: make(coerced.flatMap((each) => (each.kind === 'valid' ? [each.value] : []))) };
}
