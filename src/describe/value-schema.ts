import type { Json, JsonObject } from '../conventions/json/json.ts';
import type { Member, Shape, ValueType } from '../model/model.ts';
import { toDigits, readNumber, readObject, readString, readStrings } from '../model/values/access.ts';
import { allowedValues } from '../model/values/assertion.ts';
import { readsUuids } from '../model/values/formats.ts';
import { storedForm } from '../model/values/stored-form.ts';

/**
 * The place of a value: in a response, in one that `fields` selected, in a request that has all values, or in a patch.
 * In responses every member is present (REP-4); in the others those that are required, and in a patch none.
 */
export type SchemaUse = 'response' | 'selection' | 'request' | 'patch';

/** A value, and whether its member is required. */
type DescribedShape = Shape & { readonly required?: boolean };

const ANNOTATIONS = ['title', 'description', 'deprecated'] as const;
const NUMBER_BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;

/**
 * The JSON Schema 2020-12 of a value, as the server checks it in requests and writes it in responses.
 *
 * @param declared the declared schema of the value, `$ref`s resolved
 */
export function valueSchema(shape: DescribedShape, declared: JsonObject, use: SchemaUse): JsonObject {
  const schema = {
    ...typeSchema(shape.type, declared, use),
    ...picked(declared, ANNOTATIONS),
    ...bounds(shape, declared),
  };
  return acceptsNull(shape, use) ? nullable(schema) : schema;
}

/** The schemas of the members of an object by name. Their declared schemas are in `declared.properties`. */
export function memberSchemas(members: readonly Member[], declared: JsonObject, use: SchemaUse): JsonObject {
  const properties = readObject(declared['properties']);
  return Object.fromEntries(
    members.map((member) => {
      const schema = valueSchema(member, readObject(properties[member.name]), use);
      const hasDefault = use === 'request' && member.default !== undefined;
      return [member.name, hasDefault ? { ...schema, default: member.default ?? null } : schema];
    }),
  );
}

/** The members that have to be present. */
export function requiredMembers(members: readonly Member[], use: SchemaUse): JsonObject {
  const required = members.filter((member) => isRequired(member, use)).map(({ name }) => name);
  return required.length === 0 ? {} : { required };
}

/** All types of JSON but null. With null, a schema of any JSON has no type. */
const ANY_TYPES = ['array', 'boolean', 'number', 'object', 'string'];

/** The schema with null as a further value. One without a type has it already. */
export function nullable(schema: JsonObject): JsonObject {
  const { type, ...others } = schema;
  const allowed = schema['enum'];
  if (type === undefined || readStrings(type).includes('null')) return schema;
  return {
    ...(type === ANY_TYPES ? {} : { type: [type, 'null'].flat() }),
    ...others,
    ...(Array.isArray(allowed) ? { enum: [...allowed, null] } : {}),
  };
}

function isRequired({ required, default: fallback }: Member, use: SchemaUse): boolean {
  return use === 'response' || (use === 'request' && required && fallback === undefined);
}

/**
 * True if a value may be null. Clients may send null for an unset array, which is stored as an empty array. In a
 * merge patch, null removes the value of a map.
 */
function acceptsNull({ type, nullable: isNullable, required }: DescribedShape, use: SchemaUse): boolean {
  const isRequest = use === 'request' || use === 'patch';
  return isNullable || (isRequest && type.kind === 'array' && required === false);
}

/** The types of an id in a body, where an integer is read as its digits (REP-4). */
export const SENT_ID = ['string', 'integer'];

function readsNumbers(type: Extract<ValueType, { kind: 'text' }>, declared: JsonObject, use: SchemaUse): boolean {
  return type.digits === true && (use === 'request' || use === 'patch') && allowedValues(declared) === null;
}

function typeSchema(type: ValueType, declared: JsonObject, use: SchemaUse): JsonObject {
  switch (type.kind) {
    case 'text': {
      const format = type.format === null ? {} : { format: type.format };
      const lengths = picked(declared, ['minLength', 'maxLength', 'pattern']);
      const allowed = readsUuids(type) ? storedEnum(type, declared, use) : enumKeyword(allowedValues(declared));
      return { type: readsNumbers(type, declared, use) ? SENT_ID : 'string', ...format, ...lengths, ...allowed };
    }
    case 'integer':
      return { type: 'integer', ...safeBounds(declared), ...enumKeyword(allowedValues(declared)) };
    case 'number':
      return {
        type: 'number',
        format: 'double',
        ...picked(declared, NUMBER_BOUNDS),
        ...enumKeyword(allowedValues(declared)),
      };
    case 'boolean':
      return { type: 'boolean', ...enumKeyword(allowedValues(declared)) };
    case 'date-time':
      return { type: 'string', format: 'date-time', ...storedEnum(type, declared, use) };
    case 'decimal':
      return { type: 'string', format: 'decimal', pattern: decimalPattern(type), ...storedEnum(type, declared, use) };
    case 'int64':
      return { type: 'string', pattern: '^-?0*[0-9]{1,19}$', ...storedEnum(type, declared, use) };
    case 'binary':
      return { type: 'string', ...binaryKeywords(type.mediaType), ...picked(declared, ['minLength', 'maxLength']) };
    case 'json':
      return { type: ANY_TYPES, ...enumKeyword(allowedValues(declared)) };
    case 'object':
    case 'map':
    case 'array':
      return containerSchema(type, declared, use);
  }
}

function containerSchema(
  type: Extract<ValueType, { kind: 'object' | 'map' | 'array' }>,
  declared: JsonObject,
  use: SchemaUse,
): JsonObject {
  switch (type.kind) {
    case 'object':
      return {
        type: 'object',
        ...requiredMembers(type.members, use),
        properties: memberSchemas(type.members, declared, use),
        ...(use === 'request' || use === 'patch' ? { additionalProperties: false } : {}),
      };
    case 'map': {
      const value = valueSchema(type.value, readObject(declared['additionalProperties']), use);
      return {
        type: 'object',
        additionalProperties: use === 'patch' ? nullable(value) : value,
        ...picked(declared, ['minProperties', 'maxProperties']),
      };
    }
    case 'array':
      return {
        type: 'array',
        items: valueSchema(
          type.item,
          readObject(declared['items']),
          use === 'response' || use === 'selection' ? 'response' : 'request',
        ),
        ...picked(declared, ['minItems', 'maxItems', 'uniqueItems']),
      };
  }
}

function binaryKeywords(mediaType: string | null): JsonObject {
  const media = mediaType === null ? {} : { contentMediaType: mediaType };
  return { contentEncoding: 'base64', ...media, pattern: '^[A-Za-z0-9+/]*={0,2}$' };
}

/** Zeros before and after the digits that count are accepted. */
function decimalPattern({ precision, scale }: Extract<ValueType, { kind: 'decimal' }>): string {
  if (precision === null || scale === null) return '^-?[0-9]+(\\.[0-9]+)?$';
  const whole = precision === scale ? '0+' : `0*[0-9]{1,${precision - scale}}`;
  return scale === 0 ? `^-?${whole}(\\.0+)?$` : `^-?${whole}(\\.[0-9]{1,${scale}}0*)?$`;
}

/** Integers are safe integers (REP-7). */
function safeBounds(declared: JsonObject): JsonObject {
  const exclusive = picked(declared, ['exclusiveMinimum', 'exclusiveMaximum']);
  return {
    minimum: Math.max(readNumber(declared['minimum']) ?? -Infinity, Number.MIN_SAFE_INTEGER),
    maximum: Math.min(readNumber(declared['maximum']) ?? Infinity, Number.MAX_SAFE_INTEGER),
    ...exclusive,
  };
}

function enumKeyword(allowed: readonly Json[] | null): JsonObject {
  return allowed === null ? {} : { enum: allowed };
}

/** Values that compare by value have several spellings, of which responses have one. */
function storedEnum(type: ValueType, declared: JsonObject, use: SchemaUse): JsonObject {
  if (use === 'request' || use === 'patch') return {};
  const form = storedForm({ type, nullable: false });
  return enumKeyword(allowedValues(declared)?.map(form) ?? null);
}

/** JSON Schema has no bounds for strings that are numbers: words say them. */
function bounds({ type }: Shape, declared: JsonObject): JsonObject {
  if (type.kind !== 'decimal' && type.kind !== 'int64') return {};
  const words = {
    minimum: 'at least',
    maximum: 'at most',
    exclusiveMinimum: 'more than',
    exclusiveMaximum: 'less than',
  };
  const parts = NUMBER_BOUNDS.flatMap((keyword) => {
    const digits = toDigits(declared[keyword]);
    return digits === null ? [] : [`${words[keyword]} ${digits}`];
  });
  if (parts.length === 0) return {};
  const text = readString(declared['description']);
  const bound = `The number is ${parts.join(' and ')}.`;
  return { description: text === null ? bound : `${text} ${bound}` };
}

function picked(declared: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(
    keywords.flatMap((keyword) => {
      const value = declared[keyword];
      return value === undefined ? [] : [[keyword, value]];
    }),
  );
}
