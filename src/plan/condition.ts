import type { Json } from '../conventions/json/json.ts';
import type { ValueType } from '../model/model.ts';

export type Comparison = 'gt' | 'gte' | 'lt' | 'lte';

/**
 * A place in a JSON value: the names that lead to it from the field. Values of another type than `type` are unset
 * there; the type `json` has all values but null.
 */
export interface JsonPlace {
  readonly members: readonly string[];
  readonly type: ValueType & { readonly kind: 'text' | 'number' | 'boolean' | 'json' };
}

/** The value that a condition compares: the one at a path, or one inside it. */
export interface ComparedPath {
  readonly path: string;
  readonly inside?: JsonPlace;
}

/**
 * One comparison. Values have their JSON form. An unset field fulfills every `nin`, no `in`, and no comparison (QRY-7).
 */
export type PathCondition =
  | (ComparedPath & { readonly operator: 'in' | 'nin'; readonly values: readonly Json[] })
  | (ComparedPath & { readonly operator: Comparison; readonly value: Json })
  /** A literal substring of a string, or an item of an array. */
  | (ComparedPath & { readonly operator: 'contains'; readonly value: Json })
  | (ComparedPath & { readonly operator: 'starts_with'; readonly value: string })
  /** True if the field is set; an empty array is not. */
  | (ComparedPath & { readonly operator: 'exists'; readonly value: boolean });

/** Each word is a prefix of a word in a searched field (QRY-6). */
export interface SearchCondition {
  readonly operator: 'search';
  readonly words: readonly string[];
}

/** The way to find the related rows of a row. */
export interface RelationKey {
  /** Name of their resource. */
  readonly resource: string;
  /** The field that refers: it holds one id, or an array of ids. */
  readonly field: string;
  /** True if the related rows have the field and refer to the row, instead of the other way round. */
  readonly inverse: boolean;
}

/** The condition does not hold. */
export interface NotCondition {
  readonly operator: 'not';
  readonly condition: PathCondition;
}

/** At least one of several conjunctions holds; without any, the condition holds for no row. */
export interface AnyCondition<Part> {
  readonly operator: 'any';
  readonly alternatives: readonly (readonly Part[])[];
}

/** A condition on the fields of one row, which needs no other row to be judged. */
export type RowCondition = PathCondition | NotCondition | AnyCondition<RowCondition>;

/**
 * One related row fulfills all of the conditions. If a reference of the row leads to nothing, they are evaluated on an
 * empty row, like members of an unset object (QRY-1, QRY-7). Relations below a relation are references to one row.
 */
export type RelatedCondition<Reading> = Reading & {
  readonly operator: 'related';
  readonly relation: RelationKey;
  readonly conditions: Alternative<Reading>;
};

/** A condition other than a search. */
export type PartCondition<Reading> =
  | PathCondition
  | NotCondition
  | RelatedCondition<Reading>
  | AnyCondition<PartCondition<Reading>>;

/** Conditions that all hold. */
export type Alternative<Reading> = readonly PartCondition<Reading>[];

/**
 * A condition on rows, of a filter or of a row policy; a list of conditions is a conjunction. `not` stands before
 * single comparisons only.
 *
 * @typeParam Reading what a read of related rows has besides: their visibility
 */
export type ConditionOf<Reading> = PartCondition<Reading> | SearchCondition;

/** A condition before the caller's visibility is added to it. */
export type FilterCondition = ConditionOf<unknown>;

/** True if a condition reads the row alone. */
export function isOwn(condition: FilterCondition): condition is RowCondition | SearchCondition {
  if (condition.operator === 'any') return condition.alternatives.every((each) => each.every(isOwn));
  return condition.operator !== 'related';
}

/** The names of the resources whose rows conditions read besides the filtered ones. */
export function relatedResources(filter: readonly FilterCondition[]): readonly string[] {
  return filter.flatMap((condition) => {
    if (condition.operator === 'related') {
      return [condition.relation.resource, ...relatedResources(condition.conditions)];
    }
    return condition.operator === 'any' ? condition.alternatives.flatMap(relatedResources) : [];
  });
}

/** True if a row without set fields fulfills a condition (QRY-7). */
export function holdsForUnset(condition: PartCondition<unknown>): boolean {
  switch (condition.operator) {
    case 'nin':
      return true;
    case 'exists':
      return !condition.value;
    case 'not':
      return !holdsForUnset(condition.condition);
    case 'any':
      return condition.alternatives.some((each) => each.every(holdsForUnset));
    case 'related':
      return !condition.relation.inverse && condition.conditions.every(holdsForUnset);
    case 'in':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'contains':
    case 'starts_with':
      return false;
  }
}
