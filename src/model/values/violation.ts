import type { Json } from '../../conventions/json.ts';
import { formats } from './formats.ts';
import { formatPath, type Path } from './path.ts';
import { counted, describeAllowed } from './messages.ts';

/** A bound that a value is outside of. */
export type BoundKeyword =
  | 'minimum'
  | 'maximum'
  | 'exclusiveMinimum'
  | 'exclusiveMaximum'
  | 'minLength'
  | 'maxLength'
  | 'minItems'
  | 'maxItems'
  | 'minProperties'
  | 'maxProperties';

/** Why a value breaks its schema. */
export type Reason =
  | { readonly kind: 'type'; readonly expected: readonly string[] }
  /** Required and absent, or null where null is no value. */
  | { readonly kind: 'required' }
  | { readonly kind: 'unknown'; readonly known: readonly string[] }
  | { readonly kind: 'enum'; readonly allowed: readonly Json[] }
  | { readonly kind: 'const'; readonly allowed: Json }
  | { readonly kind: 'bound'; readonly bound: BoundKeyword; readonly limit: number }
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'format'; readonly format: string }
  /** None of several forms. */
  | { readonly kind: 'form' }
  /** A check of our own, in words that follow the field's name. */
  | { readonly kind: 'check'; readonly message: string };

/** One place where a value breaks its schema. */
export interface Violation {
  readonly path: Path;
  readonly reason: Reason;
  /** What the schema says that the value is for; null where it says nothing. */
  readonly description: string | null;
  /** Never shown: it may be a secret (REP-11). */
  readonly value: unknown;
}

/** What is wrong, in words that follow a field's name: `must be at least 1 character`. Only the schema is quoted, never the value. */
export function describeReason(reason: Reason, value: unknown): string {
  switch (reason.kind) {
    case 'type':
      return `must be ${expectedType(reason.expected)}, not ${typeName(value)}`;
    case 'required':
      return 'is required';
    case 'unknown':
      return 'is not known';
    case 'enum':
      return describeAllowed(reason.allowed.filter((allowed) => allowed !== null));
    case 'const':
      return describeAllowed([reason.allowed]);
    case 'bound':
      return describeBound(reason.bound, reason.limit);
    case 'pattern':
      return `must match the pattern ${reason.pattern}`;
    case 'format':
      return `must be ${Object.entries(formats).find(([name]) => name === reason.format)?.[1].phrase ?? reason.format}`;
    case 'form':
      return 'has none of the forms that it may have';
    case 'check':
      return reason.message;
  }
}

/**
 * One violation for each thing to correct: a null that may not be is only `required`, a value outside of its list is only that,
 * a value of a wrong type is only that.
 */
export function dedupeViolations(violations: readonly Violation[]): readonly Violation[] {
  const places = Map.groupBy(violations, ({ path }) => formatPath(path));
  return [...places.values()].flatMap((found) => {
    const [type] = found.filter(({ reason }) => reason.kind === 'type');
    if (type?.value === null) return [{ ...type, reason: { kind: 'required' } as const }];
    const [only = type] = found.filter(({ reason }) => reason.kind === 'enum' || reason.kind === 'const');
    return only === undefined ? found : [only];
  });
}

function describeBound(bound: BoundKeyword, limit: number): string {
  switch (bound) {
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'exclusiveMinimum':
      return `must be greater than ${limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${limit}`;
    case 'minLength':
      return `must be at least ${counted(limit, 'character')}`;
    case 'maxLength':
      return `must be at most ${counted(limit, 'character')}`;
    case 'minItems':
      return `must have at least ${counted(limit, 'item')}`;
    case 'maxItems':
      return `must have at most ${counted(limit, 'item')}`;
    case 'minProperties':
      return `must have at least ${counted(limit, 'entry', 'entries')}`;
    case 'maxProperties':
      return `must have at most ${counted(limit, 'entry', 'entries')}`;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

function expectedType(expected: readonly string[]): string {
  const names = expected.filter((name) => name !== 'null').map((name) => TYPE_NAMES[name] ?? name);
  return names.join(' or ');
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'a number';
  return typeof value === 'boolean' ? 'true or false' : 'an object';
}
