import { apiError } from '../conventions/errors.ts';
import type { Json, JsonObject } from '../conventions/json.ts';
import type { ValueType } from '../model/model.ts';
import { nameFault, textFault } from './characters.ts';
import type { StructureLimits } from './json-scan.ts';
import { MemberNames } from './member-names.ts';
import { type ObjectType, typedText } from './typed-reader.ts';
import { readXmlTree, type XmlElement, xmlFault } from './xml-tree.ts';

const UTF_8 = new TextDecoder('utf-8', { fatal: true });
/** In a text a byte order mark is a character like any other. */
const UTF_8_TEXT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads a body in XML (NEG-2, NEG-4) as the value that its schema makes of it: what {@link writeXml} writes is read back exactly. Members that
 * the schema does not know stay, as text, object or list, to be refused by name.
 *
 * @param root the name that the outermost element must have
 * @throws {ApiError} REQUEST_BODY_REQUIRED: nothing but white space; REQUEST_BODY_MALFORMED, with line and column
 */
export function readXml(bytes: Uint8Array, root: string, type: ObjectType, limits: StructureLimits): JsonObject {
  const text = decode(bytes);
  if (text.trim() === '') throw apiError('REQUEST_BODY_REQUIRED', `The body is empty: send a ${root} element.`);
  const tree = readXmlTree(text, limits);
  if (tree.name !== root) throw xmlFault(tree.place, `the outermost element must be ${root}`);
  if (tree.nil || tree.encoded || (tree.children.length === 0 && tree.text.trim() !== '')) {
    throw xmlFault(tree.place, `${root} must hold an element for each field`);
  }
  return membersOf(tree, type);
}

function valueOf(element: XmlElement, type: ValueType | null): Json {
  if (element.nil) {
    if (element.children.length === 0 && element.text.trim() === '') return null;
    throw xmlFault(element.place, 'an element that is nil must be empty');
  }
  if (element.children.length > 0) return structureOf(element, type);
  switch (type?.kind) {
    case 'array':
      return element.text.trim() === '' ? [] : textOf(element);
    case 'object':
    case 'map':
      return element.text.trim() === '' ? {} : textOf(element);
    case 'integer':
    case 'number':
    case 'boolean':
      return typedText(type, textOf(element).trim());
    case 'text':
    case 'binary':
    case 'date-time':
    case 'decimal':
    case 'int64':
    case undefined:
      return textOf(element);
  }
}

/** An element with others in it. Where the schema has one value, what stands there is kept as it is, to be refused. */
function structureOf(element: XmlElement, type: ValueType | null): Json {
  if (element.encoded) throw xmlFault(element.place, 'an element in base64 holds text alone');
  const isList =
    type?.kind === 'array' || (type?.kind !== 'object' && type?.kind !== 'map' && element.children.every(isItem));
  if (!isList) return membersOf(element, type?.kind === 'object' || type?.kind === 'map' ? type : null);
  const stranger = element.children.find((child) => !isItem(child));
  if (stranger !== undefined) throw xmlFault(stranger.place, 'a list holds item elements alone');
  return element.children.map((child) => valueOf(child, type?.kind === 'array' ? type.item.type : null));
}

function isItem({ name, key }: XmlElement): boolean {
  return name === 'item' && key === null;
}

function membersOf(element: XmlElement, type: Extract<ValueType, { kind: 'object' | 'map' }> | null): JsonObject {
  const names = new MemberNames();
  const members = element.children.map((child): [string, Json] => {
    const name = nameOf(child);
    const fault = nameFault(name);
    if (fault !== null) throw xmlFault(child.place, fault);
    if (!names.add(name)) throw xmlFault(child.place, `${child.name} stands twice`);
    return [name, valueOf(child, memberType(name, type))];
  });
  return Object.fromEntries(members);
}

function memberType(name: string, type: Extract<ValueType, { kind: 'object' | 'map' }> | null): ValueType | null {
  if (type?.kind === 'map') return type.value.type;
  return type?.members.find((member) => member.name === name)?.type ?? null;
}

function nameOf({ name, key, place }: XmlElement): string {
  if (key === null) return name;
  if (name !== 'entry') throw xmlFault(place, 'a key belongs to an entry');
  return key.encoded ? decoded(key.text, place) : key.text;
}

function textOf({ text, encoded, place }: XmlElement): string {
  const plain = encoded ? decoded(text.trim(), place) : text;
  const fault = textFault(plain);
  if (fault !== null) throw xmlFault(place, `a text ${fault}`);
  return plain;
}

function decoded(base64: string, place: string): string {
  if (!BASE64.test(base64)) throw xmlFault(place, 'it is not base64');
  try {
    return UTF_8_TEXT.decode(Buffer.from(base64, 'base64'));
  } catch {
    throw xmlFault(place, 'its base64 is not of UTF-8');
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF_8.decode(bytes);
  } catch (cause) {
    throw apiError('REQUEST_BODY_MALFORMED', 'The body is not UTF-8: send XML in UTF-8.', { cause });
  }
}
