import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { readArray, readNumber, readString } from '../../model/values/access.ts';
import { formats } from '../../model/values/formats.ts';
import { patternProblem } from '../../model/values/pattern.ts';
import { type SchemaDraft, simpleSchema } from '../model-draft.ts';

const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const VARIABLE = /\$\{/;

/** The draft of a string; null for a file. */
export function convertString(schema: JsonObject): SchemaDraft | null {
  const format = readString(schema['format']);
  if (format === 'binary') return null;
  if (format === 'byte' || schema['contentEncoding'] === 'base64') {
    return simpleSchema({ type: 'string', contentEncoding: 'base64' });
  }
  const isKnown =
    format !== null &&
    (format === 'date-time' || format === 'decimal' || format === 'int64' || Object.hasOwn(formats, format));
  const notes = format === null || isKnown || format === 'password' ? [] : [`format ${format} is not checked`];
  const listed = convertEnum(schema, 'string');
  notes.push(...enumNotes(schema, listed));
  const isText = !isKnown || Object.hasOwn(formats, format);
  const lengths = isText
    ? { ...convertCount('minLength', schema['minLength']), ...convertCount('maxLength', schema['maxLength']) }
    : {};
  const pattern = readString(schema['pattern']);
  const hasPattern = isText && pattern !== null && patternProblem(pattern) === null && !VARIABLE.test(pattern);
  if (pattern !== null && !hasPattern) notes.push('its pattern is not supported');
  const isListed = 'enum' in listed;
  const constraints = isListed ? listed : { ...ordered(lengths), ...(hasPattern ? { pattern } : {}) };
  const secret = format === 'password' ? { writeOnly: true } : {};
  const keywords = { type: 'string', ...(isKnown && !isListed ? { format } : {}), ...constraints, ...secret };
  return simpleSchema({ ...keywords, ...(isListed ? {} : convertDefault(schema, 'string')) }, notes);
}

/** A number of characters or items. */
export function convertCount(keyword: string, value: Json | undefined): JsonObject {
  const count = readNumber(value);
  return count !== null && Number.isSafeInteger(count) && count >= 0 ? { [keyword]: count } : {};
}

/** Lengths that a value can have. */
function ordered(lengths: JsonObject): JsonObject {
  const [min, max] = [readNumber(lengths['minLength']) ?? 0, readNumber(lengths['maxLength']) ?? Infinity];
  return min <= max ? lengths : {};
}

/** The draft of a number. */
export function convertNumber(schema: JsonObject, type: 'integer' | 'number'): SchemaDraft {
  const { multipleOf } = schema;
  const step = multipleOf === undefined || (type === 'integer' && multipleOf === 1) ? null : multipleOf;
  const notes = step === null ? [] : [`multipleOf ${JSON.stringify(step)} is not checked`];
  const listed = convertEnum(schema, type);
  if ('enum' in listed) return simpleSchema({ type, ...listed }, notes);
  const keywords = { type, ...convertBounds(schema), ...convertDefault(schema, type) };
  return simpleSchema(keywords, [...notes, ...enumNotes(schema, listed)]);
}

/** The bounds of a number. In OpenAPI 3.0, `exclusiveMinimum: true` makes `minimum` exclusive. */
function convertBounds(schema: JsonObject): JsonObject {
  const bounds: Record<string, Json> = {};
  for (const keyword of BOUNDS) {
    const bound = readNumber(schema[keyword]);
    if (bound === null || !isWritable(bound)) continue;
    const exclusive = keyword === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
    bounds[schema[exclusive] === true ? exclusive : keyword] = bound;
  }
  const [low, high] = [readNumber(bounds['minimum'] ?? null), readNumber(bounds['maximum'] ?? null)];
  return low !== null && high !== null && low > high ? {} : bounds;
}

type EnumType = 'string' | 'integer' | 'number';

/** The allowed values of a schema, without null. */
export function enumValues(schema: JsonObject): readonly Json[] {
  const given = 'const' in schema ? [schema['const'] ?? null] : readArray(schema['enum']);
  return [...new Set(given.filter((value) => value !== null))];
}

/** The allowed values and the default. Values of another type are those that the same text is in this one. */
function convertEnum(schema: JsonObject, type: EnumType): JsonObject {
  const values = enumValues(schema).map((value) => ofType(value, type));
  const isValid = values.length > 0 && values.every((value) => value !== null && isWritable(value));
  if (!isValid) return {};
  const value = ofType(schema['default'] ?? null, type);
  return { enum: [...new Set(values)], ...(value !== null && values.includes(value) ? { default: value } : {}) };
}

function ofType(value: Json, type: EnumType): Json {
  if (type === 'string') return typeof value === 'object' ? null : String(value);
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return null;
  return type === 'integer' && !Number.isSafeInteger(number) ? null : number;
}

/** The comment on allowed values that a model cannot express. */
export function enumNotes(schema: JsonObject, listed: JsonObject): readonly string[] {
  return 'enum' in listed || enumValues(schema).length === 0 ? [] : ['its enum is not checked'];
}

/** True if a model can contain the value: no variable, and no integer that a double cannot express. */
function isWritable(value: Json): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  return typeof value !== 'string' || !VARIABLE.test(value);
}

/** The default of a schema without an enum. A value of another type is left out, as a server would refuse it. */
export function convertDefault({ default: value = null }: JsonObject, type: EnumType | 'boolean'): JsonObject {
  const expected = type === 'integer' ? 'number' : type;
  if (typeof value !== expected || !isWritable(value)) return {};
  return type !== 'integer' || Number.isInteger(value) ? { default: value } : {};
}
