import type { Json } from '../../conventions/json.ts';
import type { CompileContext } from '../document/compile-context.ts';
import { digitsOf } from '../values/access.ts';
import { compareNumbers, storedDecimal } from '../values/exact-number.ts';
import type { ReportProblem } from '../document/model-error.ts';
import type { ValueType } from '../model.ts';
import type { Path } from '../values/path.ts';

type ValueKind = ValueType['kind'];

const NUMBERS: readonly ValueKind[] = ['integer', 'number', 'decimal', 'int64'];
const LISTED: readonly ValueKind[] = ['text', 'boolean', 'date-time', ...NUMBERS];
const EXACT: ReadonlySet<ValueKind> = new Set(['decimal', 'int64']);

/** What each keyword says something about; one that stands elsewhere would be ignored in silence. */
const APPLIES: Readonly<Record<string, readonly ValueKind[]>> = {
  format: ['text', 'date-time', 'decimal', 'int64'],
  contentEncoding: ['binary'],
  contentMediaType: ['binary'],
  minLength: ['text', 'binary'],
  maxLength: ['text', 'binary'],
  pattern: ['text'],
  enum: LISTED,
  const: LISTED,
  minimum: NUMBERS,
  maximum: NUMBERS,
  exclusiveMinimum: NUMBERS,
  exclusiveMaximum: NUMBERS,
  'x-precision': ['decimal'],
  'x-scale': ['decimal'],
  properties: ['object', 'map'],
  required: ['object'],
  additionalProperties: ['object', 'map'],
  minProperties: ['map'],
  maxProperties: ['map'],
  items: ['array'],
  minItems: ['array'],
  maxItems: ['array'],
  uniqueItems: ['array'],
};

const ORDERED = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minimum', 'maximum'],
  ['exclusiveMinimum', 'exclusiveMaximum'],
  ['x-scale', 'x-precision'],
] as const;

/** Keywords that belong to a field of a resource, not to a value inside one. */
export const FIELD_KEYWORDS = [
  'readOnly',
  'writeOnly',
  'x-immutable',
  'x-unique',
  'x-references',
  'x-was',
  'x-shown-once',
] as const;

/** Announces keywords that do not belong to a value of this kind, bounds that nothing fits and patterns that are none. */
export function checkKeywords(kind: ValueKind, { declared: schema, path, report }: CompileContext): void {
  for (const keyword of Object.keys(schema)) {
    if (APPLIES[keyword]?.includes(kind) === false) {
      report([...path, keyword], `${keyword} says nothing about a value of kind ${kind}`, 'remove it');
    }
  }
  for (const [low, high] of ORDERED) {
    if (isAbove(schema[low], schema[high])) {
      report([...path, low], `${low} is greater than ${high}`, 'write bounds that a value can keep');
    }
  }
  for (const keyword of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']) {
    checkBound(kind, keyword, schema[keyword], [...path, keyword], report);
  }
  if ('enum' in schema && 'const' in schema) {
    report([...path, 'const'], 'enum and const exclude each other', 'keep one');
  }
  checkPattern(schema['pattern'], [...path, 'pattern'], report);
}

/** Announces a regular expression that is none under the `u` flag. */
export function checkPattern(pattern: Json | undefined, path: Path, report: ReportProblem): void {
  if (typeof pattern === 'string' && readPattern(pattern) === null) {
    report(path, 'the pattern is no regular expression', 'write one of ECMAScript that is valid under the u flag');
  }
}

/** A declared pattern; null where it is no regular expression. */
export function readPattern(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern, 'u');
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** A bound of a decimal or int64 may be text, as a JSON number holds about 15 digits. */
function checkBound(
  kind: ValueKind,
  keyword: string,
  bound: Json | undefined,
  path: Path,
  report: ReportProblem,
): void {
  if (bound === undefined) return;
  if (typeof bound === 'string' && !EXACT.has(kind)) {
    report(path, `${keyword} is text, which only decimal and int64 take`, 'write a number');
  } else if (EXACT.has(kind) && storedDecimal(digitsOf(bound) ?? '', null) === null) {
    report(path, `${keyword} is no decimal number`, 'write its digits as text, such as "0.01"');
  }
}

function isAbove(low: Json | undefined, high: Json | undefined): boolean {
  const [a, b] = [digitsOf(low), digitsOf(high)];
  return a !== null && b !== null && compareNumbers(a, b) > 0;
}
