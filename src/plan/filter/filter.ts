import { cut } from '../../conventions/text/quoted.ts';
import { type ErrorDetail, apiError } from '../../conventions/errors.ts';
import type { Json } from '../../conventions/json/json.ts';
import { type QueryParameter, splitList, splitPlainList } from '../../conventions/url/query.ts';
import type { Property } from '../../model/model.ts';
import { coercePart } from '../../model/values/coercion.ts';
import type { ComparisonOperator } from '../../model/operators.ts';
import type { Alternative, ComparedPath, FilterCondition, PartCondition } from '../condition.ts';
import type { FilterTarget } from './filter-rule.ts';
import { readJsonFilter } from './json-filter.ts';
import type { ConjunctionShape, FilterShape, FilterSlot } from './filter-shape.ts';

/** Maximum number of values in all filters of a query: the body of a QUERY may be large. */
export const MAX_VALUES = 10_000;

/** A filter with its values. */
interface FilterTerm {
  readonly target: FilterTarget;
  readonly operator: ComparisonOperator;
  readonly texts: readonly string[];
}

/** A condition, or the errors of its values. */
type ConditionResult = { readonly condition: PartCondition<unknown> } | { readonly errors: readonly string[] };

/**
 * The conditions of filter parameters (QRY-1): those without a group all hold, and all of at least one group.
 * Conditions on one relation in the same group, or in none, are on one related row. Values are coerced by the schema
 * (QRY-2).
 *
 * @param shape of these parameters
 * @throws {ApiError} QUERY_FILTER_INVALID with every error in `details`
 */
export function readFilter(parameters: readonly QueryParameter[], shape: FilterShape): readonly FilterCondition[] {
  const reader = new FilterReader(parameters);
  const ungrouped = reader.conjunction(shape.ungrouped);
  const alternatives = shape.groups.map(({ conjunction, names, problem }) => {
    if (problem !== null) for (const name of names) reader.refuse(name, problem);
    return reader.conjunction(conjunction);
  });
  reader.check();
  const [only = [], ...others] = alternatives;
  return others.length === 0 ? [...ungrouped, ...only] : [...ungrouped, { operator: 'any', alternatives }];
}

/** Reads the filters of one query, whose values are limited together. */
class FilterReader {
  readonly #parameters: readonly QueryParameter[];
  readonly #details: ErrorDetail[] = [];
  #remaining = MAX_VALUES;

  constructor(parameters: readonly QueryParameter[]) {
    this.#parameters = parameters;
  }

  refuse(name: string, message: string): void {
    this.#details.push({ field: cut(name), message });
  }

  /** @throws {ApiError} QUERY_FILTER_INVALID if an error was found */
  check(): void {
    if (this.#details.length === 0) return;
    throw apiError('QUERY_FILTER_INVALID', 'Invalid filter; see details.', { details: this.#details });
  }

  /** The conditions of filters that all hold. */
  conjunction(shape: ConjunctionShape): Alternative<unknown> {
    return shape.flatMap(({ relation, slots }): Alternative<unknown> => {
      const conditions = slots.map((slot) => this.#read(slot)).filter((condition) => condition !== null);
      return relation === null ? conditions : [{ operator: 'related', relation, conditions }];
    });
  }

  #read({ name, positions, meaning }: FilterSlot): PartCondition<unknown> | null {
    if (typeof meaning === 'function') {
      this.refuse(name, meaning());
      return null;
    }
    const texts = this.#texts(positions, meaning);
    if (texts === null) throw tooManyValues(name);
    this.#remaining -= texts.length;
    const result = makeCondition({ ...meaning, texts });
    if ('condition' in result) return result.condition;
    for (const message of result.errors) this.refuse(name, message);
    return null;
  }

  /** The values of a filter; null if they are too many. */
  #texts(positions: readonly number[], { operator, target }: Omit<FilterTerm, 'texts'>): readonly string[] | null {
    const given = positions.flatMap((position) => this.#parameters[position] ?? []);
    const isList = isListOperator(operator);
    const lists = given.map((each) => (isList ? filterItems(each, target.property, this.#remaining) : [each.value]));
    const texts = lists.flatMap((list) => list ?? []);
    return lists.includes(null) || texts.length > this.#remaining ? null : texts;
  }
}

/** True if the value of a filter is a list. */
export function isListOperator(operator: ComparisonOperator): boolean {
  return operator === 'in' || operator === 'nin';
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

/**
 * The items of a list filter. `%2C` separates them like `,`, unless a value of the property can contain a comma
 * (URL-5).
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
  if (property.type.kind === 'json' && operator !== 'exists') {
    return { condition: readJsonFilter({ path, members: target.members }, operator, texts) };
  }
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
      return { condition: { path, operator, value: coercePart(property.type, text) } };
    case 'contains':
      // A substring need not be a valid value: of a date, for example.
      if (property.type.kind === 'text')
        return { condition: { path, operator, value: coercePart(property.type, text) } };
      return coerceValues(term, ([value = null]) => ({ path, operator, value }));
    case 'exists':
      if (text !== 'true' && text !== 'false') return { errors: ['must be true or false'] };
      return { condition: { ...existing(target), operator, value: text === 'true' } };
  }
}

/** The path that exists: of a whole field, or of what JSON has at a place. */
function existing({ property: { path, type }, members }: FilterTarget): ComparedPath {
  return type.kind === 'json' && members.length > 0 ? { path, inside: { members, type } } : { path };
}

function coerceValues(
  { target, texts }: FilterTerm,
  make: (values: readonly Json[]) => PartCondition<unknown>,
): ConditionResult {
  const coerced = texts.map((text) => target.validator.coerce(target.property.path, text));
  const errors = coerced.flatMap((each) => (each.kind === 'invalid' ? [each.message] : []));
  if (errors.length > 0) return { errors: [...new Set(errors)] };
  return { condition: make(coerced.flatMap((each) => (each.kind === 'valid' ? [each.value] : []))) };
}
