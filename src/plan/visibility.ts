import { digest } from '../platform/digest.ts';
import { type ConditionOf, isOwn, type RowCondition } from './condition.ts';
import { filterKey } from './filter-key.ts';

/** A condition on the rows of a read. Related rows count as absent where they are not visible. */
export type Condition = ConditionOf<{ readonly visible: Visibility }>;

/** The one on related rows. */
export type VisibleRelatedCondition = Extract<Condition, { readonly operator: 'related' }>;

/**
 * The rows of a resource that a read may return. Every plan that reads rows has one, without a default, so that no read
 * can leave it out.
 */
export type Visibility = RowVisibility | StoreVisibility;

/** A visibility that the fields of a row decide, so that a row can be judged without the store. */
export type RowVisibility =
  | { readonly kind: 'everything' }
  | { readonly kind: 'nothing' }
  | (Conditions & { readonly judgedBy: 'row'; readonly conditions: readonly RowCondition[] });

/** A visibility that other rows decide, too: only the store can judge it. */
type StoreVisibility = Conditions & { readonly judgedBy: 'store'; readonly conditions: readonly Condition[] };

/** Conditions that all hold for a visible row. */
interface Conditions {
  readonly kind: 'conditions';
  /** Equal for two visibilities with equal conditions, of any callers and in every process. */
  readonly digest: string;
}

/**
 * The visibility of reads for the system (cascades, export, import), and of every caller of a resource without row
 * policies.
 */
export const EVERYTHING: Visibility & { readonly kind: 'everything' } = Object.freeze({ kind: 'everything' });

/** The visibility of a caller whose policies hold for no row. */
export const NOTHING: Visibility & { readonly kind: 'nothing' } = Object.freeze({ kind: 'nothing' });

/** Holds for no row. */
const NEVER: RowCondition = Object.freeze({ operator: 'any', alternatives: [] });

const NO_CONDITIONS: readonly Condition[] = Object.freeze([]);
const NEVER_ONLY: readonly Condition[] = Object.freeze([NEVER]);

/** The rows for which all of the conditions hold. */
export function visibilityWhere(conditions: readonly Condition[]): Visibility {
  if (conditions.length === 0) return EVERYTHING;
  const shared = { kind: 'conditions', digest: digest(filterKey(conditions)) } as const;
  const own = conditions.filter(isRowCondition);
  return own.length === conditions.length
    ? { ...shared, judgedBy: 'row', conditions: own }
    : { ...shared, judgedBy: 'store', conditions };
}

/** The conditions that a read adds to its filter. */
export function visibleConditions(visible: Visibility): readonly Condition[] {
  switch (visible.kind) {
    case 'everything':
      return NO_CONDITIONS;
    case 'nothing':
      return NEVER_ONLY;
    case 'conditions':
      return visible.conditions;
  }
}

/** True if a row alone decides whether it is visible. */
export function isJudgedByRow(visible: Visibility): visible is RowVisibility {
  return visible.kind !== 'conditions' || visible.judgedBy === 'row';
}

/** The fields that a row needs so that it can be judged. */
export function judgedFields(visible: RowVisibility): readonly string[] {
  return visible.kind === 'conditions' ? [...new Set(visible.conditions.flatMap(listConditionFields))] : [];
}

function listConditionFields(condition: RowCondition): readonly string[] {
  if ('path' in condition) return condition.path.split('.', 1);
  return condition.operator === 'not'
    ? listConditionFields(condition.condition)
    : condition.alternatives.flat().flatMap(listConditionFields);
}

/** True if a condition is on the fields of the row alone. */
export function isRowCondition(condition: Condition): condition is RowCondition {
  return condition.operator !== 'search' && isOwn(condition);
}
