import type { Json } from '../../conventions/json/json.ts';
import { formats } from './formats.ts';
import type { BoundKeyword, ViolationReason } from './validator.ts';

/** A count with its noun: `1 character`, `3 characters`, `2 entries`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** `must be one of EUR, USD`, or `must be EUR` for a single allowed value. */
export function describeAllowed(values: readonly Json[]): string {
  return `must be ${values.length === 1 ? '' : 'one of '}${values.map(formatValue).join(', ')}`;
}

/** Formats a declared value for a message. A string that could be misread is quoted. */
export function formatValue(value: Json): string {
  return typeof value === 'string' && /^[\w.:/-]+$/.test(value) ? value : JSON.stringify(value);
}

/**
 * The message of a violation, without the name of the field: `must be at least 1 character`. Never contains the value
 * itself.
 */
export function describeReason(reason: ViolationReason, value: unknown): string {
  switch (reason.kind) {
    case 'type':
      return `must be ${expectedType(reason.expected)}, not ${describeJsonType(value)}`;
    case 'required':
      return 'is required';
    case 'unknown':
      return 'is not a known member';
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
    case 'any-of':
      return 'has none of the allowed forms';
    case 'check':
      return reason.message;
  }
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
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
};

function expectedType(expected: readonly string[]): string {
  const names = expected.filter((name) => name !== 'null').map((name) => TYPE_NAMES[name] ?? name);
  return names.join(' or ');
}

function describeJsonType(value: unknown): string {
  if (value === null) return 'null';
  return TYPE_NAMES[Array.isArray(value) ? 'array' : typeof value] ?? 'an object';
}
