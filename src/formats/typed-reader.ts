import { ApiError } from '../conventions/errors.ts';
import { cut } from '../conventions/text/quoted.ts';
import type { Json, JsonObject } from '../conventions/json/json.ts';
import type { Shape, ValueType } from '../model/model.ts';
import { coerceText } from '../model/values/coercion.ts';
import { readJson, type StructureLimits } from './json.ts';
import { checkName, malformedBody } from './malformed-body.ts';
import { MemberNames } from './member-names.ts';

/** The type of a body: an object of the declared members and those that the server sets, such as `id`. */
export type ObjectType = Extract<ValueType, { kind: 'object' }>;

/** A value as a format without types writes it. */
export type RawValue =
  | { readonly kind: 'null' }
  /** `padded`: white space around a number or boolean does not count. */
  | { readonly kind: 'text'; readonly text: string; readonly padded: boolean }
  /** White space only: also an empty list or object. */
  | { readonly kind: 'blank'; readonly text: string }
  /** A form value of length 0: an empty string or null (NEG-5). */
  | { readonly kind: 'empty' }
  /** A value that the format itself writes as JSON. */
  | { readonly kind: 'json'; readonly json: Json }
  | { readonly kind: 'file'; readonly bytes: Uint8Array };

/**
 * The content of a node. `items` (XML) are a list unless the schema declares an object; members that are `numbered`
 * (forms) are an object unless the schema declares a list. `mixed` is neither.
 */
export type NodeContent =
  | RawValue
  /** Values of a repeated name: one, or a list. */
  | { readonly kind: 'values'; readonly values: readonly RawValue[] }
  | { readonly kind: 'list' | 'items' | 'members' | 'numbered' | 'mixed'; readonly children: readonly TreeNode[] };

/** A node of the untyped tree that the parsers of XML, forms and CSV return. */
export interface TreeNode {
  /** Its name as a member. */
  readonly name: string;
  /** Its name as a key of a map. */
  readonly key: string;
  /** For messages: `line 2, column 5`, `items[0][sku]`. */
  readonly place: string;
  readonly content: NodeContent;
}

/** The facts of a format that the reader needs. */
interface TreeFormat {
  readonly limits: StructureLimits;
  /** The syntax of a list, for messages. */
  readonly listSyntax: string;
}

/**
 * Converts an untyped tree to an object by its schema (NEG-2, NEG-5). Values of another type, and members that the
 * schema does not declare, are kept as they are: the validation of the resource reports them.
 *
 * @param children the members of the root
 * @throws {ApiError} REQUEST_BODY_MALFORMED
 */
export function readTree(
  children: readonly TreeNode[],
  type: Extract<ValueType, { kind: 'object' | 'map' }> | null,
  format: TreeFormat,
): JsonObject {
  const names = new MemberNames();
  const members = children.map((child): [string, Json] => {
    const name = type?.kind === 'map' ? child.key : child.name;
    const declared = type?.kind === 'object' ? type.members.find((member) => member.name === name) : undefined;
    if (declared === undefined) checkName(name, child.place);
    if (!names.add(name)) throw malformedBody(child.place, `duplicate member ${cut(name)}`);
    return [name, readNode(child, type?.kind === 'map' ? type.value : (declared ?? null), format)];
  });
  return Object.fromEntries(members);
}

function readNode({ content, place }: TreeNode, shape: Shape | null, format: TreeFormat): Json {
  if (shape?.type.kind === 'json') return readAnyJson(content, shape, place, format);
  switch (content.kind) {
    case 'values':
      return readValues(content.values, shape, place, format);
    case 'list':
    case 'items':
    case 'members':
    case 'numbered':
    case 'mixed':
      return readChildren(content, place, shape?.type ?? null, format);
    case 'null':
    case 'text':
    case 'blank':
    case 'empty':
    case 'json':
    case 'file':
      return readValue(content, shape, place);
  }
}

function readValues(values: readonly RawValue[], shape: Shape | null, place: string, format: TreeFormat): Json {
  const [value = { kind: 'null' }, another] = values;
  if (shape?.type.kind !== 'array') {
    if (another === undefined) return readValue(value, shape, place);
    throw malformedBody(place, 'must be sent only once');
  }
  if (another === undefined && (value.kind === 'null' || value.kind === 'empty')) return null;
  if (another === undefined && value.kind === 'json') return value.json;
  const { item } = shape.type;
  return values.map((each) => readNode({ name: '', key: '', place, content: each }, item, format));
}

/** Reads a field of any JSON: formats without types write it as JSON text (NEG-4, NEG-5). */
function readAnyJson(content: NodeContent, shape: Shape, place: string, format: TreeFormat): Json {
  switch (content.kind) {
    case 'values': {
      const [value = { kind: 'null' }, another] = content.values;
      if (another !== undefined) throw malformedBody(place, 'must be sent only once');
      return readAnyJson(value, shape, place, format);
    }
    case 'null':
      return null;
    case 'json':
      return content.json;
    case 'text':
      return readJsonText(content.text, place, format);
    case 'empty':
      if (shape.nullable) return null;
      throw notJson(place);
    case 'file':
      throw malformedBody(place, 'this field does not accept files');
    case 'blank':
    case 'list':
    case 'items':
    case 'members':
    case 'numbered':
    case 'mixed':
      throw notJson(place);
  }
}

/** @throws {ApiError} REQUEST_BODY_MALFORMED, with the place of the text, and that of the error in it */
function readJsonText(text: string, place: string, { limits }: TreeFormat): Json {
  if (text.trim() === '') throw notJson(place);
  try {
    return readJson(new TextEncoder().encode(text), limits);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw notJson(place, `; ${error.message.replace(/^Malformed body /, '').replace(/\.$/, '')}`);
  }
}

function notJson(place: string, cause = ''): ApiError {
  return malformedBody(place, `must be JSON, with strings in quotes${cause}`);
}

function readChildren(
  { kind, children }: Extract<NodeContent, { readonly children: unknown }>,
  place: string,
  type: ValueType | null,
  format: TreeFormat,
): Json {
  if (type?.kind === 'array') {
    if (kind === 'members' || kind === 'mixed') throw malformedBody(place, `must be a list of ${format.listSyntax}`);
    const { items } = format.limits;
    if (children.length > items) throw malformedBody(place, `must have at most ${items} items`);
    return children.map((child) => readNode(child, type.item, format));
  }
  if (type?.kind === 'object' || type?.kind === 'map') {
    if (kind === 'mixed' || (kind === 'list' && children.length > 0)) throw malformedBody(place, 'must not be a list');
    return readTree(children, type, format);
  }
  const isList = kind === 'list' || kind === 'items';
  return isList ? children.map((child) => readNode(child, null, format)) : readTree(children, null, format);
}

function readValue(value: RawValue, shape: Shape | null, place: string): Json {
  const type = shape?.type ?? null;
  switch (value.kind) {
    case 'null':
      return null;
    case 'json':
      return value.json;
    case 'file':
      if (type?.kind === 'binary') return Buffer.from(value.bytes).toString('base64');
      throw malformedBody(place, 'this field does not accept files');
    case 'empty': {
      const isAnyText = type === null || (type.kind === 'text' && type.format === null);
      return !isAnyText && shape?.nullable === true ? null : '';
    }
    case 'blank':
      if (type?.kind === 'array') return [];
      if (type?.kind === 'object' || type?.kind === 'map') return {};
      return readText(value.text, type, true);
    case 'text':
      return readText(value.text, type, value.padded);
  }
}

/** A text that is not a valid number or boolean stays a text. */
function readText(text: string, type: ValueType | null, padded: boolean): Json {
  if (type?.kind !== 'integer' && type?.kind !== 'number' && type?.kind !== 'boolean') return text;
  const trimmed = padded ? text.trim() : text;
  const coerced = coerceText(type, trimmed);
  return coerced.kind === 'valid' ? coerced.value : trimmed;
}
