import { Ajv2020, type CodeOptions, type ErrorObject } from 'ajv/dist/2020.js';
import type { Json } from '../../conventions/json.ts';
import { formats } from './formats.ts';
import type { Path } from './path.ts';
import type { BoundKeyword, Reason, Violation } from './violation.ts';

/** JSON Schema 2020-12, which may hold `x-check`: a {@link ValueCheck} of texts or lists that the standard has no words for. */
export interface Assertion {
  readonly [keyword: string]: unknown;
}

/** What is wrong with a value, in words that follow a field's name; null where nothing is. */
export type ValueCheck = (value: Json) => string | null;

/** What compiles schemas, here and in the build: what is read of an error hangs on how. It knows our formats. */
export function createValidator(code: CodeOptions): Ajv2020 {
  const made = new Ajv2020({
    allErrors: true,
    allowUnionTypes: true,
    code,
    logger: false,
    strictRequired: false,
    validateSchema: false,
    verbose: true,
  });
  for (const [name, { test }] of Object.entries(formats)) made.addFormat(name, test);
  return made;
}

// Made shorter, its code runs no faster, and takes a tenth of a start.
const validator = createValidator({ optimize: false });

validator.addKeyword({
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

/** A compiled schema. Where a value breaks it, what is wrong stands in `errors` until it is called again. */
export interface Validate {
  (value: unknown): boolean;
  errors?: readonly ErrorObject[] | null;
}

/** Finds every violation of a value. */
export type FindViolations = (value: unknown) => readonly Violation[];

/**
 * Compiles a schema.
 *
 * @throws {Error} for a schema that is none: a fault of the program, as declared schemas are checked before
 */
export function compileSchema(schema: Assertion): Validate {
  const validate = validator.compile(schema);
  validator.removeSchema(schema);
  return validate;
}

/** Compiles a schema to a function that finds every violation of a value. @throws {Error} as {@link compileSchema} does */
export function compileAssertion(schema: Assertion): FindViolations {
  return violationFinder(compileSchema(schema));
}

/** What a compiled schema finds, told as violations. */
export function violationFinder(validate: Validate): FindViolations {
  return (value) => (validate(value) ? [] : topmost(validate.errors ?? []).map((error) => violation(error, value)));
}

/** An `anyOf` that fails announces its branches too: only the whole is told, or what is wrong deeper in a branch that it refers to. */
function topmost(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const wholes = errors.filter(({ keyword }) => keyword === 'anyOf');
  const isBranch = (error: ErrorObject): boolean =>
    wholes.some((whole) => isAt(error, whole) && error.schemaPath.startsWith(`${whole.schemaPath}/`));
  const told = errors.filter((error) => !isBranch(error));
  return told.filter(
    (error) => error.keyword !== 'anyOf' || !told.some((other) => other !== error && isAt(other, error)),
  );
}

/** Whether an error is at the place of another, or below it. */
function isAt(error: ErrorObject, { instancePath }: ErrorObject): boolean {
  return error.instancePath === instancePath || error.instancePath.startsWith(`${instancePath}/`);
}

/** The parameters of the keywords that our schemas use. */
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

/** What a violation reads of the schema that is broken. */
interface ParentSchema {
  readonly [keyword: string]: unknown;
  readonly description: string | undefined;
  readonly properties: Readonly<Record<string, { readonly description?: string }>> | undefined;
}

function violation(error: ErrorObject, root: unknown): Violation {
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

function readReason(keyword: string, parameters: AjvParameters, schema: ParentSchema): Reason {
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
      return { kind: 'pattern', pattern };
    case 'format':
      return { kind: 'format', format };
    case 'uniqueItems':
      return { kind: 'check', message: 'must not hold the same item twice' };
    case 'anyOf':
      return { kind: 'form' };
    case 'x-check':
      return { kind: 'check', message };
    default:
      return { kind: 'bound', bound: boundOf(keyword), limit: parameters.limit ?? 0 };
  }
}

const BOUNDS: readonly BoundKeyword[] = [
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
];

function boundOf(keyword: string): BoundKeyword {
  const bound = BOUNDS.find((name) => name === keyword);
  if (bound === undefined) throw new TypeError(`no words for the keyword ${keyword}`);
  return bound;
}

/** RFC 6901; a step into a list is its index. */
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
