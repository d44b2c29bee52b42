import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { storedDateTime } from './date-time.ts';
import { readArray, toDigits, readNumber, readObject, readString } from './access.ts';
import { compareNumbers, decimalError, storedInt64 } from './exact-number.ts';
import type { Member, Shape, ValueType } from '../model.ts';
import { type BoundedPattern, compilePattern } from './pattern.ts';
import { readsUuids } from './formats.ts';
import { storedForm, type StoredForm } from './stored-form.ts';
import type { Assertion, ValueCheck } from './validator.ts';
import { describeAllowed, formatValue } from './messages.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** The spare bits of the last character before the padding are zero (RFC 4648, section 3.5). */
const BASE64_END = /(?:^|[AQgw]==|[AEIMQUYcgkosw048]=|[^=])$/;

/**
 * The schema that the validator checks: the declared schema and what the conventions add to it. An optional value may
 * be null and objects are closed (REP-4, REP-5). Integers are safe integers (REP-7). Bounds and enums of decimals,
 * int64 and timestamps are compared by value. Items of an array with `uniqueItems` differ in their stored form.
 *
 * @param schema the declared schema of the value, `$ref`s resolved
 */
export function assertShape(shape: Shape, schema: JsonObject): Assertion {
  const assertion = typeAssertion(shape.type, schema);
  if (!acceptsNull(shape)) return assertion;
  const nullable: Record<string, unknown> = { ...assertion, type: [assertion['type'], 'null'].flat() };
  if (Array.isArray(nullable['enum'])) nullable['enum'] = [...nullable['enum'], null];
  return nullable;
}

/** The assertions of an object's members by name. Their declared schemas are in `schema.properties`. */
export function memberAssertions(members: readonly Member[], schema: JsonObject): Readonly<Record<string, Assertion>> {
  const properties = readObject(schema['properties']);
  return Object.fromEntries(
    members.map((member) => [member.name, assertShape(member, readObject(properties[member.name]))]),
  );
}

/** Clients may send null for an unset array, which is stored as an empty array. */
function acceptsNull(shape: Shape & { readonly required?: boolean }): boolean {
  return shape.nullable || (shape.type.kind === 'array' && shape.required === false);
}

function typeAssertion(type: ValueType, schema: JsonObject): Assertion {
  switch (type.kind) {
    case 'text':
      return {
        type: 'string',
        ...numbers(schema, ['minLength', 'maxLength']),
        ...(readsUuids(type) ? assertUuid(type, schema) : { ...assertPattern(schema), ...assertEnum(schema) }),
        ...(type.format === null ? {} : { format: type.format }),
      };
    case 'integer':
      return { type: 'integer', ...bounds(schema), ...safeBounds(schema), ...assertEnum(schema) };
    case 'number':
      return { type: 'number', ...bounds(schema), ...assertEnum(schema) };
    case 'boolean':
      return { type: 'boolean', ...assertEnum(schema) };
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
      const additionalProperties = assertShape(type.value, readObject(schema['additionalProperties']));
      return { type: 'object', additionalProperties, ...numbers(schema, ['minProperties', 'maxProperties']) };
    }
    case 'array':
      return arrayAssertion(type.item, schema);
    case 'json':
      return { type: ['object', 'array', 'string', 'number', 'boolean'], ...assertEnum(schema) };
  }
}

function arrayAssertion(item: Shape, schema: JsonObject): Assertion {
  const items = assertShape(item, readObject(schema['items']));
  const distinct = schema['uniqueItems'] === true ? { 'x-check': duplicateError(storedForm(item)) } : {};
  return { type: 'array', items, ...numbers(schema, ['minItems', 'maxItems']), ...distinct };
}

/** The keywords that are declared as numbers. Other values are reported elsewhere. */
function numbers(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(
    keywords.flatMap((keyword) => {
      const bound = readNumber(schema[keyword]);
      return bound === null ? [] : [[keyword, bound]];
    }),
  );
}

function bounds(schema: JsonObject): JsonObject {
  return numbers(schema, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);
}

function assertPattern(schema: JsonObject): { readonly 'x-pattern'?: BoundedPattern } {
  const source = readString(schema['pattern']);
  const pattern = source === null ? null : compilePattern(source);
  if (pattern === null) return {};
  const [minLength, maxLength] = [readNumber(schema['minLength']) ?? 0, readNumber(schema['maxLength']) ?? Infinity];
  return { 'x-pattern': { pattern, minLength, maxLength } };
}

/** Judges a UUID by its value: a pattern and an enum may be in another case than it. */
function assertUuid(type: Extract<ValueType, { kind: 'text' }>, schema: JsonObject): Assertion {
  const form = storedForm({ type, nullable: false });
  const allowed = allowedValues(schema)?.map(form) ?? null;
  const isAllowed: ValueCheck = (value) =>
    allowed === null || allowed.includes(form(value)) ? null : describeAllowed(allowed);
  const { 'x-pattern': bounded } = assertPattern(schema);
  const check = allowed === null ? {} : { 'x-check': isAllowed };
  if (bounded === undefined) return check;
  const exact = bounded.pattern;
  const test = (text: string): boolean =>
    [text, text.toLowerCase(), text.toUpperCase()].some((each) => exact.test(each));
  const pattern = { source: exact.source, test };
  return { ...check, 'x-pattern': { ...bounded, pattern } };
}

function safeBounds(schema: JsonObject): JsonObject {
  return {
    minimum: Math.max(readNumber(schema['minimum']) ?? -Infinity, Number.MIN_SAFE_INTEGER),
    maximum: Math.min(readNumber(schema['maximum']) ?? Infinity, Number.MAX_SAFE_INTEGER),
  };
}

function assertEnum(schema: JsonObject): JsonObject {
  const values = allowedValues(schema);
  return values === null ? {} : { enum: values };
}

/** The declared `enum` or `const` of a schema, without null; null if there is none. */
export function allowedValues(schema: JsonObject): readonly Json[] | null {
  const values = 'const' in schema ? [schema['const'] ?? null] : readArray(schema['enum']);
  const allowed = values.filter((value) => value !== null);
  return allowed.length === 0 ? null : allowed;
}

/**
 * Checks types that JSON represents as strings and that compare by value: first the format, then the bounds, then the
 * enum.
 */
function valueCheck(
  type: Extract<ValueType, { kind: 'date-time' | 'decimal' | 'int64' }>,
  schema: JsonObject,
): ValueCheck {
  const form = storedForm({ type, nullable: false });
  const allowed = allowedValues(schema)?.map(form) ?? null;
  const findFormatError = formatError(type);
  return (value) => {
    if (typeof value !== 'string') return null;
    const error = findFormatError(value) ?? (type.kind === 'date-time' ? null : boundError(value, schema));
    if (error !== null) return error;
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
      return (text) => (storedInt64(text) === null ? 'must be an integer from -2^63 to 2^63-1, as a string' : null);
  }
}

function boundError(text: string, schema: JsonObject): string | null {
  const compareTo = (keyword: string): number | null => {
    const bound = toDigits(schema[keyword]);
    return bound === null ? null : compareNumbers(text, bound);
  };
  const describe = (keyword: string, relation: string): string =>
    `must be ${relation} ${formatValue(schema[keyword] ?? null)}`;
  if ((compareTo('minimum') ?? 0) < 0) return describe('minimum', 'at least');
  if ((compareTo('maximum') ?? 0) > 0) return describe('maximum', 'at most');
  if ((compareTo('exclusiveMinimum') ?? 1) <= 0) return describe('exclusiveMinimum', 'greater than');
  if ((compareTo('exclusiveMaximum') ?? -1) >= 0) return describe('exclusiveMaximum', 'less than');
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
      const text = canonicalJson(form(item));
      const first = seen.get(text);
      if (first !== undefined) return `must not contain duplicate items: [${first}] and [${index}] are equal`;
      seen.set(text, index);
    }
    return null;
  };
}

/** JSON with sorted members: the same string for equal values. */
function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_, held: Json) =>
    isJsonObject(held) ? Object.fromEntries(Object.entries(held).sort(([a], [b]) => (a < b ? -1 : 1))) : held,
  );
}
