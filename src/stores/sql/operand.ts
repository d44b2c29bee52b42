import type { ValueType } from '../../model/model.ts';
import type { Compare } from '../../plan/value-order.ts';
import type { ComparableExpression, Encode } from './dialect.ts';

/** The expression of a path, for comparisons. */
export interface Operand extends ComparableExpression {
  readonly type: ValueType;
  /** Compares two of its JSON values as the database does. */
  readonly compare: Compare;
  readonly nullable: boolean;
  /** True if it is a column, not a member inside one. */
  readonly isColumn: boolean;
}

/** Membership in an array field: the encoding of the item, and the condition. */
export interface Membership {
  readonly encode: Encode;
  /**
   * @param deadlineCheck the deadline's `always` where the statement has a deadline: for a search that comes before the
   *   rows
   */
  condition(placeholder: string, deadlineCheck: string | null): string;
}

/** The table that lists the targets of an array of references, with quoted names. */
export interface Links {
  readonly name: string;
  /** The columns of the key of the row with the array, and of the row that it refers to. */
  readonly owner: readonly string[];
  readonly target: readonly string[];
}

/** Expressions as one operand: a single one, or a row value. */
export function rowValue(expressions: readonly string[]): string {
  const [only = ''] = expressions;
  return expressions.length === 1 ? only : `(${expressions.join(', ')})`;
}
