import { type ApiError, apiError } from '../conventions/errors.ts';
import type { Json, JsonObject } from '../conventions/json.ts';
import type { Shape, ValueType } from '../model/model.ts';
import { nameFault, textFault } from './characters.ts';
import type { StructureLimits } from './json-scan.ts';
import { type ObjectType, typedText } from './typed-reader.ts';

/** What a form says under one name. */
export type FormValue =
  | { readonly kind: 'text'; readonly text: string }
  /** A name without a value: null, or after `[]` a list or an object that is there and holds nothing. */
  | { readonly kind: 'bare' }
  /** A part of a multipart form in JSON: any value at all. */
  | { readonly kind: 'json'; readonly json: Json }
  | { readonly kind: 'file'; readonly bytes: Uint8Array };

/** What is said under a name and the names below it. */
interface Node {
  /** The name as the form writes it, for messages. */
  readonly name: string;
  readonly values: FormValue[];
  /** Values under `name[]`. */
  readonly items: FormValue[];
  /** What is said under `name[key]`. */
  readonly members: Map<string, Node>;
  /** Whether `name[]` stands without a value. */
  empty: boolean;
}

const NAME = /^([^[\]]+)((?:\[[^[\]]*\])*)$/;
const KEY = /\[([^[\]]*)\]/g;

/** The names and values of a form, read as the value that its schema makes of them (NEG-5). */
export class FormTree {
  readonly #root = newNode('the form');
  readonly #limits: StructureLimits;

  constructor(limits: StructureLimits) {
    this.#limits = limits;
  }

  /** Takes in one pair. @throws {ApiError} REQUEST_BODY_MALFORMED */
  add(name: string, value: FormValue): void {
    const [, first = name, groups = ''] = NAME.exec(name) ?? [];
    const keys = [first, ...Array.from(groups.matchAll(KEY), ([, key = '']) => key)];
    if (keys.length > this.#limits.depth) {
      throw formFault(`${name} is nested more than ${this.#limits.depth} levels deep`);
    }
    let node = this.#root;
    for (const [depth, key] of keys.entries()) {
      if (key === '' && depth > 0) {
        if (depth < keys.length - 1)
          throw formFault(`${name} has [] before other brackets; number the items, as in items[0][name]`);
        if (value.kind === 'bare') node.empty = true;
        else if (node.items.push(value) > this.#limits.items) throw this.#tooMany(node);
        return;
      }
      node = memberOf(node, key);
    }
    node.values.push(value);
  }

  /** The whole form as an object. @throws {ApiError} REQUEST_BODY_MALFORMED */
  read(type: ObjectType): JsonObject {
    return this.#members(this.#root, type);
  }

  #value(node: Node, shape: Shape | null): Json {
    const [value, another] = node.values;
    const nested = node.items.length + node.members.size > 0 || node.empty;
    if (value !== undefined && nested) throw formFault(`${node.name} has a value, and brackets with others`);
    if (shape?.type.kind === 'array') return this.#list(node, shape.type.item);
    if (another !== undefined) throw formFault(`${node.name} is given twice`);
    if (value !== undefined) return valueOf(value, shape, node.name);
    const type = shape?.type ?? null;
    if (type?.kind === 'object' || type?.kind === 'map') {
      if (node.items.length > 0) throw formFault(`${node.name} is no list`);
      return this.#members(node, type);
    }
    // The schema has no such list or object: it is kept, to be refused by name.
    return node.members.size > 0 ? this.#members(node, null) : node.items.map((item) => valueOf(item, null, node.name));
  }

  #list(node: Node, item: Shape): Json {
    const [value, another] = node.values;
    if (value !== undefined && another === undefined && isUnset(value)) return null;
    if (value?.kind === 'json' && another === undefined) return value.json;
    if (node.members.size > 0 && node.items.length > 0)
      throw formFault(`${node.name} has items with and without numbers`);
    if (node.members.size === 0) {
      return [...node.values, ...node.items].map((each) => valueOf(each, item, node.name));
    }
    const { items } = this.#limits;
    if (node.members.size > items) throw this.#tooMany(node);
    return Array.from({ length: node.members.size }, (_, index) => {
      const member = node.members.get(String(index));
      if (member === undefined) throw formFault(`the items of ${node.name} are numbered from 0 on, none left out`);
      return this.#value(member, item);
    });
  }

  #members(node: Node, type: Extract<ValueType, { kind: 'object' | 'map' }> | null): JsonObject {
    const members = [...node.members].map(([key, member]): [string, Json] => {
      const name = type?.kind === 'map' ? unescapedKey(key) : key;
      const fault = nameFault(name);
      if (fault !== null) throw formFault(fault);
      const shape = type?.kind === 'map' ? type.value : (type?.members.find((each) => each.name === name) ?? null);
      return [name, this.#value(member, shape)];
    });
    if (new Set(members.map(([name]) => name)).size < members.length) throw formFault(`${node.name} has a key twice`);
    return Object.fromEntries(members);
  }

  #tooMany({ name }: Node): ApiError {
    return formFault(`${name} has more than ${this.#limits.items} items`);
  }
}

/** The refusal of a form. */
export function formFault(message: string): ApiError {
  return apiError('REQUEST_BODY_MALFORMED', `The form cannot be read: ${message}.`);
}

function newNode(name: string): Node {
  return { name, values: [], items: [], members: new Map(), empty: false };
}

function memberOf(node: Node, key: string): Node {
  const known = node.members.get(key);
  if (known !== undefined) return known;
  const made = newNode(node.name === 'the form' ? key : `${node.name}[${key}]`);
  node.members.set(key, made);
  return made;
}

function valueOf(value: FormValue, shape: Shape | null, name: string): Json {
  switch (value.kind) {
    case 'bare':
      return null;
    case 'json':
      return value.json;
    case 'file':
      if (shape?.type.kind === 'binary') return Buffer.from(value.bytes).toString('base64');
      throw formFault(`${name} is a file, and the field holds none`);
    case 'text': {
      const fault = textFault(value.text);
      if (fault !== null) throw formFault(`the value of ${name} ${fault}`);
      if (shape === null) return value.text;
      return value.text === '' ? emptyOf(shape) : typedText(shape.type, value.text);
    }
  }
}

/** An empty value is a text where any text may stand, null where that may, and else stays, to be refused (NEG-5). */
function emptyOf({ type, nullable }: Shape): Json {
  return !(type.kind === 'text' && type.format === null) && nullable ? null : '';
}

function isUnset(value: FormValue): boolean {
  return value.kind === 'bare' || (value.kind === 'text' && value.text === '');
}

/**
 * A key of a map stands percent-encoded once more where it holds brackets, percent signs or control characters; a lone percent sign is the
 * empty key. One that is no such encoding is meant as it is.
 */
function unescapedKey(key: string): string {
  if (key === '%') return '';
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
