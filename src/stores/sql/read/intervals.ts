import type { Json } from '../../../conventions/json.ts';
import type { Comparison, Condition } from '../../../plan/plan.ts';
import type { Locate, BindParameters, SqlValue } from '../dialect.ts';
import type { Operand } from '../tables.ts';
import type { Compare } from '../value-order.ts';

/** One end of an interval. */
export interface IntervalEnd {
  readonly value: Json;
  readonly inclusive: boolean;
}

/** The values between two ends; null where there is no end. What is unset lies in no interval (QRY-7). */
export interface Interval {
  readonly from: IntervalEnd | null;
  readonly to: IntervalEnd | null;
}

const including = (value: Json): IntervalEnd => ({ value, inclusive: true });
const excluding = (value: Json): IntervalEnd => ({ value, inclusive: false });

/** A condition on one path. */
export type PathCondition = Exclude<Condition, { readonly operator: 'search' }>;

/** The interval that a condition asks for; null where it asks for anything else. */
export function intervalOf(condition: PathCondition, isArray: boolean): Interval | null {
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

/** The texts that begin with a prefix lie together in the order of UTF-8 bytes, so that an index serves them. */
function startingWith(prefix: string): Interval {
  const next = successor(prefix);
  return { from: prefix === '' ? null : including(prefix), to: next === null ? null : excluding(next) };
}

/** Written as a number: one character beyond Latin-1 has V8 keep the text of the whole program in two bytes for each, a megabyte more. */
const LAST_CHARACTER = String.fromCodePoint(0x10_ff_ff);
/** Around the surrogates, which are no characters. */
const BEFORE_GAP = 0xd7ff;
const AFTER_GAP = 0xe000;

/**
 * The least text that is greater than every one that begins with a prefix; null where there is none. The order is that of code points, as of
 * UTF-8 bytes.
 */
export function successor(prefix: string): string | null {
  const characters = Array.from(prefix);
  while (characters.at(-1) === LAST_CHARACTER) characters.pop();
  const last = characters.pop()?.codePointAt(0);
  if (last === undefined) return null;
  return `${characters.join('')}${String.fromCodePoint(last === BEFORE_GAP ? AFTER_GAP : last + 1)}`;
}

/** Of two ends the one that leaves less; `towards` is 1 for the lower ends, -1 for the upper ones. */
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

/** The values in both of two intervals. Databases enter an index at one end only, and not always at the better one. */
export function intersection(one: Interval, other: Interval, compare: Compare): Interval {
  return { from: tighter(one.from, other.from, compare, 1), to: tighter(one.to, other.to, compare, -1) };
}

/** The one value of an interval, as a list; empty where it may have none or several. */
export function onlyValue({ from, to }: Interval, compare: Compare): readonly Json[] {
  if (from?.inclusive !== true || to?.inclusive !== true) return [];
  return compare(from.value, to.value) === 0 ? [from.value] : [];
}

/** A comparison with a value that a database can hold, or what holds for every value, or for none. */
type BoundComparison = { readonly sign: '=' | '>' | '>=' | '<' | '<='; readonly value: SqlValue } | 'all' | 'none';

function same(value: Json, locate: Locate): BoundComparison {
  const place = locate(value);
  return place?.kind === 'within' && place.exact ? { sign: '=', value: place.floor } : 'none';
}

/** What lies between two values that can be held is greater than the lower of them. */
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

function boundsOf(interval: Interval, { compare, locate }: Operand): readonly BoundComparison[] {
  const [only] = onlyValue(interval, compare);
  if (only !== undefined) return [same(only, locate)];
  const { from, to } = interval;
  return [from === null ? 'all' : lower(from, locate), to === null ? 'all' : upper(to, locate)];
}

/**
 * Conditions that hold together where an expression's value is in an interval; null where none can be. A bound that its column cannot hold
 * is compared by value all the same.
 */
export function intervalConditions(
  interval: Interval,
  operand: Operand,
  parameters: BindParameters,
): readonly string[] | null {
  const { expression, nullable } = operand;
  const bounds = boundsOf(interval, operand);
  if (bounds.includes('none')) return null;
  const conditions = bounds.flatMap((bound) =>
    typeof bound === 'string' ? [] : [`${expression} ${bound.sign} ${parameters.add(bound.value)}`],
  );
  return conditions.length === 0 && nullable ? [`${expression} is not null`] : conditions;
}
