import { memoize } from '../../../cache/memoize.ts';
import type { Json, JsonObject } from '../../../conventions/json/json.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import type { ReportProblem } from '../../document/model-error.ts';
import type { Shape, ValueType } from '../../model.ts';
import { readArray, toDigits } from '../../values/access.ts';
import { assertShape } from '../../values/assertion.ts';
import { compareNumbers, storedDecimal } from '../../values/exact-number.ts';
import { describeReason } from '../../values/messages.ts';
import type { Path } from '../../path.ts';
import { patternProblem } from '../../values/pattern.ts';
import { storedForm } from '../../values/stored-form.ts';
import { compileAssertion, dedupeViolations } from '../../values/validator.ts';

type ValueKind = ValueType['kind'];

const NUMBERS: readonly ValueKind[] = ['integer', 'number', 'decimal', 'int64'];
const ENUMERABLE: readonly ValueKind[] = ['text', 'boolean', 'date-time', ...NUMBERS];
const EXACT: ReadonlySet<ValueKind> = new Set(['decimal', 'int64']);

/** The types that each keyword applies to. JSON Schema ignores it on others, so it is probably a mistake. */
const APPLIES_TO: Readonly<Record<string, readonly ValueKind[]>> = {
  format: ['text', 'date-time', 'decimal', 'int64'],
  contentEncoding: ['binary'],
  contentMediaType: ['binary'],
  minLength: ['text', 'binary'],
  maxLength: ['text', 'binary'],
  pattern: ['text'],
  enum: [...ENUMERABLE, 'json'],
  const: [...ENUMERABLE, 'json'],
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

const ORDERED_BOUNDS = [
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
  ['minimum', 'maximum'],
  ['exclusiveMinimum', 'exclusiveMaximum'],
  ['x-scale', 'x-precision'],
] as const;

/** Reports keywords that do not apply to the type, bounds that no value can satisfy and invalid patterns. */
export function checkKeywords(kind: ValueKind, { declared: schema, path, report }: CompileContext): void {
  for (const keyword of Object.keys(schema)) {
    if (APPLIES_TO[keyword]?.includes(kind) === false) {
      report(
        [...path, keyword],
        `${keyword} does not apply to ${kind === 'text' ? 'string' : kind} values`,
        'remove it',
      );
    }
  }
  for (const [low, high] of ORDERED_BOUNDS) {
    if (isAbove(schema[low], schema[high])) {
      report([...path, low], `${low} is greater than ${high}`, 'correct the bounds');
    }
  }
  for (const keyword of ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']) {
    checkBound(kind, keyword, schema[keyword], { declared: schema, path: [...path, keyword], report });
  }
  if ('enum' in schema && 'const' in schema) {
    report([...path, 'const'], 'enum and const are mutually exclusive', 'remove one of them');
  }
  checkPattern(schema['pattern'], [...path, 'pattern'], report);
}

/**
 * Reports a pattern that is not a regular expression with the `u` flag, and one that cannot be matched in linear time
 * (LIM-1).
 */
export function checkPattern(pattern: Json | undefined, path: Path, report: ReportProblem): void {
  const problem = typeof pattern === 'string' ? patternProblem(pattern) : null;
  if (problem !== null) report(path, problem.cause, problem.fix);
}

/** Bounds of decimals and int64 may be strings, because a JSON number is exact to about 15 digits only. */
function checkBound(kind: ValueKind, keyword: string, bound: Json | undefined, { path, report }: CompileContext): void {
  if (bound === undefined) return;
  if (typeof bound === 'string' && !EXACT.has(kind)) {
    report(path, `${keyword} is a string, which only decimal and int64 accept`, 'write a number');
  } else if (EXACT.has(kind) && storedDecimal(toDigits(bound) ?? '', null) === null) {
    report(path, `${keyword} is not a decimal number`, 'write its digits as a string, such as "0.01"');
  }
}

function isAbove(low: Json | undefined, high: Json | undefined): boolean {
  const [a, b] = [toDigits(low), toDigits(high)];
  return a !== null && b !== null && compareNumbers(a, b) > 0;
}

/** Reports values of `enum` and `const` that the rest of their schema rejects. */
export function checkEnum(shape: Shape, { declared, path, report }: CompileContext): void {
  const { enum: listed, const: constant, ...rest } = declared;
  if (listed === undefined && constant === undefined) return;
  const findError = valueCheck(shape, rest);
  for (const [index, value] of readArray(listed).entries()) {
    const error = value === null ? null : findError(value);
    if (error !== null) {
      report([...path, 'enum', index], `the value ${error}`, 'list only values that the rest of the schema allows');
    }
  }
  const error = constant === undefined || constant === null ? null : findError(constant);
  if (error !== null) {
    report([...path, 'const'], `the value ${error}`, 'write a value that the rest of the schema allows');
  }
}

/**
 * Returns the declared default in stored form, or undefined if there is none. Reports a default that its schema
 * rejects.
 */
export function compileDefault(shape: Shape, { declared, path, report }: CompileContext): Json | undefined {
  const value = declared['default'];
  if (value === undefined) return undefined;
  // A listed value needs the rest of the schema alone, which many fields share.
  const { enum: listed, ...rest } = declared;
  const schema = readArray(listed).includes(value) ? rest : declared;
  const error = value === null && shape.nullable ? null : valueCheck(shape, schema)(value);
  if (error !== null) {
    report([...path, 'default'], `the default ${error}`, 'write a value that the schema allows, or remove the default');
  }
  return value === null ? null : storedForm(shape)(value);
}

/** The keywords that no value violates. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['default', 'description', 'title', 'examples']);

/** Compiles a shape and its schema, as JSON. Many fields of a large model have the same ones. */
const compileShapeAndSchema = memoize((json) => {
  const [shape, schema]: [Shape, JsonObject] = JSON.parse(json);
  return compileAssertion(assertShape(shape, schema));
});

/**
 * Compiles a check of values by their shape and schema. It returns an error message without the name of the value, or
 * null.
 */
export function valueCheck(shape: Shape, schema: JsonObject): (value: Json) => string | null {
  const rules = Object.entries(schema).filter(([keyword]) => !ANNOTATIONS.has(keyword));
  const findViolations = compileShapeAndSchema(JSON.stringify([shape, Object.fromEntries(rules)]));
  return (value) => {
    const errors = dedupeViolations(findViolations(value)).map((each) => describeReason(each.reason, each.value));
    return errors.length === 0 ? null : errors.join(', ');
  };
}
