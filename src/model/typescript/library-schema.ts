import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { readArray, readObject, readStrings } from '../values/access.ts';
import type { ReportProblem } from '../document/model-error.ts';
import { formats } from '../values/formats.ts';
import { parseExpression } from '../values/pattern.ts';
import type { Path } from '../path.ts';
import { plainData } from './module-values.ts';
import type { StandardValidate } from './refinements.ts';

/** Bounds that libraries add for their number types: safe integer, double, single. */
const TYPE_BOUNDS: ReadonlySet<Json> = new Set([Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, (2 - 2 ** -23) * 2 ** 127]);
const FORMATS: ReadonlySet<string> = new Set([...Object.keys(formats), 'date-time', 'decimal', 'int64']);
/** A pattern that matches all samples of a format duplicates the format. Any other pattern is a constraint. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2026-05-17T09:30:00Z', '2026-12-31T23:59:59.123Z'],
  date: ['2026-05-17', '2024-02-29'],
  duration: ['P3DT4H', 'PT1H30M'],
  uuid: [
    'c232ab00-9414-11ec-b3c8-9f6bdeced846',
    '919108f7-52d1-4320-9bac-f847db4148a8',
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
  ],
  email: ['ann@example.com', 'b.c+d@mail.example.org'],
  uri: ['https://example.com/a', 'urn:isbn:0451450523'],
  hostname: ['localhost', 'www.example.com'],
  ipv4: ['192.0.2.1', '10.0.0.255'],
  ipv6: ['2001:db8::1', '::'],
};
/** Patterns of libraries for the keys of a map that match every name. */
const ANY_NAME: ReadonlySet<string> = new Set(['^.*$', '^(.*)$']);

/**
 * Converts a schema of a TypeScript model to the JSON Schema that a document would contain.
 *
 * Standard Schema converts schemas of libraries, and they are normalized.
 * Unions with null or of constants become `type` and `enum`, and maps use only `additionalProperties`.
 * The dialect, the bounds of number types, and patterns that duplicate a format are removed.
 *
 * @param path of the schema, where problems are reported
 */
export function plainSchema(schema: unknown, path: Path, report: ReportProblem): Json {
  const standard = findStandard(schema);
  if (standard === undefined) {
    const plain = plainData(schema, path, report);
    return isJsonObject(plain) ? normalize(plain) : plain;
  }
  const input = convertedInput(standard, path, report);
  const output = convertedOutput(standard);
  if (output !== null) reportOtherTypes(input, output, path, report);
  return input;
}

/** `~standard.validate` of a library's schema, which runs its refinements and transforms; null for a JSON Schema. */
export function standardValidate(schema: unknown): StandardValidate | null {
  const standard = findStandard(schema);
  const validate: unknown = Object(standard).validate;
  return typeof validate === 'function' ? (value) => Reflect.apply(validate, standard, [value]) : null;
}

function findStandard(schema: unknown): unknown {
  // In some libraries schemas are functions.
  const isLibrary = (typeof schema === 'object' && schema !== null) || typeof schema === 'function';
  return isLibrary ? Reflect.get(schema, '~standard') : undefined;
}

/** The JSON Schema of what clients send. */
function convertedInput(standard: unknown, path: Path, report: ReportProblem): JsonObject {
  if (!hasConverter(standard)) {
    const fix = 'use Zod, ArkType, TypeBox or, for Valibot, toStandardJsonSchema of @valibot/to-json-schema';
    report(path, 'the library of this schema does not convert it to JSON Schema', fix);
    return {};
  }
  try {
    return converted(standard, 'input', {});
  } catch (error) {
    const [message] = (error instanceof Error ? error.message : String(error)).split('\n');
    const fix = 'use types that exist in JSON, such as a string with a format for a date';
    report(path, `the library cannot convert this schema to JSON Schema: ${message}`, fix);
    return {};
  }
}

/**
 * The JSON Schema of what transforms return, empty where the library does not know it; null where it cannot be
 * converted.
 */
function convertedOutput(standard: unknown): JsonObject | null {
  try {
    return hasConverter(standard) ? converted(standard, 'output', { unrepresentable: 'any' }) : null;
  } catch {
    // The input decides what a model can express; what the output of a transform is may be unknown until it runs.
    return null;
  }
}

/** The part of Standard JSON Schema that is used here. */
interface Convertible {
  readonly jsonSchema: Readonly<Record<'input' | 'output', (options: object) => unknown>>;
}

function hasConverter(standard: unknown): standard is Convertible {
  return typeof Object(Object(standard).jsonSchema).input === 'function';
}

/**
 * @param options for Zod. Valibot's `ignore` leaves out actions that JSON Schema lacks, such as `trim`, which
 *   `validate` runs
 */
function converted({ jsonSchema }: Convertible, side: 'input' | 'output', options: object): JsonObject {
  const libraryOptions = { ...options, errorMode: 'ignore' };
  // The round trip removes members that libraries attach to the result and that are not JSON.
  const plain: Json = JSON.parse(JSON.stringify(jsonSchema[side]({ target: 'draft-2020-12', libraryOptions })));
  return isJsonObject(plain) ? normalize(plain) : {};
}

/**
 * Reports fields whose transform returns another type than clients send: a row has one type, which its JSON Schema
 * declares.
 */
function reportOtherTypes(input: JsonObject, output: JsonObject, path: Path, report: ReportProblem): void {
  const [sent, returned] = [typeNames(input), typeNames(output)];
  if (sent.size > 0 && returned.size > 0 && sent.isDisjointFrom(returned)) {
    const [from, to] = [[...sent].join(' or '), [...returned].join(' or ')];
    const fix = `return ${from}, declare ${to} and let clients send it, or derive a computed member`;
    report(path, `a transform makes ${to} of ${from}, but a row holds what clients send and read`, fix);
    return;
  }
  const members = readObject(output['properties']);
  for (const [name, member] of Object.entries(readObject(input['properties'])))
    reportOtherTypes(readObject(member), readObject(members[name]), [...path, 'properties', name], report);
  for (const keyword of ['items', 'additionalProperties'].filter((name) => isJsonObject(input[name])))
    reportOtherTypes(readObject(input[keyword]), readObject(output[keyword]), [...path, keyword], report);
}

/** The types that a schema allows, without null; none where it does not say. */
function typeNames({ type }: JsonObject): ReadonlySet<string> {
  return new Set(readStrings(listTypes(type)).map((name) => (name === 'integer' ? 'number' : name)));
}

function normalize({ $schema: _dialect, ...schema }: JsonObject): JsonObject {
  const steps = [mergeUnion, normalizeMap, removeTypeBounds, removeFormatPattern, addType];
  return steps.reduce((normalized, step) => step(normalized), normalizeParts(schema));
}

function normalizeParts(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      switch (keyword) {
        case 'items':
        case 'additionalProperties':
          return [keyword, normalizePart(value)];
        case 'anyOf':
          return [keyword, Array.isArray(value) ? value.map(normalizePart) : value];
        case 'properties':
        case 'patternProperties':
        case '$defs':
        case 'definitions':
          return [keyword, normalizeMembers(value)];
        default:
          return [keyword, value];
      }
    }),
  );
}

function normalizeMembers(value: Json): Json {
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, held]) => [name, normalizePart(held)]))
    : value;
}

function normalizePart(value: Json): Json {
  return isJsonObject(value) ? normalize(value) : value;
}

/** Merges a union of one schema or of constants, with or without null, into one schema. */
function mergeUnion(schema: JsonObject): JsonObject {
  const { anyOf, ...siblings } = schema;
  const branches = readArray(anyOf).filter(isJsonObject);
  if (branches.length === 0 || branches.length !== readArray(anyOf).length) return schema;
  const values = branches.filter((branch) => branch['type'] !== 'null' && !isOfFormat(branch, branches));
  const [first] = values;
  const only = values.length === 1 && first !== undefined ? first : mergeConstants(values);
  if (only === null) return schema;
  if (!branches.some(({ type }) => type === 'null')) return { ...only, ...siblings };
  const types = listTypes(only['type']);
  // The type behind a $ref is unknown here.
  return types.length === 0 ? schema : { ...only, type: [...types, 'null'], ...siblings };
}

/** True if a branch is a constant with a format that another branch allows in general. */
function isOfFormat(branch: JsonObject, branches: readonly JsonObject[]): boolean {
  const { const: constant, format } = branch;
  if (constant === undefined || format === undefined) return false;
  return branches.some((other) => other['const'] === undefined && other['format'] === format);
}

function mergeConstants(branches: readonly JsonObject[]): JsonObject | null {
  const values = branches.flatMap(listConstants);
  const type = commonType(values);
  return type === null || !branches.every((branch) => listConstants(branch).length > 0) ? null : { type, enum: values };
}

function listConstants(schema: JsonObject): readonly Json[] {
  const { const: constant } = schema;
  return constant === undefined ? readArray(schema['enum']) : [constant];
}

function listTypes(type: Json | undefined): readonly Json[] {
  return (typeof type === 'string' ? [type] : readArray(type)).filter((name) => name !== 'null');
}

/** The common type of constants; null if there is none. */
function commonType(values: readonly Json[]): string | null {
  const [first] = values;
  if (!values.every((value) => typeof value === typeof first)) return null;
  if (typeof first === 'string' || typeof first === 'boolean') return typeof first;
  if (typeof first !== 'number') return null;
  return values.every(Number.isInteger) ? 'integer' : 'number';
}

/** Writes a map as `additionalProperties` only. */
function normalizeMap(schema: JsonObject): JsonObject {
  const { propertyNames, patternProperties, ...rest } = schema;
  if (patternProperties !== undefined) {
    const [named, ...more] = Object.entries(readObject(patternProperties));
    const isMap = named !== undefined && more.length === 0 && ANY_NAME.has(named[0]);
    return isMap ? { ...rest, additionalProperties: named[1] } : schema;
  }
  const { type, ...restrictions } = readObject(propertyNames);
  return type === 'string' && Object.keys(restrictions).length === 0 ? rest : schema;
}

function removeTypeBounds(schema: JsonObject): JsonObject {
  const { minimum, maximum, ...rest } = schema;
  return {
    ...rest,
    ...(minimum === undefined || (typeof minimum === 'number' && TYPE_BOUNDS.has(-minimum)) ? {} : { minimum }),
    ...(maximum === undefined || TYPE_BOUNDS.has(maximum) ? {} : { maximum }),
  };
}

/** Removes a pattern that duplicates the format, or a format that is not supported. */
function removeFormatPattern(schema: JsonObject): JsonObject {
  const { format, pattern, ...rest } = schema;
  if (format === 'base64' && schema['contentEncoding'] === 'base64') return rest;
  if (typeof format !== 'string' || typeof pattern !== 'string') return schema;
  if (!FORMATS.has(format)) return { ...rest, pattern };
  const [samples, expression] = [SAMPLES[format] ?? [], parseExpression(pattern)];
  const repeats = samples.length > 0 && expression !== null && samples.every((sample) => expression.test(sample));
  return repeats ? { ...rest, format } : schema;
}

/** Adds the type of constants. */
function addType(schema: JsonObject): JsonObject {
  if (schema['type'] !== undefined) return schema;
  const type = commonType(listConstants(schema));
  return type === null ? schema : { type, ...schema };
}
