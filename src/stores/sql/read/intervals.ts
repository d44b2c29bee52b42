import type { Json } from '../../../conventions/json/json.ts';
import type { Comparison, PathCondition } from '../../../plan/condition.ts';
import type { Locate, BindParameters, SqlValue } from '../dialect.ts';
import type { Operand } from '../operand.ts';
import type { Compare } from '../../../plan/value-order.ts';

/** One end of an interval. */
interface IntervalEnd {
  readonly value: Json;
  readonly inclusive: boolean;
}

/** The values between two ends; null for no end. An unset value is in no interval (QRY-7). */
export interface Interval {
  readonly from: IntervalEnd | null;
  readonly to: IntervalEnd | null;
}

const including = (value: Json): IntervalEnd => ({ value, inclusive: true });
const excluding = (value: Json): IntervalEnd => ({ value, inclusive: false });

/** The interval of a condition; null for a condition that is not one. */
export function toInterval(condition: PathCondition, isArray: boolean): Interval | null {
  switch (condition.operator) {
    case 'in': {
      const [value = null, ...others] = condition.values;
      return value === null || others.length > 0 ? null : { from: including(value), to: including(value) };
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return condition.value === null ? null : halfLine(condition.operator, condition.value);
    case 'starts_with':
      return startingWith(condition.value);
    case 'exists':
      return condition.value && !isArray ? { from: null, to: null } : null;
    case 'nin':
    case 'contains':
      return null;
  }
}

function halfLine(operator: Comparison, value: Json): Interval {
  const end = operator === 'gte' || operator === 'lte' ? including(value) : excluding(value);
  return operator === 'gt' || operator === 'gte' ? { from: end, to: null } : { from: null, to: end };
}

/** Texts with a common prefix are adjacent in the order of UTF-8 bytes, so that an index serves them. */
function startingWith(prefix: string): Interval {
  const next = successor(prefix);
  return { from: prefix === '' ? null : including(prefix), to: next === null ? null : excluding(next) };
}

/**
 * Written as a number: a character beyond Latin-1 makes V8 store the source of the whole program as UTF-16, which takes
 * a megabyte more.
 */
const LAST_CHARACTER = String.fromCodePoint(0x10_ff_ff);
/** The code points before and after the surrogates, which are not characters. */
const BEFORE_GAP = 0xd7ff;
const AFTER_GAP = 0xe000;

/**
 * The smallest text that is greater than all texts with a prefix; null where there is none. Texts are ordered by code
 * points, which is the order of their UTF-8 bytes.
 */
export function successor(prefix: string): string | null {
  const characters = Array.from(prefix);
  while (characters.at(-1) === LAST_CHARACTER) characters.pop();
  const last = characters.pop()?.codePointAt(0);
  if (last === undefined) return null;
  return `${characters.join('')}${String.fromCodePoint(last === BEFORE_GAP ? AFTER_GAP : last + 1)}`;
}

/** The end that leaves fewer values; `towards` is 1 for lower ends, -1 for upper ones. */
function tighter(
  one: IntervalEnd | null,
  other: IntervalEnd | null,
  compare: Compare,
  towards: 1 | -1,
): IntervalEnd | null {
  if (one === null || other === null) return one ?? other;
  const order = compare(one.value, other.value) * towards;
  if (order === 0) return one.inclusive ? other : one;
  return order > 0 ? one : other;
}

/** The values that are in both intervals. Databases seek by one bound only, and not always by the better one. */
export function intersection(one: Interval, other: Interval, compare: Compare): Interval {
  return { from: tighter(one.from, other.from, compare, 1), to: tighter(one.to, other.to, compare, -1) };
}

/** The only value of an interval, as a list; empty if it can have none or several. */
export function onlyValue({ from, to }: Interval, compare: Compare): readonly Json[] {
  if (from?.inclusive !== true || to?.inclusive !== true) return [];
  return compare(from.value, to.value) === 0 ? [from.value] : [];
}

/** A comparison with a value that the column can hold, or a condition that is true for all values, or for none. */
type BoundComparison = { readonly sign: '=' | '>' | '>=' | '<' | '<='; readonly value: SqlValue } | 'all' | 'none';

function same(value: Json, locate: Locate): BoundComparison {
  const place = locate(value);
  return place?.kind === 'within' && place.exact ? { sign: '=', value: place.floor } : 'none';
}

/** A value between two that the column can hold is greater than the lower one. */
function lower({ value, inclusive }: IntervalEnd, locate: Locate): BoundComparison {
  const place = locate(value);
  if (place?.kind !== 'within') return place?.kind === 'below' ? 'all' : 'none';
  return { sign: inclusive && place.exact ? '>=' : '>', value: place.floor };
}

function upper({ value, inclusive }: IntervalEnd, locate: Locate): BoundComparison {
  const place = locate(value);
  if (place?.kind !== 'within') return place?.kind === 'above' ? 'all' : 'none';
  return { sign: inclusive || !place.exact ? '<=' : '<', value: place.floor };
}

function compareBounds(interval: Interval, { compare, locate }: Operand): readonly BoundComparison[] {
  const [only] = onlyValue(interval, compare);
  if (only !== undefined) return [same(only, locate)];
  const { from, to } = interval;
  return [from === null ? 'all' : lower(from, locate), to === null ? 'all' : upper(to, locate)];
}

/**
 * Conditions that are all true if the value of an expression is in an interval; null if no value can be. Bounds that
 * the column cannot hold are compared by value too.
 */
export function intervalConditions(
  interval: Interval,
  operand: Operand,
  parameters: BindParameters,
): readonly string[] | null {
  const { expression, nullable } = operand;
  const bounds = compareBounds(interval, operand);
  if (bounds.includes('none')) return null;
  const conditions = bounds.flatMap((bound) =>
    typeof bound === 'string' ? [] : [`${expression} ${bound.sign} ${parameters.add(bound.value)}`],
  );
  return conditions.length === 0 && nullable ? [`${expression} is not null`] : conditions;
}
