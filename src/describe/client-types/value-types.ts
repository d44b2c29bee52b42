// Types of values, as TypeScript.
import type { Json, JsonObject } from '../../conventions/json/json.ts';
import type { Member, Shape, ValueType } from '../../model/model.ts';
import { readObject, readString } from '../../model/values/access.ts';
import { allowedValues } from '../../model/values/assertion.ts';

/** The direction of values: reads return them (`out`), writes take them (`in`). */
type Direction = 'out' | 'in';

/** A member of an object type. */
export interface MemberType {
  readonly name: string;
  readonly type: string;
  readonly isOptional?: boolean;
  /** Lines for a comment; none without one. */
  readonly comment?: readonly string[];
}

/** The type of the values of a shape. @param schema its declared schema, `$ref`s resolved */
export function valueType(shape: Shape, schema: JsonObject, direction: Direction): string {
  const type = writeType(shape.type, schema, direction);
  return shape.nullable && shape.type.kind !== 'json' ? `${type} | null` : type;
}

function writeType(type: ValueType, schema: JsonObject, direction: Direction): string {
  switch (type.kind) {
    case 'text':
      return literalType(schema) ?? (type.digits === true && direction === 'in' ? 'string | number' : 'string');
    case 'integer':
    case 'number':
      return literalType(schema) ?? 'number';
    case 'boolean':
      return literalType(schema) ?? 'boolean';
    // Compared by value: a program may write another form of a value than the one that is stored.
    case 'date-time':
    case 'decimal':
    case 'int64':
    case 'binary':
      return 'string';
    case 'json':
      return 'unknown';
    case 'array':
      return `readonly ${inParentheses(valueType(type.item, readObject(schema['items']), direction))}[]`;
    case 'map':
      return `{ readonly [key: string]: ${valueType(type.value, readObject(schema['additionalProperties']), direction)} }`;
    case 'object':
      return objectType(
        type.members.map((member) => memberType(member, findPropertySchema(schema, member.name), direction)),
      );
  }
}

/** The union of the values that an `enum` or `const` lists; null if there is none. */
export function literalType(schema: JsonObject): string | null {
  return allowedValues(schema)?.map(writeLiteral).join(' | ') ?? null;
}

/** A value as a literal type. */
export function writeLiteral(value: Json): string {
  const text = JSON.stringify(value);
  return typeof value === 'string'
    ? `'${text.slice(1, -1).replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`)}'`
    : text;
}

/** A type as an operand of `[]`. */
function inParentheses(type: string): string {
  return /^(?:\w+|\{[^]*\})$/.test(type) ? type : `(${type})`;
}

/** The declared schema of a property. */
export function findPropertySchema(schema: JsonObject, name: string): JsonObject {
  return readObject(readObject(schema['properties'])[name]);
}

/** A member of an object, as reads return it or as writes take it (REP-4). */
export function memberType(member: Member, schema: JsonObject, direction: Direction): MemberType {
  const comment = listCommentLines(schema);
  const { name } = member;
  if (direction === 'out') return { name, type: valueType(member, schema, direction), comment };
  const isOptional = !member.required || member.default !== undefined;
  // An optional array may be null in a request, which unsets it.
  const nullable = member.nullable || !member.required;
  return { name, type: valueType({ type: member.type, nullable }, schema, direction), isOptional, comment };
}

/** The description of a schema, else its title, and whether it is deprecated. */
export function listCommentLines(schema: JsonObject): readonly string[] {
  const text = readString(schema['description']) ?? readString(schema['title']) ?? '';
  return [...text.split('\n'), schema['deprecated'] === true ? '@deprecated' : ''].filter((line) => line.trim() !== '');
}

/** An object type with a line for each member, so that a change of one is a change of one line. */
export function objectType(members: readonly MemberType[]): string {
  if (members.length === 0) return 'object';
  return `{\n${membersText(members)}\n}`;
}

/** The members of an object type or an interface. */
export function membersText(members: readonly MemberType[]): string {
  const lines = members.flatMap(({ name, type, isOptional = false, comment = [] }) => [
    ...commentText(comment),
    `readonly ${quoteName(name)}${isOptional ? '?' : ''}: ${type};`,
  ]);
  return indented(lines.join('\n'));
}

/** Lines as a documentation comment. */
export function commentText(lines: readonly string[]): readonly string[] {
  const safe = lines.map((line) => line.trim().replaceAll('*/', String.raw`*\/`));
  if (safe.length <= 1) return safe.map((line) => `/** ${line} */`);
  return ['/**', ...safe.map((line) => ` * ${line}`), ' */'];
}

/** A name of a member, in quotes where it is a path. In brackets it is a pattern of names. */
function quoteName(name: string): string {
  return /^(?:\w+|\[.*\])$/.test(name) ? name : writeLiteral(name);
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
