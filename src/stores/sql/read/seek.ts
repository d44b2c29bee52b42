import type { Json } from '../../../conventions/json.ts';
import type { SortKey } from '../../../model/model.ts';
import type { Filter } from './conditions.ts';
import type { BindParameters, SqlValue } from '../dialect.ts';
import type { Operand, Table } from '../tables.ts';

/** Writes a condition; called once, when the statement reaches it, so that its values are in place. */
type WriteCondition = (parameters: BindParameters) => string;

/** A range of rows after a position. */
export interface Range {
  /** How many of the first keys of the order have one value throughout: the others order the range. */
  readonly settled: number;
  readonly condition: WriteCondition;
}

interface Key {
  readonly operand: Operand;
  readonly descending: boolean;
  readonly value: SqlValue;
}

/** The order that a walk in a direction reads. */
export function directedOrder(order: readonly SortKey[], backward: boolean): readonly SortKey[] {
  return backward ? order.map(({ path, descending }) => ({ path, descending: !descending })) : order;
}

/** @param set whether every row of the walk has a value there */
function keyOf(table: Table, { path, descending }: SortKey, value: Json | undefined, set: boolean): Key {
  const operand = table.operand(path);
  if (value === null && operand.nullable) return { operand, descending, value };
  const encoded = value === null || value === undefined ? undefined : operand.encode(value);
  if (encoded === undefined) throw new RangeError(`A position holds a value that ${path} cannot have`);
  return { operand: { ...operand, nullable: operand.nullable && !set }, descending, value: encoded };
}

function equal({ operand, value }: Key, parameters: BindParameters): string {
  return value === null ? `${operand.expression} is null` : `${operand.expression} = ${parameters.add(value)}`;
}

/** The ranges of one key's values that follow its own. NULLs come first ascending, last descending (PAGE-5). */
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
 * Whether one comparison of whole positions says it all: one direction, no NULL to place, none to be lost behind. SQLite seeks by
 * such a comparison over columns alone.
 */
function comparable(keys: readonly Key[]): boolean {
  const descending = keys[0]?.descending === true;
  return keys.every(
    ({ operand, value, ...key }) =>
      operand.isColumn && value !== null && key.descending === descending && !(descending && operand.nullable),
  );
}

/**
 * The rows after a position as ranges that follow one another, none overlapping. An index in the order seeks straight to the start
 * of each, however many rows share the first key (PAGE-10): a condition of the form `a >= ? and (a > ? or id > ?)` would walk
 * through the ties. Where the databases' comparison of row values says the same, it is one range. There is always one.
 *
 * @param position a value for each key of the order
 * @param filter what all rows of the walk satisfy besides
 * @throws {RangeError} where a value is none that its key can have
 */
export function rangesAfter(
  table: Table,
  order: readonly SortKey[],
  position: readonly Json[],
  { intervals }: Filter,
): readonly Range[] {
  const keys = order.map((key, index) => keyOf(table, key, position[index], intervals.has(key.path)));
  if (comparable(keys)) return [{ settled: 0, condition: (parameters) => greater(keys, parameters) }];
  return keys
    .flatMap((key, settled) => {
      const before = keys.slice(0, settled);
      return rangesOfKey(key).map((condition) => ({
        settled,
        condition: (parameters: BindParameters) =>
          [...before.map((each) => equal(each, parameters)), condition(parameters)].join(' and '),
      }));
    })
    .sort((one, other) => other.settled - one.settled);
}

function greater(keys: readonly Key[], parameters: BindParameters): string {
  const sign = keys[0]?.descending === true ? '<' : '>';
  const left = keys.map(({ operand }) => operand.expression).join(', ');
  const right = keys.map(({ value }) => parameters.add(value)).join(', ');
  return `(${left}) ${sign} (${right})`;
}
