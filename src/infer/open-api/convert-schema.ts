import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { memberNames, type RenameMember } from '../field-name.ts';
import { withSource } from '../infer-schema.ts';
import { type MemberDraft, type SchemaDraft, simpleSchema } from '../model-draft.ts';
import { readArray, readNumber, readObject, readString, readStrings } from '../../model/values/access.ts';
import { formats } from '../../model/values/formats.ts';
import { patternProblem } from '../../model/values/pattern.ts';
import { referencedComponent, type DescribedApi } from './described-api.ts';

/** A converted schema, or why the model cannot express it. */
type Converted =
  | { readonly kind: 'schema'; readonly schema: SchemaDraft; readonly nullable: boolean }
  | { readonly kind: 'left-out'; readonly reason: string };

/** The members of a converted object, and what was left out of it. */
export interface ConvertedMembers {
  readonly members: readonly MemberDraft[];
  /** `price: anyOf` */
  readonly leftOut: readonly string[];
}

const MAX_DEPTH = 12;
/** Schemas inside one field. Schemas that refer to each other unfold to exponentially many. */
const MAX_SCHEMAS = 1000;
const MAX_DESCRIPTION = 200;
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const VARIABLE = /\$\{/;

/** Converts the schemas of one description. */
export class SchemaConverter {
  readonly #api: DescribedApi;
  /** The components that contain the schema that is being converted. */
  #open: readonly string[] = [];
  /** The schemas that were converted for the current field. */
  #count = 0;

  constructor(api: DescribedApi) {
    this.#api = api;
  }

  /** The members of an object schema. */
  members(schema: JsonObject, rename?: RenameMember): ConvertedMembers {
    const properties = Object.entries(readObject(schema['properties'])).filter(([name]) => !VARIABLE.test(name));
    const names = memberNames(
      properties.map(([name]) => name),
      rename,
    );
    const required = new Set(readStrings(schema['required']));
    const leftOut: string[] = [];
    const members = properties.flatMap(([source, value]): readonly MemberDraft[] => {
      const converted = this.convert(value, required.has(source));
      if (converted.kind === 'left-out') {
        leftOut.push(`${source}: ${converted.reason}`);
        return [];
      }
      const name = names.get(source) ?? source;
      const isRequired = required.has(source) && !converted.nullable && converted.schema.keywords['readOnly'] !== true;
      return [
        {
          name,
          required: isRequired,
          schema: name === source ? converted.schema : withSource(converted.schema, source),
        },
      ];
    });
    return { members, leftOut };
  }

  /** @param required whether the value is a required member, which a list with `minItems` must be */
  convert(value: Json | undefined, required: boolean): Converted {
    const component = referencedComponent(value);
    if (component !== null && this.#open.includes(component)) return omit('contains itself');
    if (this.#open.length > MAX_DEPTH) return omit('nested too deeply');
    const schema = this.#api.resolve(value);
    if (schema === null) return omit(component === null ? 'any value' : `${component} does not exist in this file`);
    const outer = this.#open;
    if (outer.length === 0) this.#count = 0;
    this.#count += 1;
    if (this.#count > MAX_SCHEMAS) return omit('too large');
    this.#open = [...outer, component ?? ''];
    const converted = this.#convertResolved(schema, required);
    this.#open = outer;
    // Which of its members were left out would depend on their order.
    return outer.length === 0 && this.#count > MAX_SCHEMAS ? omit('too large') : converted;
  }

  #convertResolved(schema: JsonObject, required: boolean): Converted {
    const variants = readArray(schema['oneOf'] ?? schema['anyOf']);
    if (variants.length > 0) return this.#convertVariants(variants, required);
    const parts = readArray(schema['allOf']);
    const merged = parts.length === 0 ? null : this.#api.objectSchema(schema);
    if (parts.length === 1 && merged === null) return withAnnotations(this.convert(parts[0], required), schema);
    if (parts.length > 0 && merged === null) return omit('allOf of values that are no objects');
    const whole = merged === null ? schema : { ...schema, ...merged };
    const types = readStrings(whole['type']);
    const nullable = whole['nullable'] === true || types.includes('null');
    const [type = impliedType(whole), another] = types.filter((each) => each !== 'null');
    if (another !== undefined) return omit('several types');
    const converted = this.#convertType(type, whole, required);
    return withAnnotations(converted.kind === 'schema' && nullable ? { ...converted, nullable } : converted, whole);
  }

  /** One variant and null is that variant, nullable. */
  #convertVariants(variants: readonly Json[], required: boolean): Converted {
    const others = variants.filter((each) => this.#api.resolve(each)?.['type'] !== 'null');
    const [only, another] = others;
    if (only === undefined || another !== undefined) return omit('oneOf or anyOf of several types');
    const converted = this.convert(only, required);
    return converted.kind === 'left-out' ? converted : { ...converted, nullable: others.length < variants.length };
  }

  #convertType(type: string, schema: JsonObject, required: boolean): Converted {
    switch (type) {
      case 'boolean':
        return ok(simpleSchema({ type, ...convertDefault(schema, 'boolean') }));
      case 'integer':
      case 'number':
        return ok(simpleSchema({ type, ...numberKeywords(schema, type) }));
      case 'string':
        return convertString(schema);
      case 'array':
        return this.#convertArray(schema, required);
      case 'object':
        return this.#convertObject(schema);
      default:
        return omit('any value');
    }
  }

  #convertArray(schema: JsonObject, required: boolean): Converted {
    const items = this.convert(schema['items'], false);
    if (items.kind === 'left-out') return omit(`list of: ${items.reason}`);
    const { minItems, maxItems, uniqueItems } = schema;
    const keywords = {
      type: 'array',
      ...(required ? convertCount('minItems', minItems) : {}),
      ...convertCount('maxItems', maxItems),
      ...(uniqueItems === true ? { uniqueItems } : {}),
    };
    return ok({ ...simpleSchema(keywords, items.schema.notes), items: convertElement(items.schema, items.nullable) });
  }

  #convertObject(schema: JsonObject): Converted {
    const additional = schema['additionalProperties'];
    if (Object.keys(readObject(schema['properties'])).length > 0) {
      const { members: fields, leftOut: missing } = this.members(schema);
      const members = fields.map(asInner);
      if (members.length === 0) return omit('no member can be expressed');
      const notes = missing.map((each) => `left out: ${each}`);
      return ok({ ...simpleSchema({ type: 'object' }, notes), members });
    }
    if (!isJsonObject(additional) || Object.keys(additional).length === 0) return omit('an object of any members');
    const values = this.convert(additional, false);
    if (values.kind === 'left-out') return omit(`map of: ${values.reason}`);
    return ok({
      ...simpleSchema({ type: 'object' }, values.schema.notes),
      values: convertElement(values.schema, values.nullable),
    });
  }
}

function ok(schema: SchemaDraft): Converted {
  return { kind: 'schema', schema, nullable: false };
}

function omit(reason: string): Converted {
  return { kind: 'left-out', reason };
}

function withAnnotations(converted: Converted, schema: JsonObject): Converted {
  return converted.kind === 'left-out' ? converted : { ...converted, schema: annotated(converted.schema, schema) };
}

function impliedType(schema: JsonObject): string {
  if ('properties' in schema || 'additionalProperties' in schema) return 'object';
  if ('items' in schema) return 'array';
  const values = readArray(schema['enum']).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'string') ? 'string' : '';
}

/** A member inside a field, to which access rules do not apply. */
function asInner(member: MemberDraft): MemberDraft {
  const { readOnly: _readOnly, writeOnly: _writeOnly, ...keywords } = member.schema.keywords;
  return { ...member, schema: { ...member.schema, keywords } };
}

/**
 * The items of a list or the values of a map, which have neither a default nor access rules. A list in a list cannot be
 * null.
 */
function convertElement(schema: SchemaDraft, nullable: boolean): SchemaDraft {
  const {
    default: _default,
    readOnly: _readOnly,
    writeOnly: _writeOnly,
    minItems: _minItems,
    ...keywords
  } = schema.keywords;
  const type = keywords['type'] ?? 'string';
  const isList = type === 'array';
  return { ...schema, notes: [], keywords: nullable && !isList ? { ...keywords, type: [type, 'null'] } : keywords };
}

function annotated(schema: SchemaDraft, { description, readOnly, writeOnly }: JsonObject): SchemaDraft {
  const text = (readString(description) ?? '').trim().split('\n')[0] ?? '';
  const isShown = text !== '' && text.length <= MAX_DESCRIPTION && !VARIABLE.test(text);
  const isDecided = 'readOnly' in schema.keywords || 'writeOnly' in schema.keywords;
  const declared = readOnly === true ? { readOnly } : writeOnly === true ? { writeOnly } : {};
  const access = isDecided ? {} : declared;
  return { ...schema, keywords: { ...schema.keywords, ...access, ...(isShown ? { description: text } : {}) } };
}

function convertString(schema: JsonObject): Converted {
  const format = readString(schema['format']);
  if (format === 'binary') return omit('a file');
  if (format === 'byte' || schema['contentEncoding'] === 'base64') {
    return ok(simpleSchema({ type: 'string', contentEncoding: 'base64' }));
  }
  const isKnown =
    format !== null &&
    (format === 'date-time' || format === 'decimal' || format === 'int64' || Object.hasOwn(formats, format));
  const notes = format === null || isKnown || format === 'password' ? [] : [`format ${format} is not checked`];
  const listed = convertEnum(schema, 'string');
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
  const isPlain = !isKnown && Object.keys(constraints).length === 0;
  const keywords = { type: 'string', ...(isKnown && !isListed ? { format } : {}), ...constraints, ...secret };
  return ok(simpleSchema({ ...keywords, ...(isPlain ? convertDefault(schema, 'string') : {}) }, notes));
}

function convertCount(keyword: string, value: Json | undefined): JsonObject {
  const count = readNumber(value);
  return count !== null && Number.isSafeInteger(count) && count >= 0 ? { [keyword]: count } : {};
}

/** Lengths that a value can have. */
function ordered(lengths: JsonObject): JsonObject {
  const [min, max] = [readNumber(lengths['minLength']) ?? 0, readNumber(lengths['maxLength']) ?? Infinity];
  return min <= max ? lengths : {};
}

function numberKeywords(schema: JsonObject, type: 'integer' | 'number'): JsonObject {
  const listed = convertEnum(schema, 'number');
  if ('enum' in listed) return type === 'number' || readArray(listed['enum']).every(Number.isSafeInteger) ? listed : {};
  const bounds = convertBounds(schema);
  return Object.keys(bounds).length > 0 ? bounds : convertDefault({ ...schema, type }, 'number');
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

function convertEnum(schema: JsonObject, type: 'string' | 'number'): JsonObject {
  const given = 'const' in schema ? [schema['const'] ?? null] : readArray(schema['enum']);
  const values = [...new Set(given.filter((value) => value !== null))];
  const isValid = values.length > 0 && values.every((value) => typeof value === type && isWritable(value));
  if (!isValid) return {};
  const { default: value = null } = schema;
  return { enum: values, ...(value !== null && values.includes(value) ? { default: value } : {}) };
}

/** True if a model can contain the value: no variable, and no integer that a double cannot express. */
function isWritable(value: Json): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  return typeof value !== 'string' || !VARIABLE.test(value);
}

function convertDefault(
  { default: value = null, type, enum: listed }: JsonObject,
  expected: 'boolean' | 'number' | 'string',
): JsonObject {
  if (listed !== undefined || typeof value !== expected || !isWritable(value)) return {};
  return type !== 'integer' || Number.isInteger(value) ? { default: value } : {};
}
