import type { Json } from '../conventions/json.ts';

export type Comparison = 'gt' | 'gte' | 'lt' | 'lte';

/** One comparison. Values have their JSON form. An unset field fulfills every `nin`, no `in`, and no comparison (QRY-7). */
export type PathCondition =
  | { readonly path: string; readonly operator: 'in' | 'nin'; readonly values: readonly Json[] }
  | { readonly path: string; readonly operator: Comparison; readonly value: Json }
  /** A literal substring of a string, or an item of an array. */
  | { readonly path: string; readonly operator: 'contains'; readonly value: Json }
  | { readonly path: string; readonly operator: 'starts_with'; readonly value: string }
  /** Whether the field is set; an empty array is not. */
  | { readonly path: string; readonly operator: 'exists'; readonly value: boolean };

/** Each word is a prefix of a word in a searched field (QRY-6). */
export interface SearchCondition {
  readonly operator: 'search';
  readonly words: readonly string[];
}

/** How the related rows of a row are found. */
export interface RelationKey {
  /** Name of their resource. */
  readonly resource: string;
  /** The field that refers: it holds one id, or an array of ids. */
  readonly field: string;
  /** Whether the related rows have the field and refer to the row, instead of the other way round. */
  readonly inverse: boolean;
}

/**
 * One related row fulfills all of the conditions. Where a reference of the row leads to nothing, they are judged on a row without set fields, like
 * members of an unset object (QRY-1, QRY-7).
 */
export type RelatedCondition<Reading> = Reading & {
  readonly operator: 'related';
  readonly relation: RelationKey;
  readonly conditions: readonly PathCondition[];
};

/** Conditions that all hold. */
export type Alternative<Reading> = readonly (PathCondition | RelatedCondition<Reading>)[];

/** At least one of the alternatives holds. */
export interface AnyCondition<Reading> {
  readonly operator: 'any';
  readonly alternatives: readonly Alternative<Reading>[];
}

/** A condition on rows; a list of conditions is a conjunction. @typeParam Reading what a read of related rows has besides: their visibility */
export type ConditionOf<Reading> = PathCondition | SearchCondition | RelatedCondition<Reading> | AnyCondition<Reading>;

/** A condition before the caller's visibility is added to it. */
export type FilterCondition = ConditionOf<unknown>;

/** Whether a condition reads the row alone. */
export function isOwn(condition: FilterCondition): condition is PathCondition | SearchCondition {
  return condition.operator !== 'related' && condition.operator !== 'any';
}

/** The names of the resources whose rows conditions read besides the filtered ones. */
export function relatedResources(filter: readonly FilterCondition[]): readonly string[] {
  return filter.flatMap((condition) => {
    if (condition.operator === 'related') return [condition.relation.resource];
    return condition.operator === 'any' ? condition.alternatives.flatMap(relatedResources) : [];
  });
}

/** Whether a row without set fields fulfills a condition (QRY-7). */
export function holdsForUnset(condition: PathCondition): boolean {
  return condition.operator === 'nin' || (condition.operator === 'exists' && !condition.value);
}
