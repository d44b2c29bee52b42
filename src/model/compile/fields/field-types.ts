import { isJsonObject, type Json } from '../../../conventions/json/json.ts';
import { closestMatch } from '../../../conventions/text/closest-match.ts';
import type { CompileContext } from '../../document/compile-context.ts';
import type { Member, Shape, TextFormat, ValueType } from '../../model.ts';
import { readNumber, readObject, readString, readStrings } from '../../values/access.ts';
import { formats } from '../../values/formats.ts';
import { checkEnum, checkKeywords, compileDefault } from './keywords.ts';

/**
 * A place that a schema describes: a field of a resource, an item of an array field, or a place inside of a field. An
 * `element` is another item or a value of a map, a `member` one of an object; `inner` is what is not stored.
 */
type SchemaLevel = 'field' | 'item' | 'element' | 'member' | 'inner';

const ANY_STRING: ValueType = { kind: 'text', format: null };
const MEMBER_NAME = /^[a-z][a-z0-9_]*$/;
/** Names that bodies may not contain (REP-7). */
const UNSAFE_NAMES: ReadonlySet<string> = new Set(['constructor', 'prototype']);

/** Keywords of fields, which values inside a field cannot have. Members have former names, and items references. */
const FIELD_KEYWORDS = [
  'readOnly',
  'writeOnly',
  'x-immutable',
  'x-unique',
  'x-references',
  'x-was',
  'x-shown-once',
  'x-default',
  'x-override',
];

/**
 * Compiles a schema and reports its problems. A schema that cannot be compiled counts as any string, so that the rest
 * can still be checked.
 *
 * @param schema its `$ref`s are resolved
 */
export function compileShape(schema: CompileContext, level: SchemaLevel): Shape {
  const { declared, path, report } = schema;
  checkLevel(schema, level);
  const nullable = readStrings(declared['type']).includes('null');
  const type = compileType(schema, level);
  if (type === null) return { type: ANY_STRING, nullable };
  checkKeywords(type.kind, schema);
  if (nullable && type.kind === 'array') {
    report([...path, 'type'], 'an array cannot be null', "remove 'null' from type: an unset array is empty");
  }
  const shape = { type, nullable: nullable && type.kind !== 'array' };
  checkEnum(shape, schema);
  return shape;
}

/**
 * Compiles the members of an object, in declared order (REP-4).
 *
 * @param level the level of each member
 */
export function compileMembers({ declared, path, report }: CompileContext, level: SchemaLevel): readonly Member[] {
  const properties = readObject(declared['properties']);
  const required = readStrings(declared['required']);
  for (const [index, name] of required.entries()) {
    if (Object.hasOwn(properties, name)) continue;
    const meant = closestMatch(name, Object.keys(properties));
    const fix = meant === null ? 'declare it under properties' : `write ${meant}, or declare it under properties`;
    report([...path, 'required', index], `there is no property ${name}`, fix);
  }
  return Object.entries(properties).map(([name, schema]) => {
    const member = { declared: readObject(schema), path: [...path, 'properties', name], report };
    checkName(name, member);
    return compileMember(name, member, required.includes(name), level);
  });
}

function compileMember(name: string, schema: CompileContext, required: boolean, level: SchemaLevel): Member {
  const { declared, path, report } = schema;
  const shape = compileShape(schema, level);
  const isArray = shape.type.kind === 'array';
  if (isArray && !required && (readNumber(declared['minItems']) ?? 0) > 0) {
    const fix = 'make it required, or remove minItems';
    report([...path, 'minItems'], 'minItems conflicts with an optional array, which is empty when unset', fix);
  }
  const nullable = !isArray && (shape.nullable || !required);
  const value = compileDefault({ ...shape, nullable }, schema);
  return { name, type: shape.type, nullable, required, ...(value === undefined ? {} : { default: value }) };
}

/** Returns null unless there is exactly one type. The document schema reports unknown types. */
function compileType(schema: CompileContext, level: SchemaLevel): ValueType | null {
  const { declared, path, report } = schema;
  const names = readStrings(declared['type']).filter((name) => name !== 'null');
  const [name = ''] = names;
  if (names.length !== 1) {
    if (declared['type'] === undefined) report(path, 'the schema has no type', 'add one, such as type: string');
    else report([...path, 'type'], 'the schema must have exactly one type', "write one type, optionally with 'null'");
    return null;
  }
  switch (name) {
    case 'string':
      return compileString(schema);
    case 'integer':
    case 'number':
    case 'boolean':
    case 'json':
      return { kind: name };
    case 'object':
      return compileObject(schema, level);
    case 'array':
      return compileArray(schema, level);
    default:
      return null;
  }
}

function compileString({ declared }: CompileContext): ValueType {
  if (declared['contentEncoding'] !== undefined) {
    return { kind: 'binary', mediaType: readString(declared['contentMediaType']) };
  }
  const format = readString(declared['format']);
  if (format === 'date-time' || format === 'int64') return { kind: format };
  if (format !== 'decimal') return { kind: 'text', format: isTextFormat(format) ? format : null };
  return { kind: 'decimal', precision: readNumber(declared['x-precision']), scale: readNumber(declared['x-scale']) };
}

function isTextFormat(format: string | null): format is TextFormat {
  return format !== null && Object.hasOwn(formats, format);
}

function compileObject(schema: CompileContext, level: SchemaLevel): ValueType {
  const { declared, path, report } = schema;
  const { properties, additionalProperties: additional } = declared;
  if (isJsonObject(additional)) {
    if (properties !== undefined) {
      const fix = 'remove additionalProperties, or remove properties to declare a map';
      report([...path, 'additionalProperties'], 'an object cannot have both properties and additionalProperties', fix);
    }
    return { kind: 'map', value: compileElement(additional, 'additionalProperties', schema, inside(level, 'element')) };
  }
  checkClosed(additional, schema);
  if (properties === undefined && (additional === undefined || additional === false)) {
    report(path, 'the object has no properties', 'declare properties, or additionalProperties for a map');
  }
  return { kind: 'object', members: compileMembers(schema, inside(level, 'member')) };
}

/** The level of a part of a value. */
function inside(level: SchemaLevel, part: 'element' | 'member'): SchemaLevel {
  return level === 'inner' ? level : part;
}

/** Reports an object that would accept unknown members (REP-5). */
export function checkClosed(additional: Json | undefined, { path, report }: CompileContext): void {
  if (additional !== true) return;
  const fix = 'remove it, or write the schema of the values to declare a map';
  report([...path, 'additionalProperties'], 'unknown fields are always rejected', fix);
}

function compileArray(schema: CompileContext, level: SchemaLevel): ValueType {
  const { declared, path, report } = schema;
  const { items } = declared;
  if (items === undefined) {
    report(path, 'the array has no items schema', 'add one, such as items: {type: string}');
    return { kind: 'array', item: { type: ANY_STRING, nullable: false } };
  }
  const item = compileElement(
    readObject(items),
    'items',
    schema,
    level === 'field' ? 'item' : inside(level, 'element'),
  );
  return { kind: 'array', item };
}

/** Compiles the schema of the items of an array or the values of a map. */
function compileElement(
  declared: CompileContext['declared'],
  keyword: string,
  { path, report }: CompileContext,
  level: SchemaLevel,
): Shape {
  const element = { declared, path: [...path, keyword], report };
  if (declared['default'] !== undefined) {
    report([...element.path, 'default'], 'only fields and members of objects can have a default', 'remove it');
  }
  return compileShape(element, level);
}

function checkName(name: string, { path, report }: CompileContext): void {
  if (!MEMBER_NAME.test(name)) {
    report(path, `the name ${name} is not in snake_case`, 'start with a lower-case letter; then use a-z, 0-9 and _');
  } else if (UNSAFE_NAMES.has(name)) {
    report(path, `the name ${name} is not allowed in bodies`, 'choose another name');
  }
}

function checkLevel({ declared, path, report }: CompileContext, level: SchemaLevel): void {
  for (const keyword of FIELD_KEYWORDS) {
    if (declared[keyword] === undefined || level === 'field') continue;
    if (level === 'item' && keyword === 'x-references') continue;
    if (level === 'member' && keyword === 'x-was') continue;
    report([...path, keyword], `${keyword} is allowed on fields of a resource only`, 'declare it on the field');
  }
}
