import { isJsonObject, type Json } from '../../conventions/json.ts';
import { closestMatch } from '../../conventions/closest-match.ts';
import type { CompileContext } from '../document/compile-context.ts';
import { numberOf, objectOf, stringOf, stringsOf } from '../values/access.ts';
import { checkListed, compileDefault } from './enum-default.ts';
import { formats } from '../values/formats.ts';
import { checkKeywords, FIELD_KEYWORDS } from './keywords.ts';
import type { Member, Shape, TextFormat, ValueType } from '../model.ts';

/** What a schema describes: a field of a resource, an item of a field's list, or something deeper, which may say less. */
export type SchemaLevel = 'field' | 'item' | 'inner';

const ANY_TEXT: ValueType = { kind: 'text', format: null };
const MEMBER_NAME = /^[a-z][a-z0-9_]*$/;
/** Names that no body may hold (REP-7). */
const UNSAFE_NAMES: ReadonlySet<string> = new Set(['constructor', 'prototype']);

/**
 * The shape of a value, and the faults of its schema. One that cannot be compiled stands as any text, so that the rest is
 * still checked.
 *
 * @param declaration a schema whose `$ref`s are resolved
 */
export function compileShape(declaration: CompileContext, place: SchemaLevel): Shape {
  const { declared, path, report } = declaration;
  checkPlace(declaration, place);
  const nullable = stringsOf(declared['type']).includes('null');
  const type = compileType(declaration, place);
  if (type === null) return { type: ANY_TEXT, nullable };
  checkKeywords(type.kind, declaration);
  if (nullable && type.kind === 'array') {
    report([...path, 'type'], 'a list is never null', "leave 'null' out: an unset list is an empty one");
  }
  const shape = { type, nullable: nullable && type.kind !== 'array' };
  checkListed(shape, declaration);
  return shape;
}

/**
 * The members of an object in declared order (REP-4).
 *
 * @param place of each member
 */
export function compileMembers({ declared, path, report }: CompileContext, place: SchemaLevel): readonly Member[] {
  const properties = objectOf(declared['properties']);
  const required = stringsOf(declared['required']);
  for (const [index, name] of required.entries()) {
    if (Object.hasOwn(properties, name)) continue;
    const meant = closestMatch(name, Object.keys(properties));
    const fix = meant === null ? 'declare it under properties' : `write ${meant}, or declare it under properties`;
    report([...path, 'required', index], `there is no property ${name}`, fix);
  }
  return Object.entries(properties).map(([name, schema]) => {
    const member = { declared: objectOf(schema), path: [...path, 'properties', name], report };
    checkName(name, member);
    return compileMember(name, member, required.includes(name), place);
  });
}

function compileMember(name: string, declaration: CompileContext, required: boolean, place: SchemaLevel): Member {
  const { declared, path, report } = declaration;
  const shape = compileShape(declaration, place);
  const isList = shape.type.kind === 'array';
  if (isList && !required && (numberOf(declared['minItems']) ?? 0) > 0) {
    const fix = 'make it required, or leave minItems out';
    report([...path, 'minItems'], 'a list that may be unset is empty then, which minItems forbids', fix);
  }
  const nullable = !isList && (shape.nullable || !required);
  const value = compileDefault({ ...shape, nullable }, declaration);
  return { name, type: shape.type, nullable, required, ...(value === undefined ? {} : { default: value }) };
}

/** null where there is no one type; what is no type at all was announced by the document's schema. */
function compileType(declaration: CompileContext, place: SchemaLevel): ValueType | null {
  const { declared, path, report } = declaration;
  const names = stringsOf(declared['type']).filter((name) => name !== 'null');
  const [name = ''] = names;
  if (names.length !== 1) {
    if (declared['type'] === undefined) report(path, 'the schema has no type', 'add one, such as type: string');
    else report([...path, 'type'], 'the schema has no one type', "write one type, or one and 'null'");
    return null;
  }
  switch (name) {
    case 'string':
      return compileText(declaration);
    case 'integer':
    case 'number':
    case 'boolean':
      return { kind: name };
    case 'object':
      return compileObject(declaration);
    case 'array':
      return compileList(declaration, place);
    default:
      return null;
  }
}

function compileText({ declared }: CompileContext): ValueType {
  if (declared['contentEncoding'] !== undefined) {
    return { kind: 'binary', mediaType: stringOf(declared['contentMediaType']) };
  }
  const format = stringOf(declared['format']);
  if (format === 'date-time' || format === 'int64') return { kind: format };
  if (format !== 'decimal') return { kind: 'text', format: isTextFormat(format) ? format : null };
  return { kind: 'decimal', precision: numberOf(declared['x-precision']), scale: numberOf(declared['x-scale']) };
}

function isTextFormat(format: string | null): format is TextFormat {
  return format !== null && Object.hasOwn(formats, format);
}

function compileObject(declaration: CompileContext): ValueType {
  const { declared, path, report } = declaration;
  const { properties, additionalProperties: additional } = declared;
  if (isJsonObject(additional)) {
    if (properties !== undefined) {
      const fix = 'declare the properties, or a map by additionalProperties alone';
      report([...path, 'additionalProperties'], 'an object has either properties or any names', fix);
    }
    return { kind: 'map', value: compileElement(additional, 'additionalProperties', declaration, 'inner') };
  }
  checkClosed(additional, declaration);
  if (properties === undefined && (additional === undefined || additional === false)) {
    report(path, 'the object has no properties', 'declare properties, or additionalProperties for a map');
  }
  return { kind: 'object', members: compileMembers(declaration, 'inner') };
}

/** Announces an object that would take unknown members (REP-5). */
export function checkClosed(additional: Json | undefined, { path, report }: CompileContext): void {
  if (additional !== true) return;
  const fix = 'leave it out; for a map give the schema of its values';
  report([...path, 'additionalProperties'], 'unknown fields are always refused', fix);
}

function compileList(declaration: CompileContext, place: SchemaLevel): ValueType {
  const { declared, path, report } = declaration;
  const { items } = declared;
  if (items === undefined) {
    report(path, 'the list does not say what its items are', 'add items, such as items: {type: string}');
    return { kind: 'array', item: { type: ANY_TEXT, nullable: false } };
  }
  const item = compileElement(objectOf(items), 'items', declaration, place === 'field' ? 'item' : 'inner');
  return { kind: 'array', item };
}

/** The shape of a list's items or a map's values. */
function compileElement(
  schema: CompileContext['declared'],
  keyword: string,
  { path, report }: CompileContext,
  place: SchemaLevel,
): Shape {
  const element = { declared: schema, path: [...path, keyword], report };
  if (schema['default'] !== undefined) {
    report([...element.path, 'default'], 'only a field or a member of an object has a default', 'remove it');
  }
  return compileShape(element, place);
}

function checkName(name: string, { path, report }: CompileContext): void {
  if (!MEMBER_NAME.test(name)) {
    report(path, `the name ${name} is not in snake_case`, 'begin with a small letter; then a-z, 0-9 and _');
  } else if (UNSAFE_NAMES.has(name)) {
    report(path, `no body may hold a member ${name}`, 'choose another name');
  }
}

function checkPlace({ declared, path, report }: CompileContext, place: SchemaLevel): void {
  for (const keyword of FIELD_KEYWORDS) {
    if (declared[keyword] === undefined || place === 'field') continue;
    if (place === 'item' && keyword === 'x-references') continue;
    report(
      [...path, keyword],
      `${keyword} belongs to a field of the resource, not to a part of one`,
      'declare it on the field',
    );
  }
}
