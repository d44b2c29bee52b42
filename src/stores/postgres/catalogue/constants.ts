import type { ColumnKind, DescribedColumn } from '../../../introspect/database.ts';
import { readLiteral, withoutParentheses } from '../../../introspect/sql-tokens.ts';
import { formats } from '../../../model/values/formats.ts';

/** The digits that a number of JavaScript has for certain. */
const MAX_DIGITS = 15;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

const NAME = String.raw`(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*)`;
const TYPE = String.raw`(?:character varying|double precision|bit varying|time(?:stamp)?(?:\(\d\))? with(?:out)? time zone|${NAME}(?:\.${NAME})*)(?:\(\d+(?:,-?\d+)?\))?(?:\[\])*`;
const TOKEN = new RegExp(String.raw`E?'(?:[^']|'')*'|::${TYPE}|${NAME}|\d+(?:\.\d+)?|[<>!=]+|\s+|.`, 'gsu');

/** Casts to types whose values compare as those of other types do not: `citext` ignores case. */
const COMPARES_OTHERWISE = /\bcitext\b/;

/** A constant of an expression. */
interface Constant {
  /** Its text without quotes and casts. */
  readonly text: string;
  readonly isQuoted: boolean;
}

/** Splits an expression as the server writes it. A cast is one token with its type. */
export function tokenize(expression: string): readonly string[] {
  return (expression.match(TOKEN) ?? []).filter((token) => token.trim() !== '');
}

/** True for the token of a cast: `::text`. */
export function isCast(token: string | undefined): boolean {
  return token?.startsWith('::') === true;
}

/** Reads a constant with its casts; null for any other expression. */
export function readConstant(tokens: readonly string[]): Constant | null {
  const end = tokens.findLastIndex((token) => !isCast(token)) + 1;
  if (tokens.slice(end).some((cast) => COMPARES_OTHERWISE.test(cast))) return null;
  const inner = withoutParentheses(tokens.slice(0, end));
  if (inner.length > 1) return inner.length < tokens.length ? readConstant(inner) : null;
  const [token = ''] = inner;
  if (NUMBER.test(token) || token === 'true' || token === 'false') return { text: token, isQuoted: false };
  const literal = readLiteral(token);
  return typeof literal === 'string' ? { text: literal, isQuoted: true } : null;
}

/** The number that a text is; null for another text, and for one with too many digits. */
export function readNumber(text: string): number | null {
  return NUMBER.test(text) && text.replaceAll(/\D/g, '').length <= MAX_DIGITS ? Number(text) : null;
}

const readDigitText = ({ text }: Constant): string | null => (NUMBER.test(text) ? text : null);

/** The values of defaults by the kind of their column. Those of other kinds are left out. */
const DEFAULTS: Readonly<Partial<Record<ColumnKind, (constant: Constant) => DescribedColumn['default']>>> = {
  text: ({ text, isQuoted }) => (isQuoted ? text : null),
  boolean: ({ text, isQuoted }) => (isQuoted ? null : text === 'true'),
  integer: ({ text }) => readNumber(text),
  number: ({ text }) => readNumber(text),
  int64: readDigitText,
  decimal: readDigitText,
  date: ({ text }) => (formats.date.test(text) ? text : null),
};

/**
 * The value of a default, where it is a constant of the kind; else null.
 *
 * @param expression SQL; null for none
 */
export function parseDefault(expression: string | null, kind: ColumnKind): DescribedColumn['default'] {
  const constant = expression === null ? null : readConstant(tokenize(expression));
  return constant === null ? null : (DEFAULTS[kind]?.(constant) ?? null);
}
