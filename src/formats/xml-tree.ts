import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { type ApiError, apiError } from '../conventions/errors.ts';
import type { StructureLimits } from './json-scan.ts';

/** An element with what it holds: text or other elements, not both. */
export interface XmlElement {
  readonly name: string;
  readonly nil: boolean;
  /** Whether its text is base64 of UTF-8. */
  readonly encoded: boolean;
  /** The key that it stands for in a map; null where it is named by itself. */
  readonly key: XmlKey | null;
  readonly text: string;
  readonly children: readonly XmlElement[];
  /** Where it begins: `line 2, column 5`. */
  readonly place: string;
}

/** A key of a map as an attribute says it. */
export interface XmlKey {
  readonly text: string;
  readonly encoded: boolean;
}

interface OpenElement extends XmlElement {
  readonly children: OpenElement[];
  text: string;
}

const INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';
const OWN_NAMESPACES: ReadonlySet<string> = new Set([
  INSTANCE,
  'http://www.w3.org/XML/1998/namespace',
  'http://www.w3.org/2000/xmlns/',
]);
const ATTRIBUTES: ReadonlySet<string> = new Set(['encoding', 'key', 'key-encoding']);
const TRUE: ReadonlySet<string> = new Set(['true', '1']);

/**
 * Reads a document into its elements. What XML has beyond elements and text is refused: document types and with them entities of one's own,
 * processing instructions, foreign namespaces and attributes, other encodings than UTF-8. Depth is bounded while it is read.
 *
 * @throws {ApiError} REQUEST_BODY_MALFORMED, with line and column
 */
export function readXmlTree(text: string, limits: StructureLimits): XmlElement {
  return new TreeReader(limits).read(text);
}

/** The refusal of a body at a place of it. */
export function xmlFault(place: string, message: string): ApiError {
  return apiError('REQUEST_BODY_MALFORMED', `The body is refused at ${place}: ${message}.`);
}

class TreeReader {
  readonly #parser = new SaxesParser({ xmlns: true, defaultXMLVersion: '1.0', forceXMLVersion: true });
  readonly #limits: StructureLimits;
  readonly #open: OpenElement[] = [];
  #root: OpenElement | null = null;
  /** Where the tag that is being read began. */
  #begun = 'line 1, column 1';

  constructor(limits: StructureLimits) {
    this.#limits = limits;
    const parser = this.#parser;
    parser.on('error', () => this.#fail('it is not well-formed XML'));
    parser.on('doctype', () => this.#fail('a document type is not taken'));
    parser.on('processinginstruction', () => this.#fail('a processing instruction is not taken'));
    parser.on('xmldecl', ({ encoding = 'UTF-8', version = '1.0' }) => {
      if (encoding.toUpperCase() !== 'UTF-8') this.#fail('send XML in UTF-8');
      if (version !== '1.0') this.#fail('send XML 1.0');
    });
    parser.on('opentagstart', () => {
      this.#begun = this.#place();
      // The value of a leaf is no level of its own in JSON.
      if (this.#open.length > this.#limits.depth) this.#fail(`it is nested more than ${limits.depth} levels deep`);
    });
    parser.on('opentag', (tag) => this.#opened(tag));
    parser.on('closetag', () => this.#closed());
    parser.on('text', (data) => this.#said(data));
    parser.on('cdata', (data) => this.#said(data));
  }

  read(text: string): XmlElement {
    this.#parser.write(text).close();
    if (this.#root === null) throw xmlFault('line 1, column 1', 'it holds no element');
    return this.#root;
  }

  #opened(tag: SaxesTagNS): void {
    if (tag.uri !== '') this.#fail('elements have no namespace here');
    const attributes = Object.values(tag.attributes).filter((attribute) => this.#isOurs(attribute));
    const valueOf = (name: string): string | null => attributes.find(({ local }) => local === name)?.value ?? null;
    const key = valueOf('key');
    const element: OpenElement = {
      name: tag.local,
      nil: TRUE.has((valueOf('nil') ?? '').trim()),
      encoded: this.#isEncoded(valueOf('encoding')),
      key: key === null ? null : { text: key, encoded: this.#isEncoded(valueOf('key-encoding')) },
      text: '',
      children: [],
      place: this.#begun,
    };
    const above = this.#open.at(-1);
    if (above === undefined) this.#root = element;
    else if (above.children.push(element) > this.#limits.items) {
      this.#fail(`an element may hold at most ${this.#limits.items} others`);
    }
    this.#open.push(element);
  }

  #closed(): void {
    const element = this.#open.pop();
    if (element === undefined || element.children.length === 0) return;
    if (element.text.trim() !== '') throw xmlFault(element.place, 'an element holds text or other elements, not both');
    element.text = '';
  }

  #said(data: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined) element.text += data;
  }

  #isOurs({ uri, local, name }: SaxesAttributeNS): boolean {
    if (uri === INSTANCE && local === 'nil') return true;
    if (OWN_NAMESPACES.has(uri)) return false;
    if (uri === '' && ATTRIBUTES.has(local)) return true;
    return this.#fail(`the attribute ${name} is not known`);
  }

  #isEncoded(encoding: string | null): boolean {
    if (encoding === null || encoding === 'base64') return encoding !== null;
    return this.#fail('an encoding can only be base64');
  }

  #place(): string {
    return `line ${this.#parser.line}, column ${this.#parser.column + 1}`;
  }

  #fail(message: string): never {
    throw xmlFault(this.#place(), message);
  }
}
