import { isJsonObject, type Json, type JsonObject } from '../../conventions/json.ts';
import { storedDateTime } from './date-time.ts';
import { digitsOf, listOf, numberOf, objectOf, stringOf } from './access.ts';
import { compareNumbers, decimalError, storedInt64 } from './exact-number.ts';
import { readPattern } from '../compile/keywords.ts';
import type { Member, Shape, ValueType } from '../model.ts';
import { storedForm, type StoredForm } from './stored-form.ts';
import type { Assertion, ValueCheck } from './validator.ts';
import { quoteValue, describeAllowed } from './messages.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** The last character before the padding, whose spare bits are zero (RFC 4648 3.5). */
const BASE64_END = /(?:^|[AQgw]==|[AEIMQUYcgkosw048]=|[^=])$/;

/**
 * What a value of a shape has to hold, for the validator: the declared schema with what the conventions add to it. An
 * optional value may be null and objects are closed (REP-4, REP-5); integers are safe ones (REP-7); decimals, int64 and
 * timestamps are bounded and listed by value; a list's items are distinct by their stored form.
 *
 * @param schema the declared schema of the value, `$ref`s resolved
 */
export function assertionOf(shape: Shape, schema: JsonObject): Assertion {
  const assertion = typeAssertion(shape.type, schema);
  if (!acceptsNull(shape)) return assertion;
  const nullable: Record<string, unknown> = { ...assertion, type: [assertion['type'], 'null'] };
  if (Array.isArray(nullable['enum'])) nullable['enum'] = [...nullable['enum'], null];
  return nullable;
}

/** The assertions of an object's members by name; the declared ones are in `schema.properties`. */
export function memberAssertions(members: readonly Member[], schema: JsonObject): Readonly<Record<string, Assertion>> {
  const properties = objectOf(schema['properties']);
  return Object.fromEntries(
    members.map((member) => [member.name, assertionOf(member, objectOf(properties[member.name]))]),
  );
}

/** An unset list is sent as null too, though it is stored as an empty one. */
function acceptsNull(shape: Shape & { readonly required?: boolean }): boolean {
  return shape.nullable || (shape.type.kind === 'array' && shape.required === false);
}

function typeAssertion(type: ValueType, schema: JsonObject): Assertion {
  switch (type.kind) {
    case 'text':
      return {
        type: 'string',
        ...numbers(schema, ['minLength', 'maxLength']),
        ...patternOf(schema),
        ...listed(schema),
        ...(type.format === null ? {} : { format: type.format }),
      };
    case 'integer':
      return { type: 'integer', ...bounds(schema), ...safeBounds(schema), ...listed(schema) };
    case 'number':
      return { type: 'number', ...bounds(schema), ...listed(schema) };
    case 'boolean':
      return { type: 'boolean', ...listed(schema) };
    case 'date-time':
    case 'decimal':
    case 'int64':
      return { type: 'string', 'x-check': valueCheck(type, schema) };
    case 'binary':
      return { type: 'string', ...numbers(schema, ['minLength', 'maxLength']), 'x-check': base64Error };
    case 'object':
      return {
        type: 'object',
        properties: memberAssertions(type.members, schema),
        required: type.members
          .filter((member) => member.required && member.default === undefined)
          .map(({ name }) => name),
        additionalProperties: false,
      };
    case 'map': {
      const additionalProperties = assertionOf(type.value, objectOf(schema['additionalProperties']));
      return { type: 'object', additionalProperties, ...numbers(schema, ['minProperties', 'maxProperties']) };
    }
    case 'array':
      return arrayAssertion(type.item, schema);
  }
}

function arrayAssertion(item: Shape, schema: JsonObject): Assertion {
  const items = assertionOf(item, objectOf(schema['items']));
  const distinct = schema['uniqueItems'] === true ? { 'x-check': duplicateError(storedForm(item)) } : {};
  return { type: 'array', items, ...numbers(schema, ['minItems', 'maxItems']), ...distinct };
}

/** The bounds among the keywords. What is no number is a fault of the model, announced elsewhere. */
function numbers(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(
    keywords.flatMap((keyword) => {
      const bound = numberOf(schema[keyword]);
      return bound === null ? [] : [[keyword, bound]];
    }),
  );
}

function bounds(schema: JsonObject): JsonObject {
  return numbers(schema, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);
}

function patternOf(schema: JsonObject): JsonObject {
  const pattern = stringOf(schema['pattern']);
  return pattern === null || readPattern(pattern) === null ? {} : { pattern };
}

function safeBounds(schema: JsonObject): JsonObject {
  return {
    minimum: Math.max(numberOf(schema['minimum']) ?? -Infinity, Number.MIN_SAFE_INTEGER),
    maximum: Math.min(numberOf(schema['maximum']) ?? Infinity, Number.MAX_SAFE_INTEGER),
  };
}

/** The values that a schema lists; null is added where it may be. */
function listed(schema: JsonObject): JsonObject {
  const values = allowedValues(schema);
  return values === null ? {} : { enum: values };
}

function allowedValues(schema: JsonObject): readonly Json[] | null {
  const values = 'const' in schema ? [schema['const'] ?? null] : listOf(schema['enum']);
  const given = values.filter((value) => value !== null);
  return given.length === 0 ? null : given;
}

/** Checks what travels as text and counts by value: the form first, then the bounds, then the list. */
function valueCheck(
  type: Extract<ValueType, { kind: 'date-time' | 'decimal' | 'int64' }>,
  schema: JsonObject,
): ValueCheck {
  const form = storedForm({ type, nullable: false });
  const allowed = allowedValues(schema)?.map(form) ?? null;
  const formFault = formatError(type);
  return (value) => {
    if (typeof value !== 'string') return null;
    const fault = formFault(value) ?? (type.kind === 'date-time' ? null : boundError(value, schema));
    if (fault !== null) return fault;
    return allowed === null || allowed.includes(form(value)) ? null : describeAllowed(allowed);
  };
}

function formatError(
  type: Extract<ValueType, { kind: 'date-time' | 'decimal' | 'int64' }>,
): (text: string) => string | null {
  switch (type.kind) {
    case 'date-time':
      return (text) =>
        storedDateTime(text) === null ? 'must be a date and time with an offset, such as 2026-05-17T09:30:00Z' : null;
    case 'decimal':
      return (text) => decimalError(text, type);
    case 'int64':
      return (text) => (storedInt64(text) === null ? 'must be an integer in text, from -2^63 to 2^63-1' : null);
  }
}

function boundError(text: string, schema: JsonObject): string | null {
  const against = (keyword: string): number | null => {
    const bound = digitsOf(schema[keyword]);
    return bound === null ? null : compareNumbers(text, bound);
  };
  const tell = (keyword: string, words: string): string => `must be ${words} ${quoteValue(schema[keyword] ?? null)}`;
  if ((against('minimum') ?? 0) < 0) return tell('minimum', 'at least');
  if ((against('maximum') ?? 0) > 0) return tell('maximum', 'at most');
  if ((against('exclusiveMinimum') ?? 1) <= 0) return tell('exclusiveMinimum', 'greater than');
  if ((against('exclusiveMaximum') ?? -1) >= 0) return tell('exclusiveMaximum', 'less than');
  return null;
}

function base64Error(value: Json): string | null {
  const valid =
    typeof value !== 'string' || (value.length % 4 === 0 && BASE64.test(value) && BASE64_END.test(value.slice(-4)));
  return valid ? null : 'must be base64 with padding (RFC 4648, section 4)';
}

function duplicateError(form: StoredForm): ValueCheck {
  return (value) => {
    const seen = new Map<string, number>();
    for (const [index, item] of Array.isArray(value) ? value.entries() : []) {
      const text = canonicalText(form(item));
      const before = seen.get(text);
      if (before !== undefined) return `must not hold the same item twice: [${before}] and [${index}] are equal`;
      seen.set(text, index);
    }
    return null;
  };
}

/** Equal for equal values, whatever the order of their members. */
function canonicalText(value: Json): string {
  return JSON.stringify(value, (_, held: Json) =>
    isJsonObject(held) ? Object.fromEntries(Object.entries(held).sort(([a], [b]) => (a < b ? -1 : 1))) : held,
  );
}
