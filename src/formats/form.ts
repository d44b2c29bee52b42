import type { JsonObject } from '../conventions/json/json.ts';
import type { StructureLimits } from './json-scan.ts';
import { checkedText, decodeUtf8, malformedBody } from './malformed-body.ts';
import { type NodeContent, type ObjectType, type RawValue, readTree, type TreeNode } from './typed-reader.ts';

/**
 * Parses a body in `application/x-www-form-urlencoded` and reads it by its schema (NEG-5): `tags[]=a&tags[]=b`,
 * `address[city]=Oslo`, `items[0][sku]=x`. A name without `=` is null; `name[]` without `=` is an empty list or object.
 * In a key of a map, `[`, `]`, `%` and control characters are percent-encoded twice, and a lone `%` is the empty key.
 * Thus every value has a form.
 *
 * @throws {ApiError} REQUEST_BODY_MALFORMED
 */
export function readForm(bytes: Uint8Array, type: ObjectType, limits: StructureLimits): JsonObject {
  const form = new FormTree(limits);
  for (const pair of decodeUtf8(bytes).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    if (equals === -1) form.add(decodeFormText(pair), { kind: 'null' });
    else form.add(decodeFormText(pair.slice(0, equals)), formText(decodeFormText(pair.slice(equals + 1))));
  }
  return form.read(type);
}

/** The start of a JSON object or array, percent-encoded or not. The name of no field begins with a brace or bracket. */
const JSON_START = /^(?:[\s+]|%20|%0[9AD])*(?:[{[]|%7B|%5B)/i;

/** The number of bytes that are examined: white space may precede the JSON. */
const JSON_PREFIX = 256;

/** True if a body that is sent as a form is JSON: its first name begins with `{` or `[` (NEG-2). */
export function isJsonForm(bytes: Uint8Array): boolean {
  return JSON_START.test(String.fromCharCode(...bytes.subarray(0, JSON_PREFIX)));
}

function decodeFormText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    const message = 'a percent sign must be followed by two hexadecimal digits of UTF-8; write the sign itself as %25';
    throw malformedBody(null, message, { cause });
  }
}

/** The text of a form field. */
export function formText(text: string): RawValue {
  return text === '' ? { kind: 'empty' } : { kind: 'text', text, padded: false };
}

const NAME = /^([^[\]]+)((?:\[[^[\]]*\])*)$/;
const INDEX = /^(?:0|[1-9]\d*)$/;
const KEY = /\[([^[\]]*)\]/g;

/** A name or a part of one, while the form is parsed. */
interface FormNode {
  /** The name as the form writes it: `items[0][sku]`. */
  readonly place: string;
  readonly values: RawValue[];
  /** Values of `name[]`. */
  readonly items: RawValue[];
  /** Nodes of `name[key]`. */
  readonly members: Map<string, FormNode>;
  /** True if `name[]` was sent without a value. */
  isEmptyList: boolean;
}

/** Builds the untyped tree of a form from its pairs of name and value (NEG-5). */
export class FormTree {
  readonly #root = newNode('');
  readonly #limits: StructureLimits;

  constructor(limits: StructureLimits) {
    this.#limits = limits;
  }

  /** Adds a pair. @throws {ApiError} REQUEST_BODY_MALFORMED */
  add(name: string, value: RawValue): void {
    const [, first = name, groups = ''] = NAME.exec(name) ?? [];
    const keys = [first, ...Array.from(groups.matchAll(KEY), ([, key = '']) => key)];
    const { depth, items } = this.#limits;
    if (keys.length > depth) throw malformedBody(name, `nested more than ${depth} levels deep`);
    let node = this.#root;
    for (const [level, key] of keys.entries()) {
      if (key === '' && level > 0) {
        if (level < keys.length - 1)
          throw malformedBody(name, 'only the last [] may be empty; number the items: items[0][name]');
        if (value.kind === 'null') node.isEmptyList = true;
        else if (node.items.push(value) > items) throw malformedBody(node.place, `must have at most ${items} items`);
        return;
      }
      node = findFormMember(node, key);
    }
    node.values.push(value);
  }

  /** The value of the form by its schema. @throws {ApiError} REQUEST_BODY_MALFORMED */
  read(type: ObjectType): JsonObject {
    const format = { limits: this.#limits, listSyntax: 'name[], or of name[0], name[1], ...' };
    return readTree(listFormMembers(this.#root), type, format);
  }
}

function newNode(place: string): FormNode {
  return { place, values: [], items: [], members: new Map(), isEmptyList: false };
}

function findFormMember(node: FormNode, key: string): FormNode {
  const known = node.members.get(key);
  if (known !== undefined) return known;
  const member = newNode(node.place === '' ? key : `${node.place}[${key}]`);
  node.members.set(key, member);
  return member;
}

function listFormMembers({ members }: FormNode): readonly TreeNode[] {
  return Array.from(members, ([name, node]) => {
    return { name, key: unescapedKey(name), place: node.place, content: readFormContent(node) };
  });
}

function readFormContent(node: FormNode): NodeContent {
  const { place, values, items, members, isEmptyList } = node;
  if (values.length > 0) {
    if (items.length > 0 || members.size > 0 || isEmptyList)
      throw malformedBody(place, 'must be sent either with or without brackets');
    return { kind: 'values', values: values.map((value) => checkedValue(value, place)) };
  }
  if (members.size === 0) {
    const children = items.map((item) => ({ name: '', key: '', place, content: checkedValue(item, place) }));
    return { kind: 'list', children };
  }
  const children = listFormMembers(node);
  if (items.length > 0) return { kind: 'mixed', children };
  const isNumbered = children.every(({ name }) => INDEX.test(name) && Number(name) < children.length);
  if (!isNumbered) return { kind: 'members', children };
  return { kind: 'numbered', children: children.toSorted((a, b) => Number(a.name) - Number(b.name)) };
}

function checkedValue(value: RawValue, place: string): RawValue {
  if (value.kind === 'text') checkedText(value.text, place);
  return value;
}

/**
 * Decodes the key of a map, which is percent-encoded twice. A key that is not valid percent-encoding is used as it is.
 */
function unescapedKey(key: string): string {
  if (key === '%') return '';
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
