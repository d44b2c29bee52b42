import type { Json } from '../../../conventions/json/json.ts';
import type { SortKey } from '../../../model/model.ts';
import type { Filter } from './filter.ts';
import { type Interval, onlyValue } from './intervals.ts';
import type { Table } from '../tables.ts';

/** A walk through a collection: an order, the position after which it continues, and the filter of its rows. */
interface Walk {
  readonly order: readonly SortKey[];
  /** A value for each key of the order; null at the start. */
  readonly after: readonly Json[] | null;
  readonly filter: Filter;
}

/**
 * Removes sort keys that the filter makes constant from a walk. They do not order rows, and an index that begins with
 * them continues in the order of the others. A key stays if the position has another value for it. The id always stays,
 * so that an order remains.
 */
function withoutConstants(table: Table, { order, after, filter }: Walk): Walk {
  const kept = order.flatMap((key, index): readonly number[] => {
    const interval = filter.intervals.get(key.path);
    const { compare } = table.operand(key.path);
    const [only] = interval === undefined || key.path === 'id' ? [] : onlyValue(interval, compare);
    if (only === undefined) return [index];
    const value = after === null ? only : (after[index] ?? null);
    return value !== null && compare(value, only) === 0 ? [] : [index];
  });
  const of = <T>(list: readonly T[]): readonly T[] => list.filter((_, index) => kept.includes(index));
  return { order: of(order), after: after === null ? null : of(after), filter };
}

/**
 * The walk that reads the same rows with a single start in the index. A filter on the first key and a position both
 * define where the walk begins: the later of them stays. Databases seek by either one and scan to the other.
 */
export function narrowWalk(table: Table, original: Walk): Walk {
  // The order of a column of another program may be another one than that of JSON values.
  if (original.filter.intervals.size === 0 || table.existing !== null) return original;
  const walk = withoutConstants(table, original);
  const { order, after, filter } = walk;
  const [first] = order;
  const interval = first === undefined ? undefined : filter.intervals.get(first.path);
  if (first === undefined || interval === undefined || after === null) return walk;
  const value = after[0] ?? null;
  // The filter excludes rows without a value: the position alone defines the start.
  if (value === null) return walk;
  const end = first.descending ? interval.to : interval.from;
  if (end === null) return walk;
  const ahead = table.operand(first.path).compare(value, end.value) * (first.descending ? -1 : 1);
  if (ahead < 0 || (ahead === 0 && !end.inclusive)) return { ...walk, after: null };
  return { ...walk, filter: withoutStart(filter, first, interval) };
}

/** A filter without the bound of the first key at which the walk starts. */
function withoutStart(filter: Filter, { path, descending }: SortKey, { from, to }: Interval): Filter {
  const intervals = new Map(filter.intervals);
  const far = descending ? from : to;
  if (far === null) intervals.delete(path);
  else intervals.set(path, descending ? { from: far, to: null } : { from: null, to: far });
  return { ...filter, intervals };
}
