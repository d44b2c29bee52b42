import type { Condition } from '../../../plan/plan.ts';
import type { Table } from '../tables.ts';
import { type Interval, intersection, toInterval } from './intervals.ts';

/** Conditions as an index can serve them: one interval for each path with bounds, and the other conditions. */
export interface Filter {
  readonly intervals: ReadonlyMap<string, Interval>;
  readonly others: readonly Condition[];
  /**
   * The other conditions of a visibility, such as a bound row policy. What they read of related rows is looked up for
   * each row: rules do not search.
   */
  readonly rules: readonly Condition[];
}

/**
 * Merges the conditions on each path into one interval, so that the index is entered at the tightest bound.
 *
 * @param visible the conditions of the visibility
 */
export function compileFilter(
  table: Table,
  conditions: readonly Condition[],
  visible: readonly Condition[] = [],
): Filter {
  const intervals = new Map<string, Interval>();
  const withoutIntervals = (each: readonly Condition[]): readonly Condition[] =>
    each.filter((condition) => !addInterval(table, intervals, condition));
  return { others: withoutIntervals(conditions), rules: withoutIntervals(visible), intervals };
}

/** @returns false for a condition that is no interval */
function addInterval(table: Table, intervals: Map<string, Interval>, condition: Condition): boolean {
  // A place in JSON has no index, and is not the value at the path.
  if (!('path' in condition) || condition.inside !== undefined) return false;
  const { path } = condition;
  const { type, compare } = table.operand(path);
  if (condition.operator === 'starts_with' && table.dialect.hasPrefix !== null) return false;
  const interval = toInterval(condition, type.kind === 'array');
  if (interval === null) return false;
  const known = intervals.get(path);
  // A column of another program may have another order than JSON values: which end is tighter is not known.
  if (known !== undefined && table.existing !== null) return false;
  intervals.set(path, known === undefined ? interval : intersection(known, interval, compare));
  return true;
}
