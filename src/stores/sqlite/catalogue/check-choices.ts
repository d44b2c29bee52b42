import { readGroup, readLiteral, withoutParentheses } from '../../../introspect/sql-tokens.ts';

/** Choices of columns, by name in lower case. */
export type ChoicesByColumn = ReadonlyMap<string, readonly (string | number)[]>;

const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[\p{L}_$][\p{L}\p{N}_$]*|-?[0-9]+(?:\.[0-9]+)?|\s+|./gsu;
const BLANK = /^(?:\s|--|\/\*)/;

/** Splits SQL into its tokens, without comments and blanks. */
export function splitSql(sql: string): readonly string[] {
  return (sql.match(TOKEN) ?? []).filter((token) => !BLANK.test(token));
}

/**
 * Finds the columns whose values a constraint restricts to a list: `check (status in ('NEW', 'DONE'))`, with or without
 * null. A table with another collation than `binary` has none, because its comparisons ignore case.
 *
 * @param sql the statement that created the table
 */
export function findChoices(sql: string): ChoicesByColumn {
  const tokens = splitSql(sql);
  const found = new Map<string, readonly (string | number)[]>();
  for (const [index, token] of tokens.entries()) {
    if (isWord(token, 'collate') && !isWord(tokens[index + 1], 'binary')) return new Map();
    if (!isWord(token, 'check') || tokens[index + 1] !== '(') continue;
    const listed = readList(withoutParentheses(readGroup(tokens, index + 1)));
    if (listed !== null && !found.has(listed.column)) found.set(listed.column, listed.choices);
  }
  return found;
}

function isWord(token: string | undefined, word: string): boolean {
  return token?.toLowerCase() === word;
}

interface ListedChoices {
  readonly column: string;
  readonly choices: readonly (string | number)[];
}

/** Reads `column in (literal, ...)`, before or after `column is null or`; null for any other expression. */
function readList(tokens: readonly string[]): ListedChoices | null {
  const [name = '', second, third, fourth] = tokens;
  if (isWord(second, 'is') && isWord(third, 'null') && isWord(fourth, 'or')) {
    return readList(withoutParentheses(tokens.slice(4)));
  }
  if (!isWord(second, 'in') || third !== '(') return null;
  const list = readGroup(tokens, 2);
  if (!isNullOr(tokens.slice(list.length + 4), name)) return null;
  const literals = list.filter((_, index) => index % 2 === 0).map(readLiteral);
  const isList = list.every((token, index) => index % 2 === 0 || token === ',') && list.length % 2 === 1;
  const choices = literals.filter((literal) => literal !== null);
  return isList && choices.length === literals.length ? { column: unquoteName(name).toLowerCase(), choices } : null;
}

/** True for nothing, and for `or column is null`. */
function isNullOr(tokens: readonly string[], name: string): boolean {
  if (tokens.length === 0) return true;
  const [or, column, is, nothing, more] = tokens;
  return more === undefined && isWord(or, 'or') && column === name && isWord(is, 'is') && isWord(nothing, 'null');
}

export function unquoteName(token: string): string {
  const quote = token.charAt(0);
  if (quote === '[') return token.slice(1, -1);
  return quote === '"' || quote === '`' ? token.slice(1, -1).replaceAll(quote + quote, quote) : token;
}
