import { Ajv2020, type CodeOptions, type ErrorObject } from 'ajv/dist/2020.js';
import type { Json } from '../../conventions/json/json.ts';
import { formats } from './formats.ts';
import { formatPath, type Path } from '../path.ts';
import { type BoundedPattern, violatesPattern } from './pattern.ts';

const BOUND_KEYWORDS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;

/** A keyword that bounds a value. */
export type BoundKeyword = (typeof BOUND_KEYWORDS)[number];

/** A violation of a schema by a value. */
export type ViolationReason =
  | { readonly kind: 'type'; readonly expected: readonly string[] }
  /** Required, but absent or null. */
  | { readonly kind: 'required' }
  | { readonly kind: 'unknown'; readonly known: readonly string[] }
  | { readonly kind: 'enum'; readonly allowed: readonly Json[] }
  | { readonly kind: 'const'; readonly allowed: Json }
  | { readonly kind: 'bound'; readonly bound: BoundKeyword; readonly limit: number }
  | { readonly kind: 'pattern'; readonly pattern: string }
  | { readonly kind: 'format'; readonly format: string }
  | { readonly kind: 'any-of' }
  /** Reported by a {@link ValueCheck}. */
  | { readonly kind: 'check'; readonly message: string };

/** One place where a value violates its schema. */
export interface ValueViolation {
  readonly path: Path;
  readonly reason: ViolationReason;
  /** The description in the schema; null if there is none. */
  readonly description: string | null;
  /** Must not appear in messages: it may be a secret (REP-11). */
  readonly value: unknown;
}

/**
 * Removes violations that follow from another one at the same path.
 * Null is reported as `required` only, and a value outside its `enum` or of the wrong type as that only.
 */
export function dedupeViolations(violations: readonly ValueViolation[]): readonly ValueViolation[] {
  const byPath = Map.groupBy(violations, ({ path }) => formatPath(path));
  return [...byPath.values()].flatMap((found) => {
    const [type] = found.filter(({ reason }) => reason.kind === 'type');
    if (type?.value === null) return [{ ...type, reason: { kind: 'required' } as const }];
    const [only = type] = found.filter(({ reason }) => reason.kind === 'enum' || reason.kind === 'const');
    return only === undefined ? found : [only];
  });
}

/**
 * JSON Schema 2020-12 with two more keywords. `x-check` is a {@link ValueCheck} of strings or arrays for which the
 * standard has no keyword. `x-pattern` is a {@link BoundedPattern}, in place of `pattern`.
 */
export interface Assertion {
  readonly [keyword: string]: unknown;
}

/** Returns an error message without the name of the field, such as `must be at least 1`; null for a valid value. */
export type ValueCheck = (value: Json) => string | null;

/**
 * Creates the ajv instance of the program and of the build. Both need the same options: {@link violationFinder} reads
 * the errors.
 */
export function createValidator(code: CodeOptions): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    allowUnionTypes: true,
    code,
    logger: false,
    strictRequired: false,
    validateSchema: false,
    verbose: true,
  });
  for (const [name, { test }] of Object.entries(formats)) ajv.addFormat(name, test);
  return ajv;
}

// Optimized code runs no faster, and optimizing takes a tenth of the start-up time.
const ajv = createValidator({ optimize: false });

ajv.addKeyword({
  keyword: 'x-check',
  type: ['string', 'array'],
  errors: true,
  compile: (check: ValueCheck) => {
    const validate: { (value: Json): boolean; errors?: Partial<ErrorObject>[] } = (value) => {
      const message = check(value);
      if (message !== null) validate.errors = [{ keyword: 'x-check', params: { message } }];
      return message === null;
    };
    return validate;
  },
});

ajv.addKeyword({
  keyword: 'x-pattern',
  type: 'string',
  errors: true,
  compile: (bounded: BoundedPattern) => {
    const error: Partial<ErrorObject> = { keyword: 'x-pattern', params: { pattern: bounded.pattern.source } };
    const validate: { (text: string): boolean; errors?: Partial<ErrorObject>[] } = (text) => {
      const violates = violatesPattern(text, bounded);
      if (violates) validate.errors = [error];
      return !violates;
    };
    return validate;
  },
});

/** A compiled schema. For an invalid value, `errors` holds the errors until the next call. */
export interface Validate {
  (value: unknown): boolean;
  errors?: readonly ErrorObject[] | null;
}

/** Finds all violations of a value. */
export type FindViolations = (value: unknown) => readonly ValueViolation[];

/**
 * Compiles a schema.
 *
 * @throws {Error} for an invalid schema: a bug, because declared schemas are checked before
 */
export function compileSchema(schema: Assertion): Validate {
  const validate = ajv.compile(schema);
  ajv.removeSchema(schema);
  return validate;
}

/** Compiles a schema to a function that finds all violations of a value. @throws {Error} like {@link compileSchema} */
export function compileAssertion(schema: Assertion): FindViolations {
  return violationFinder(compileSchema(schema));
}

/** Wraps a compiled schema: converts ajv's errors to violations. */
export function violationFinder(validate: Validate): FindViolations {
  return (value) => (validate(value) ? [] : topmost(validate.errors ?? []).map((error) => violation(error, value)));
}

/**
 * A failed `anyOf` also reports each branch. Keeps the `anyOf` itself, or the deeper errors of a branch behind a
 * `$ref`.
 */
function topmost(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf');
  const isBranch = (error: ErrorObject): boolean =>
    unions.some((union) => isAt(error, union) && error.schemaPath.startsWith(`${union.schemaPath}/`));
  const kept = errors.filter((error) => !isBranch(error));
  return kept.filter(
    (error) => error.keyword !== 'anyOf' || !kept.some((other) => other !== error && isAt(other, error)),
  );
}

/** True if an error is at the path of another one, or below it. */
function isAt(error: ErrorObject, { instancePath }: ErrorObject): boolean {
  return error.instancePath === instancePath || error.instancePath.startsWith(`${instancePath}/`);
}

/** The `params` of ajv's errors for the keywords in use here. */
interface AjvParameters {
  readonly type?: string | readonly string[];
  readonly missingProperty?: string;
  readonly additionalProperty?: string;
  readonly allowedValues?: readonly Json[];
  readonly allowedValue?: Json;
  readonly pattern?: string;
  readonly format?: string;
  readonly limit?: number;
  readonly message?: string;
}

/** The parts of the violated schema that a violation needs. */
interface ParentSchema {
  readonly [keyword: string]: unknown;
  readonly description: string | undefined;
  readonly properties: Readonly<Record<string, { readonly description?: string }>> | undefined;
}

function violation(error: ErrorObject, root: unknown): ValueViolation {
  const parameters: AjvParameters = error.params;
  const schema: ParentSchema = {
    description: error.parentSchema?.['description'],
    properties: error.parentSchema?.['properties'],
  };
  const { missingProperty: missing, additionalProperty: additional } = parameters;
  const path = parsePointer(error.instancePath, root);
  const member = missing ?? additional;
  const described = missing === undefined ? schema : schema.properties?.[missing];
  return {
    path: member === undefined ? path : [...path, member],
    reason: readReason(error.keyword, parameters, schema),
    description: described?.description ?? null,
    value: error.data,
  };
}

function readReason(keyword: string, parameters: AjvParameters, schema: ParentSchema): ViolationReason {
  const { type = [], allowedValues = [], allowedValue = null, pattern = '', format = '', message = '' } = parameters;
  switch (keyword) {
    case 'type':
      return { kind: 'type', expected: [type].flat() };
    case 'required':
      return { kind: 'required' };
    case 'additionalProperties':
      return { kind: 'unknown', known: Object.keys(schema.properties ?? {}) };
    case 'enum':
      return { kind: 'enum', allowed: allowedValues };
    case 'const':
      return { kind: 'const', allowed: allowedValue };
    case 'pattern':
    case 'x-pattern':
      return { kind: 'pattern', pattern };
    case 'format':
      return { kind: 'format', format };
    case 'uniqueItems':
      return { kind: 'check', message: 'must not contain duplicate items' };
    case 'anyOf':
      return { kind: 'any-of' };
    case 'x-check':
      return { kind: 'check', message };
    default:
      return { kind: 'bound', bound: findBound(keyword), limit: parameters.limit ?? 0 };
  }
}

function findBound(keyword: string): BoundKeyword {
  const bound = BOUND_KEYWORDS.find((name) => name === keyword);
  if (bound === undefined) throw new TypeError(`no message for the keyword ${keyword}`);
  return bound;
}

/** Parses a JSON Pointer (RFC 6901). Steps into arrays become numbers. */
function parsePointer(pointer: string, root: unknown): Path {
  const path: (string | number)[] = [];
  let value = root;
  for (const token of pointer.split('/').slice(1)) {
    const step = token.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(value) ? Number(step) : step);
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  }
  return path;
}
