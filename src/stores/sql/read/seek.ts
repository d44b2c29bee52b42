import type { Json } from '../../../conventions/json/json.ts';
import type { SortKey } from '../../../model/model.ts';
import type { Filter } from './filter.ts';
import type { BindParameters, SqlValue } from '../dialect.ts';
import type { Operand } from '../operand.ts';
import type { Table } from '../tables.ts';

/** Generates a condition. Called once, in the order of the text, so that its values are bound in order. */
type WriteCondition = (parameters: BindParameters) => string;

/** A range of rows after a position. */
export interface Range {
  /** The number of leading sort keys that have a single value in the range: the others order it. */
  readonly constantKeys: number;
  readonly condition: WriteCondition;
}

interface Key {
  readonly operand: Operand;
  readonly descending: boolean;
  readonly value: SqlValue;
}

/** The order in which a walk reads: reversed if it goes backward. */
export function directedOrder(order: readonly SortKey[], backward: boolean): readonly SortKey[] {
  return backward ? order.map(({ path, descending }) => ({ path, descending: !descending })) : order;
}

/** @param isSet whether the key is set in all rows of the walk */
function toSeekKey(table: Table, { path, descending }: SortKey, value: Json | undefined, isSet: boolean): Key {
  const operand = table.operand(path);
  if (value === null && operand.nullable) return { operand, descending, value };
  const encoded = value === null || value === undefined ? undefined : operand.encode(value);
  if (encoded === undefined) throw new RangeError(`The position has a value that ${path} cannot have`);
  return { operand: { ...operand, nullable: operand.nullable && !isSet }, descending, value: encoded };
}

function equal({ operand, value }: Key, parameters: BindParameters): string {
  return value === null ? `${operand.expression} is null` : `${operand.expression} = ${parameters.add(value)}`;
}

/** The ranges of a key's values after its value. NULLs come first ascending, last descending (PAGE-5). */
function rangesOfKey({ operand, descending, value }: Key): WriteCondition[] {
  const { expression, nullable } = operand;
  if (descending) {
    if (value === null) return [];
    const less: WriteCondition = (parameters) => `${expression} < ${parameters.add(value)}`;
    return nullable ? [less, () => `${expression} is null`] : [less];
  }
  if (value === null) return [() => `${expression} is not null`];
  return [(parameters) => `${expression} > ${parameters.add(value)}`];
}

/**
 * True if one comparison of row values selects all rows after the position. The keys must have one direction, and no
 * NULLs that the comparison would misplace or lose. SQLite seeks by such a comparison if all keys are columns.
 */
function areRowComparable(keys: readonly Key[]): boolean {
  const descending = keys[0]?.descending === true;
  return keys.every(
    ({ operand, value, ...key }) =>
      operand.isColumn && value !== null && key.descending === descending && !(descending && operand.nullable),
  );
}

/**
 * Divides the rows after a position into consecutive ranges without overlap, at least one. An index in the order seeks
 * to the start of each, however many rows share the first key (PAGE-10). A condition of the form
 * `a >= ? and (a > ? or id > ?)` would scan the ties. If a comparison of row values selects the same rows, there is one
 * range.
 *
 * @param position a value for each key of the order
 * @param filter of all rows of the walk
 * @throws {RangeError} where a value is not one that its key can have
 */
export function rangesAfter(
  table: Table,
  order: readonly SortKey[],
  position: readonly Json[],
  { intervals }: Filter,
): readonly Range[] {
  const keys = order.map((key, index) => toSeekKey(table, key, position[index], intervals.has(key.path)));
  if (areRowComparable(keys)) return [{ constantKeys: 0, condition: (parameters) => greater(keys, parameters) }];
  return keys
    .flatMap((key, constantKeys) => {
      const before = keys.slice(0, constantKeys);
      return rangesOfKey(key).map((condition) => ({
        constantKeys,
        condition: (parameters: BindParameters) =>
          [...before.map((each) => equal(each, parameters)), condition(parameters)].join(' and '),
      }));
    })
    .sort((one, other) => other.constantKeys - one.constantKeys);
}

function greater(keys: readonly Key[], parameters: BindParameters): string {
  const sign = keys[0]?.descending === true ? '<' : '>';
  const left = keys.map(({ operand }) => operand.expression).join(', ');
  const right = keys.map(({ value }) => parameters.add(value)).join(', ');
  return `(${left}) ${sign} (${right})`;
}
