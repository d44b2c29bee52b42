import type { ColumnLimits } from '../../../introspect/database.ts';
import { withoutParentheses } from '../../../introspect/sql-tokens.ts';
import { isCast, readConstant, readNumber, tokenize } from './constants.ts';

/** A condition that the values of a column satisfy, unless they are null. */
export interface ColumnCondition {
  /** `VALUE` in the constraint of a domain. */
  readonly column: string;
  /** The only values; null for any. */
  readonly values: readonly (string | number)[] | null;
  readonly limits: ColumnLimits;
}

const COLUMN = /^(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*)$/u;
/** Casts of a column that change none of its values. */
const WIDENING: ReadonlySet<string> = new Set(['::text', '::numeric', '::double precision']);
/** Casts of texts to numbers. */
const NUMERIC = /^::(?:smallint|integer|bigint|numeric|real|double precision)\b/;
const BOUNDS: Readonly<Record<string, keyof ColumnLimits>> = {
  '>=': 'minimum',
  '<=': 'maximum',
  '>': 'exclusiveMinimum',
  '<': 'exclusiveMaximum',
};

/**
 * Finds the conditions of a constraint on single columns: lists and bounds, `status = ANY (ARRAY['NEW', 'DONE'])` and
 * `n >= 1 AND n <= 5`, with or without null. All other parts are ignored.
 *
 * @param expression as the server writes it
 */
export function findConditions(expression: string): readonly ColumnCondition[] {
  const tokens = tokenize(expression);
  // Its parts are no conditions of their own.
  if (tokens.includes('CASE')) return [];
  return readConditions(tokens).filter(({ values }) => values === null || values.length > 0);
}

function readConditions(tokens: readonly string[]): readonly ColumnCondition[] {
  const inner = withoutParentheses(tokens);
  const alternatives = splitTokens(inner, 'OR');
  if (alternatives.length > 1) return joinAlternatives(alternatives.map(readConditions));
  const parts = splitTokens(inner, 'AND');
  return parts.length > 1 ? parts.flatMap(readConditions) : readComparison(inner);
}

/** Splits tokens at a separator that is in no parentheses or brackets. */
function splitTokens(tokens: readonly string[], separator: string): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token === '(' || token === '[') depth += 1;
    if (token === ')' || token === ']') depth -= 1;
    if (depth === 0 && token === separator) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** Joins lists of one column, and a condition with `column IS NULL`. None follows from other alternatives. */
function joinAlternatives(alternatives: readonly (readonly ColumnCondition[])[]): readonly ColumnCondition[] {
  const isNull = (each: readonly ColumnCondition[]): boolean => each.length === 1 && each[0]?.values?.length === 0;
  const nulls = alternatives.filter(isNull).flat();
  const [first = [], ...others] = alternatives.filter((each) => !isNull(each));
  const named = (column: string): boolean => nulls.every((each) => each.column === column);
  if (others.length === 0) return first.filter(({ column }) => named(column));
  const column = first[0]?.column ?? '';
  const lists = [first, ...others].map((each) => each.find((one) => one.column === column && one.values !== null));
  if (!named(column) || lists.includes(undefined)) return [];
  return [{ column, values: [...new Set(lists.flatMap((each) => each?.values ?? []))], limits: {} }];
}

/** Reads a comparison of a column; none for any other expression. The values of `column IS NULL` are none. */
function readComparison([name = '', ...rest]: readonly string[]): readonly ColumnCondition[] {
  const start = rest.findIndex((token) => !isCast(token));
  const [operator = '', ...right] = rest.slice(Math.max(start, 0));
  if (!COLUMN.test(name) || !rest.slice(0, start).every((cast) => WIDENING.has(cast))) return [];
  const column = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
  if (operator === 'IS') return right.join(' ') === 'NULL' ? [{ column, values: [], limits: {} }] : [];
  if (operator === '=') {
    const values = right[0] === 'ANY' ? readArray(right.slice(1)) : [readValue(right)];
    const known = values.filter((value) => value !== null);
    return known.length === values.length && known.length > 0 ? [{ column, values: known, limits: {} }] : [];
  }
  const [bound, value] = [BOUNDS[operator], readValue(right)];
  return bound === undefined || typeof value !== 'number' ? [] : [{ column, values: null, limits: { [bound]: value } }];
}

/** Reads the items of `(ARRAY['a'::text, 'b'::text])`; empty for any other expression. */
function readArray(tokens: readonly string[]): readonly (string | number | null)[] {
  const inner = withoutParentheses(tokens);
  const list = inner.slice(0, inner.findLastIndex((token) => !isCast(token)) + 1);
  if (list[0] !== 'ARRAY' || list[1] !== '[' || list.at(-1) !== ']') return [];
  return splitTokens(list.slice(2, -1), ',').map(readValue);
}

/** A negative number is a text with a cast. */
function readValue(tokens: readonly string[]): string | number | null {
  const constant = readConstant(tokens);
  if (constant === null) return null;
  const isNumber = !constant.isQuoted || tokens.some((token) => NUMERIC.test(token));
  return isNumber ? readNumber(constant.text) : constant.text;
}
