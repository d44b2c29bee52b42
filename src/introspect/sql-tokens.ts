const INTEGER = /^-?[0-9]{1,15}$/;

/** The tokens between a parenthesis and the one that closes it. */
export function readGroup(tokens: readonly string[], open: number): readonly string[] {
  let depth = 0;
  for (let index = open; index < tokens.length; index += 1) {
    if (tokens[index] === '(') depth += 1;
    if (tokens[index] === ')') depth -= 1;
    if (depth === 0) return tokens.slice(open + 1, index);
  }
  return [];
}

/** An expression without the parentheses that contain it as a whole. */
export function withoutParentheses(tokens: readonly string[]): readonly string[] {
  if (tokens[0] !== '(') return tokens;
  const group = readGroup(tokens, 0);
  return group.length === tokens.length - 2 ? withoutParentheses(group) : tokens;
}

/** True for the literal NULL, with casts or without. @param expression SQL */
export function isNullLiteral(expression: string): boolean {
  return /^\s*null\s*(?:::|$)/i.test(expression);
}

/** The value of a literal: a string or an integer. Null for any other expression. */
export function readLiteral(token: string): string | number | null {
  if (INTEGER.test(token)) return Number(token);
  return /^'(?:[^']|'')*'$/.test(token) ? token.slice(1, -1).replaceAll("''", "'") : null;
}
