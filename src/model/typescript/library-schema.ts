import { isJsonObject, type Json, type JsonObject } from '../../conventions/json.ts';
import { listOf, objectOf } from '../values/access.ts';
import type { ReportProblem } from '../document/model-error.ts';
import { formats } from '../values/formats.ts';
import { readPattern } from '../compile/keywords.ts';
import type { Path } from '../values/path.ts';
import { plainData } from './module-values.ts';

/** The bounds of the types that libraries know: a safe integer, a double, a single. */
const TYPE_BOUNDS: ReadonlySet<Json> = new Set([Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, (2 - 2 ** -23) * 2 ** 127]);
const FORMATS: ReadonlySet<string> = new Set([...Object.keys(formats), 'date-time', 'decimal', 'int64']);
/** A pattern that admits all of these is how a library says the format, in other words; any other one says more. */
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
/** How libraries write the names of a map: any. */
const ANY_NAME: ReadonlySet<string> = new Set(['^.*$', '^(.*)$']);

/**
 * The schema of a model in TypeScript as a document would have it: of another library what Standard Schema gives, and every part said as this
 * model says it. Null and constants become `type` and `enum`, where libraries unite schemas; a map is `additionalProperties` alone; the
 * dialect, the bounds of a type and a pattern that repeats a format are left out.
 *
 * @param path where the schema stands; what is no JSON Schema is announced there
 */
export function plainSchema(schema: unknown, path: Path, report: ReportProblem): Json {
  const plain = plainData(sourceOf(schema, path, report), path, report);
  return isJsonObject(plain) ? simplified(plain) : plain;
}

function sourceOf(schema: unknown, path: Path, report: ReportProblem): unknown {
  // Some libraries have functions for schemas.
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return schema;
  const standard: unknown = Reflect.get(schema, '~standard');
  if (standard === undefined) return schema;
  const converter: unknown = Object(standard).jsonSchema;
  const input: unknown = Object(converter).input;
  if (typeof input !== 'function') {
    const fix = 'take one that does, such as Zod, ArkType or TypeBox, or write JSON Schema';
    report(path, 'the library of this schema gives no JSON Schema', fix);
    return {};
  }
  try {
    // Through its text: libraries hang members of their own on what they give.
    return JSON.parse(JSON.stringify(Reflect.apply(input, converter, [{ target: 'draft-2020-12' }])));
  } catch (error) {
    const [message] = (error instanceof Error ? error.message : String(error)).split('\n');
    const fix = 'declare types that JSON has: a date is a text with a format';
    report(path, `its library cannot say it in JSON Schema: ${message}`, fix);
    return {};
  }
}

function simplified({ $schema: _dialect, ...schema }: JsonObject): JsonObject {
  return [united, asMap, withoutTypeBounds, withoutEcho, typed].reduce((said, say) => say(said), withParts(schema));
}

function withParts(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      switch (keyword) {
        case 'items':
        case 'additionalProperties':
          return [keyword, part(value)];
        case 'anyOf':
          return [keyword, Array.isArray(value) ? value.map(part) : value];
        case 'properties':
        case 'patternProperties':
        case '$defs':
        case 'definitions':
          return [keyword, parts(value)];
        default:
          return [keyword, value];
      }
    }),
  );
}

function parts(value: Json): Json {
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, held]) => [name, part(held)]))
    : value;
}

function part(value: Json): Json {
  return isJsonObject(value) ? simplified(value) : value;
}

/** A union of one schema or of constants, with or without null, as one schema; any other stays as it is. */
function united(schema: JsonObject): JsonObject {
  const { anyOf, ...beside } = schema;
  const branches = listOf(anyOf).filter(isJsonObject);
  if (branches.length === 0 || branches.length !== listOf(anyOf).length) return schema;
  const given = branches.filter((branch) => branch['type'] !== 'null' && !isOfFormat(branch, branches));
  const [first] = given;
  const only = given.length === 1 && first !== undefined ? first : oneOfConstants(given);
  if (only === null) return schema;
  if (!branches.some(({ type }) => type === 'null')) return { ...only, ...beside };
  const types = typesOf(only['type']);
  // What is named by a $ref is not looked into here.
  return types.length === 0 ? schema : { ...only, type: [...types, 'null'], ...beside };
}

/** Whether a branch is a constant of a format that another branch admits whole. */
function isOfFormat(branch: JsonObject, branches: readonly JsonObject[]): boolean {
  const { const: constant, format } = branch;
  if (constant === undefined || format === undefined) return false;
  return branches.some((other) => other['const'] === undefined && other['format'] === format);
}

function oneOfConstants(branches: readonly JsonObject[]): JsonObject | null {
  const values = branches.flatMap(constantsOf);
  const type = typeOf(values);
  return type === null || !branches.every((branch) => constantsOf(branch).length > 0) ? null : { type, enum: values };
}

function constantsOf(schema: JsonObject): readonly Json[] {
  const { const: constant } = schema;
  return constant === undefined ? listOf(schema['enum']) : [constant];
}

function typesOf(type: Json | undefined): readonly Json[] {
  return (typeof type === 'string' ? [type] : listOf(type)).filter((name) => name !== 'null');
}

/** The one type of constants; null where they have none in common. */
function typeOf(values: readonly Json[]): string | null {
  const [first] = values;
  if (!values.every((value) => typeof value === typeof first)) return null;
  if (typeof first === 'string' || typeof first === 'boolean') return typeof first;
  if (typeof first !== 'number') return null;
  return values.every(Number.isInteger) ? 'integer' : 'number';
}

/** An object of any names, whose values have one schema. */
function asMap(schema: JsonObject): JsonObject {
  const { propertyNames, patternProperties, ...beside } = schema;
  if (patternProperties !== undefined) {
    const [named, ...more] = Object.entries(objectOf(patternProperties));
    const isMap = named !== undefined && more.length === 0 && ANY_NAME.has(named[0]);
    return isMap ? { ...beside, additionalProperties: named[1] } : schema;
  }
  const { type, ...restrictions } = objectOf(propertyNames);
  return type === 'string' && Object.keys(restrictions).length === 0 ? beside : schema;
}

function withoutTypeBounds(schema: JsonObject): JsonObject {
  const { minimum, maximum, ...beside } = schema;
  return {
    ...beside,
    ...(minimum === undefined || (typeof minimum === 'number' && TYPE_BOUNDS.has(-minimum)) ? {} : { minimum }),
    ...(maximum === undefined || TYPE_BOUNDS.has(maximum) ? {} : { maximum }),
  };
}

/** Of a format and a pattern that say the same, the one that counts here. */
function withoutEcho(schema: JsonObject): JsonObject {
  const { format, pattern, ...beside } = schema;
  if (format === 'base64' && schema['contentEncoding'] === 'base64') return beside;
  if (typeof format !== 'string' || typeof pattern !== 'string') return schema;
  if (!FORMATS.has(format)) return { ...beside, pattern };
  const [samples, expression] = [SAMPLES[format] ?? [], readPattern(pattern)];
  const repeats = samples.length > 0 && expression !== null && samples.every((sample) => expression.test(sample));
  return repeats ? { ...beside, format } : schema;
}

/** Constants tell their type. */
function typed(schema: JsonObject): JsonObject {
  if (schema['type'] !== undefined) return schema;
  const type = typeOf(constantsOf(schema));
  return type === null ? schema : { type, ...schema };
}
