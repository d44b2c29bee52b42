import { memoize } from '../../cache/memoize.ts';
import type { Pattern } from '../value-type.ts';
import { isProvedLinear } from './backtracking.ts';
import { compileLinear, type LinearMatcher } from './linear-engine.ts';

/** The reason why a pattern cannot be used. */
export interface PatternProblem {
  readonly cause: string;
  readonly fix: string;
}

type CompiledPattern =
  | { readonly kind: 'valid'; readonly pattern: Pattern }
  | { readonly kind: 'invalid'; readonly problem: PatternProblem };

/** Room for the patterns of large models. */
const MAX_WEIGHT = 1_048_576;

/**
 * Compiles a pattern, an ECMAScript regular expression with the `u` flag. One that is proved linear is matched by V8,
 * any other by a linear engine. The result depends on the pattern alone.
 */
const compile = memoize((source): CompiledPattern => {
  const expression = parseExpression(source);
  if (expression === null) {
    const cause = 'the pattern is not a valid regular expression';
    return invalidPattern(cause, 'write an ECMAScript regular expression that is valid with the u flag');
  }
  if (isProvedLinear(source)) return valid(source, expression);
  const linear = compileLinear(source);
  if (linear !== null) return valid(source, linear);
  return invalidPattern(
    `the pattern ${source} could backtrack for minutes, and a linear engine (RE2) does not support it`,
    'write it without look-around, back-references, modifiers and counts above 1,000, or without nested and adjacent repetitions',
  );
}, MAX_WEIGHT);

/** Compiles a pattern; null for one that {@link patternProblem} rejects. */
export function compilePattern(source: string): Pattern | null {
  const compiled = compile(source);
  return compiled.kind === 'valid' ? compiled.pattern : null;
}

/** Finds the reason why a pattern is rejected; null for a usable one. */
export function patternProblem(source: string): PatternProblem | null {
  const compiled = compile(source);
  return compiled.kind === 'invalid' ? compiled.problem : null;
}

/** Parses a regular expression; null for an invalid one. */
export function parseExpression(source: string): RegExp | null {
  try {
    return new RegExp(source, 'u');
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function valid(source: string, matcher: LinearMatcher): CompiledPattern {
  return { kind: 'valid', pattern: { source, test: (text) => matcher.test(text) } };
}

function invalidPattern(cause: string, fix: string): CompiledPattern {
  return { kind: 'invalid', problem: { cause, fix } };
}

/** A pattern and the lengths that its values must have, in characters. */
export interface BoundedPattern {
  readonly pattern: Pattern;
  readonly minLength: number;
  readonly maxLength: number;
}

/** True if a text violates its pattern. The pattern does not run on a text whose length is refused anyway. */
export function violatesPattern(text: string, { pattern, minLength, maxLength }: BoundedPattern): boolean {
  return hasLength(text, minLength, maxLength) && !pattern.test(text);
}

/** JSON Schema counts code points, of which a string has at least half as many as code units. */
function hasLength(text: string, min: number, max: number): boolean {
  if (text.length < min || text.length > 2 * max) return false;
  if (text.length <= max && text.length >= 2 * min) return true;
  let length = 0;
  for (const _ of text) length += 1;
  return length >= min && length <= max;
}
