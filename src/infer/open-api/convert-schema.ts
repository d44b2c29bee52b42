import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { memberNames, type RenameMember } from '../field-name.ts';
import { withSource } from '../infer-schema.ts';
import { type MemberDraft, type SchemaDraft, simpleSchema } from '../model-draft.ts';
import { readArray, readNumber, readObject, readString, readStrings } from '../../model/values/access.ts';
import { convertCount, convertDefault, convertNumber, convertString, enumNotes, enumValues } from './convert-scalar.ts';
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
    if (variants.length > 0) return withAnnotations(this.#convertVariants(variants, required), schema);
    const parts = readArray(schema['allOf']);
    const merged = parts.length === 0 ? null : this.#api.objectSchema(schema);
    if (parts.length > 0 && merged === null) return this.#convertParts(schema, parts, required);
    const whole = merged === null ? schema : { ...schema, ...merged };
    const types = readStrings(whole['type']);
    const nullable = whole['nullable'] === true || whole['x-nullable'] === true || types.includes('null');
    const [type = impliedType(whole), another] = types.filter((each) => each !== 'null');
    if (another !== undefined) return omit('several types');
    const converted = this.#convertType(type, whole, required);
    return withAnnotations(converted.kind === 'schema' && nullable ? { ...converted, nullable } : converted, whole);
  }

  /** The parts of a value that is no object, of which often one alone has a type. */
  #convertParts({ allOf: _parts, ...own }: JsonObject, parts: readonly Json[], required: boolean): Converted {
    const [first, ...further] = parts.filter((each) => !isAnnotation(this.#api.resolve(each)));
    const annotations: JsonObject = Object.assign({}, ...parts.map((each) => this.#api.resolve(each)), own);
    if (first === undefined) return omit('any value');
    if (further.length > 0) return omit('allOf of values that are no objects');
    return withAnnotations(this.convert(first, required), annotations);
  }

  /** One variant and null is that variant, nullable. Several constants are an enum. */
  #convertVariants(variants: readonly Json[], required: boolean): Converted {
    const others = variants.filter((each) => this.#api.resolve(each)?.['type'] !== 'null');
    const [only, another] = others;
    const constants = others.flatMap((each) => this.#api.resolve(each)?.['const'] ?? []);
    if (another !== undefined && constants.length === others.length) {
      return this.convert({ enum: constants, nullable: others.length < variants.length }, required);
    }
    if (only === undefined || another !== undefined) return omit('oneOf or anyOf of several types');
    const converted = this.convert(only, required);
    return converted.kind === 'left-out' ? converted : { ...converted, nullable: others.length < variants.length };
  }

  #convertType(type: string, schema: JsonObject, required: boolean): Converted {
    switch (type) {
      case 'boolean':
        return ok(simpleSchema({ type, ...convertDefault(schema, type) }, enumNotes(schema, {})));
      case 'integer':
      case 'number':
        return ok(convertNumber(schema, type));
      case 'string':
        return convertText(schema);
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
    const { minItems, maxItems, uniqueItems, default: value } = schema;
    const least = convertCount('minItems', minItems);
    const isBounded = required || (readNumber(minItems) ?? 0) === 0;
    const keywords = {
      type: 'array',
      ...(required ? least : {}),
      ...convertCount('maxItems', maxItems),
      ...(uniqueItems === true ? { uniqueItems } : {}),
      ...(Array.isArray(value) ? { default: value } : {}),
    };
    const notes = isBounded ? [] : [`minItems ${readNumber(minItems)} is not checked where the list is absent`];
    return ok({
      ...simpleSchema(keywords, [...notes, ...items.schema.notes]),
      items: convertElement(items.schema, items.nullable),
    });
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
  const values = enumValues(schema);
  const [type, another] = new Set(values.map((value) => typeof value));
  if (another !== undefined || (type !== 'string' && type !== 'number' && type !== 'boolean')) return '';
  return type === 'number' && values.every(Number.isSafeInteger) ? 'integer' : type;
}

const ANNOTATIONS =
  /^(?:title|description|examples?|default|deprecated|nullable|readOnly|writeOnly|xml|externalDocs|x-.*)$/;

/** Checks if a schema says nothing about values. */
function isAnnotation(schema: JsonObject | null): boolean {
  return schema !== null && Object.keys(schema).every((keyword) => ANNOTATIONS.test(keyword));
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

function convertText(schema: JsonObject): Converted {
  const draft = convertString(schema);
  return draft === null ? omit('a file') : ok(draft);
}
