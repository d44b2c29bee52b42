import { orderedMembers } from '../conventions/text/utf8-order.ts';
import { cut } from '../conventions/text/quoted.ts';
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { apiError } from '../conventions/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../conventions/json/json.ts';
import type { ValueType } from '../model/model.ts';
import { DividedArray, type Divisible, isDivided, itemType, memberType } from './divided.ts';
import { type StructureLimits, writeOrderedJson } from './json.ts';
import { checkedText, decodeUtf8, malformedBody } from './malformed-body.ts';
import { type NodeContent, type ObjectType, readTree, type TreeNode } from './typed-reader.ts';

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';
const STANDARD_NAMESPACES: ReadonlySet<string> = new Set([
  XSI,
  'http://www.w3.org/XML/1998/namespace',
  'http://www.w3.org/2000/xmlns/',
]);
const ATTRIBUTES: ReadonlySet<string> = new Set(['encoding', 'key', 'key-encoding']);
const TRUE: ReadonlySet<string> = new Set(['true', '1']);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';
const XSI_ATTRIBUTE = ` xmlns:xsi="${XSI}"`;
/** Characters that XML 1.0 cannot contain, not even as references (section 2.2). */
const NOT_IN_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
/** Member names that become element names. Others become keys of `<entry>` elements. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/**
 * Writes a JSON value as an XML document (NEG-4): an element for each member, `<item>` for each item of an array, null
 * as `xsi:nil`. A field of any JSON is JSON text. Text with characters that XML does not allow is base64. The keys
 * of a map, which may be any text, are attributes of `<entry>` elements.
 *
 * @param root the name of the root element
 * @param type the type of the value; if it is null, no object is written as a map
 */
export function writeXml(root: string, value: Json, type: ValueType | null = null): string {
  return `${DECLARATION}\n${writeElement(root, XSI_ATTRIBUTE, value, type)}`;
}

/** The pieces of the text that {@link writeXml} writes. */
export function* xmlPieces(root: string, value: Divisible, type: ValueType): Generator<string> {
  yield `${DECLARATION}\n`;
  yield* elementPieces(root, XSI_ATTRIBUTE, value, type);
}

/**
 * A page of a collection as an XML document: `<collection>` with `<data>`, whose elements have the name of the
 * resource, and its metadata. Before the items come {@link XML_COLLECTION_START}, after them {@link xmlCollectionEnd}.
 *
 * @param singular the name of the resource
 * @param type the type of its representations
 */
export function writeXmlItem(singular: string, item: JsonObject, type: ValueType): string {
  return writeElement(singular, '', item, type);
}

/** The pieces of the text that {@link writeXmlItem} writes. */
export function xmlItemPieces(singular: string, item: Divisible, type: ValueType): Iterable<string> {
  return elementPieces(singular, '', item, type);
}

export const XML_COLLECTION_START = `${DECLARATION}\n<collection${XSI_ATTRIBUTE}><data>`;

/** @param metadata `page` and `links` */
export function xmlCollectionEnd(metadata: JsonObject): string {
  return `</data>${writeMembers(metadata, null)}</collection>`;
}

function writeElement(name: string, attributes: string, value: Json, type: ValueType | null): string {
  if (value === null) return `<${name}${attributes} xsi:nil="true"/>`;
  if (type?.kind === 'json') return writeElement(name, attributes, writeOrderedJson(value), null);
  if (typeof value === 'string' && NOT_IN_XML.test(value)) {
    return `<${name}${attributes} encoding="base64">${toBase64(value)}</${name}>`;
  }
  const content = writeContent(value, type);
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;
}

function* elementPieces(name: string, attributes: string, value: Divisible, type: ValueType | null): Generator<string> {
  if (!isDivided(value)) {
    yield writeElement(name, attributes, value, type);
    return;
  }
  yield `<${name}${attributes}>`;
  if (value instanceof DividedArray) {
    for (const each of value.items()) yield* elementPieces('item', '', each, itemType(type));
  } else {
    for (const [member, held] of value.members()) {
      const [tag, key] = NAME.test(member) ? [member, ''] : ['entry', keyAttribute(member)];
      yield* elementPieces(tag, key, held, memberType(type, member));
    }
  }
  yield `</${name}>`;
}

function writeContent(value: Exclude<Json, null>, type: ValueType | null): string {
  if (typeof value === 'string') return value.replace(/[&<>\r]/g, escape);
  if (Array.isArray(value)) {
    const item = itemType(type);
    return value.map((each: Json) => writeElement('item', '', each, item)).join('');
  }
  return isJsonObject(value) ? writeMembers(value, type) : JSON.stringify(value);
}

function writeMembers(value: JsonObject, type: ValueType | null): string {
  let xml = '';
  for (const [name, member] of orderedMembers(value)) {
    if (type?.kind === 'map' || !NAME.test(name)) {
      xml += writeElement('entry', keyAttribute(name), member, type?.kind === 'map' ? type.value.type : null);
    } else {
      xml += writeElement(name, '', member, memberType(type, name));
    }
  }
  return xml;
}

function keyAttribute(name: string): string {
  if (NOT_IN_XML.test(name)) return ` key="${toBase64(name)}" key-encoding="base64"`;
  return ` key="${name.replace(/[&<>"\t\n\r]/g, escape)}"`;
}

function escape(character: string): string {
  return ESCAPES[character] ?? character;
}

function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/**
 * Parses an XML body and reads it by its schema (NEG-2, NEG-4). It is the inverse of {@link writeXml}.
 *
 * @param root the required name of the root element
 * @throws {ApiError} REQUEST_BODY_REQUIRED: only white space; REQUEST_BODY_MALFORMED, with line and column
 */
export function readXml(bytes: Uint8Array, root: string, type: ObjectType, limits: StructureLimits): JsonObject {
  const text = decodeUtf8(bytes);
  if (text.trim() === '') throw apiError('REQUEST_BODY_REQUIRED', `The body is empty; send a ${root} element.`);
  const { name, encoded, place, content } = new XmlParser(limits).parse(text);
  if (name !== root) throw malformedBody(place, `the root element must be ${root}`);
  const isBlank = content.kind === 'blank' && !encoded;
  if (!isBlank && content.kind !== 'members' && content.kind !== 'items') {
    throw malformedBody(place, `${root} must contain an element for each field`);
  }
  const children = content.kind === 'blank' ? [] : content.children;
  return readTree(children, type, { limits, listSyntax: '<item> elements' });
}

/** An element, as a node of the untyped tree. */
interface XmlElement extends TreeNode {
  readonly isItem: boolean;
  /** True if its text is base64. */
  readonly encoded: boolean;
}

/** An element whose end tag has not been read. */
interface OpenElement {
  readonly tag: string;
  readonly nil: boolean;
  readonly encoded: boolean;
  /** The key in a map, from its attribute. */
  readonly key: { readonly text: string; readonly encoded: boolean } | null;
  readonly place: string;
  readonly children: XmlElement[];
  text: string;
}

/**
 * Parses the subset of XML that JSON can express. It refuses document types (hence entity declarations), processing
 * instructions, foreign namespaces and attributes, and encodings other than UTF-8. It limits depth while parsing.
 */
class XmlParser {
  readonly #parser = new SaxesParser({ xmlns: true, defaultXMLVersion: '1.0', forceXMLVersion: true });
  readonly #limits: StructureLimits;
  readonly #open: OpenElement[] = [];
  #root: XmlElement | null = null;
  /** The place where the current start tag begins. */
  #tagPlace = 'line 1, column 1';

  constructor(limits: StructureLimits) {
    this.#limits = limits;
    const parser = this.#parser;
    parser.on('error', () => this.#fail('not well-formed XML'));
    parser.on('doctype', () => this.#fail('a document type is not allowed'));
    parser.on('processinginstruction', () => this.#fail('a processing instruction is not allowed'));
    parser.on('xmldecl', ({ encoding = 'UTF-8', version = '1.0' }) => {
      if (encoding.toUpperCase() !== 'UTF-8') this.#fail('send XML in UTF-8');
      if (version !== '1.0') this.#fail('send XML 1.0');
    });
    parser.on('opentagstart', () => {
      this.#tagPlace = this.#place();
      // The value of a leaf is not a level in JSON.
      if (this.#open.length > limits.depth) this.#fail(`nested more than ${limits.depth} levels deep`);
    });
    parser.on('opentag', (tag) => this.#onStartTag(tag));
    parser.on('closetag', () => this.#onEndTag());
    parser.on('text', (data) => this.#onText(data));
    parser.on('cdata', (data) => this.#onText(data));
  }

  /** @returns the root element @throws {ApiError} REQUEST_BODY_MALFORMED */
  parse(text: string): XmlElement {
    this.#parser.write(text).close();
    if (this.#root === null) throw malformedBody('line 1, column 1', 'no element');
    return this.#root;
  }

  #onStartTag(tag: SaxesTagNS): void {
    if (tag.uri !== '') this.#fail('elements must not have a namespace');
    const attributes = Object.values(tag.attributes).filter((attribute) => this.#isKnown(attribute));
    const valueOf = (name: string): string | null => attributes.find(({ local }) => local === name)?.value ?? null;
    const key = valueOf('key');
    this.#open.push({
      tag: tag.local,
      nil: TRUE.has((valueOf('nil') ?? '').trim()),
      encoded: this.#isBase64(valueOf('encoding')),
      key: key === null ? null : { text: key, encoded: this.#isBase64(valueOf('key-encoding')) },
      place: this.#tagPlace,
      children: [],
      text: '',
    });
  }

  #onEndTag(): void {
    const element = this.#open.pop();
    if (element === undefined) return;
    const parent = this.#open.at(-1);
    // The key of the root has no meaning.
    const key = parent === undefined ? null : readElementKey(element);
    const name = key ?? element.tag;
    const isItem = key === null && name === 'item';
    const { encoded, place } = element;
    const closed = { name, key: name, place, encoded, isItem, content: readElementContent(element) };
    if (parent === undefined) this.#root = closed;
    else if (parent.children.push(closed) > this.#limits.items) {
      this.#fail(`an element may contain at most ${this.#limits.items} others`);
    }
  }

  #onText(data: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined) element.text += data;
  }

  #isKnown({ uri, local, name }: SaxesAttributeNS): boolean {
    if (uri === XSI && local === 'nil') return true;
    if (STANDARD_NAMESPACES.has(uri)) return false;
    if (uri === '' && ATTRIBUTES.has(local)) return true;
    return this.#fail(`unknown attribute ${cut(name)}`);
  }

  #isBase64(encoding: string | null): boolean {
    if (encoding === null || encoding === 'base64') return encoding !== null;
    return this.#fail('an encoding must be base64');
  }

  #place(): string {
    return `line ${this.#parser.line}, column ${this.#parser.column + 1}`;
  }

  #fail(message: string): never {
    throw malformedBody(this.#place(), message);
  }
}

function readElementKey({ tag, key, place }: OpenElement): string | null {
  if (key === null) return null;
  if (tag !== 'entry') throw malformedBody(place, 'only an entry may have a key');
  return key.encoded ? decodeBase64(key.text, place) : key.text;
}

function readElementContent({ nil, encoded, place, children, text }: OpenElement): NodeContent {
  const isBlank = text.trim() === '';
  if (nil) {
    if (isBlank && children.length === 0) return { kind: 'null' };
    throw malformedBody(place, 'an element that is nil must be empty');
  }
  if (children.length > 0) {
    if (!isBlank) throw malformedBody(place, 'an element must contain either text or other elements');
    if (encoded) throw malformedBody(place, 'an element in base64 must contain only text');
    return { kind: children.every(({ isItem }) => isItem) ? 'items' : 'members', children };
  }
  const decoded = encoded ? decodeBase64(text.trim(), place) : text;
  return isBlank ? { kind: 'blank', text: decoded } : { kind: 'text', text: checkedText(decoded, place), padded: true };
}

function decodeBase64(base64: string, place: string): string {
  if (!BASE64.test(base64)) throw malformedBody(place, 'not valid base64');
  return decodeUtf8(Buffer.from(base64, 'base64'), place);
}
