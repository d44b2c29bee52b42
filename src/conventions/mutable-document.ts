import { isJsonObject, type Json, type JsonObject, setMember } from './json.ts';
import { jsonEquals } from './json-equality.ts';
import { arrayIndex, type Pointer } from './json-pointer.ts';

/** Most characters that the `copy` and `move` operations of one patch may place: a few of them can double a document each. */
export const MAX_COPIED = 1_048_576;

/** Most levels of a patched document, twice those of a body (REP-7). */
export const MAX_DEPTH = 64;

type MutableJson = string | number | boolean | null | MutableJson[] | MutableObject;
interface MutableObject {
  [member: string]: MutableJson;
}

/** Why an operation cannot be done; `excess` is a document that would become too large or too deep. */
export type PatchFailure = { readonly kind: 'conflict' | 'excess'; readonly reason: string };

/** How much may still be copied: `characters` falls with every copy. */
interface CopyBudget {
  characters: number;
}

const DOCUMENT = 'document';
const ABSENT: PatchFailure = { kind: 'conflict', reason: 'its path leads to nothing in the document.' };
const ABSENT_SOURCE: PatchFailure = { kind: 'conflict', reason: 'its from leads to nothing in the document.' };
const EXCESS: PatchFailure = {
  kind: 'excess',
  reason: 'it makes the document too large or too deep; send a smaller change.',
};

/**
 * A copy of a document that operations change in place, so that a patch costs what document and patch measure together. It
 * hangs in a holder: the whole document is then a member like any other. Each operation (RFC 6902 4) answers null where it succeeds;
 * after one that fails the copy is of no use.
 */
export class MutableDocument {
  readonly #holder: MutableObject;
  readonly #placed: CopyBudget = { characters: MAX_COPIED };

  constructor(document: Json) {
    this.#holder = { [DOCUMENT]: copyOf(document, { characters: Infinity }, Infinity) ?? null };
  }

  get document(): Json {
    return this.#holder[DOCUMENT] ?? null;
  }

  add(path: Pointer, value: Json): PatchFailure | null {
    return this.#insert(path, value, { characters: Infinity });
  }

  replace(path: Pointer, value: Json): PatchFailure | null {
    const { container, token } = this.#locate(path);
    const replacement = copyOf(value, { characters: Infinity }, MAX_DEPTH - path.length);
    if (replacement === undefined) return EXCESS;
    if (step(container, token) === undefined) return ABSENT;
    if (Array.isArray(container)) container[Number(token)] = replacement;
    else if (isObject(container)) setMember(container, token, replacement);
    return null;
  }

  remove(path: Pointer): PatchFailure | null {
    if (path.length === 0) return { kind: 'conflict', reason: 'the whole document cannot be removed.' };
    const { container, token } = this.#locate(path);
    if (step(container, token) === undefined) return ABSENT;
    if (Array.isArray(container)) container.splice(Number(token), 1);
    else if (isObject(container)) delete container[token];
    return null;
  }

  copy(from: Pointer, path: Pointer): PatchFailure | null {
    const value = this.#find(from);
    return value === undefined ? ABSENT_SOURCE : this.#insert(path, value, this.#placed);
  }

  move(from: Pointer, path: Pointer): PatchFailure | null {
    const value = this.#find(from);
    if (value === undefined) return ABSENT_SOURCE;
    if (from.every((token, level) => token === path[level])) {
      return from.length === path.length
        ? null
        : { kind: 'conflict', reason: 'a value cannot move into a part of itself.' };
    }
    return this.remove(from) ?? this.#insert(path, value, this.#placed);
  }

  test(path: Pointer, expected: Json): PatchFailure | null {
    const value = this.#find(path);
    if (value === undefined) return ABSENT;
    return jsonEquals(value, expected) ? null : { kind: 'conflict', reason: 'the value at its path is another.' };
  }

  #insert(path: Pointer, value: Json, allowance: CopyBudget): PatchFailure | null {
    const { container, token } = this.#locate(path);
    const added = copyOf(value, allowance, MAX_DEPTH - path.length);
    if (added === undefined) return EXCESS;
    if (Array.isArray(container)) {
      const index = token === '-' ? container.length : arrayIndex(token);
      if (index === null || index > container.length) return ABSENT;
      container.splice(index, 0, added);
      return null;
    }
    if (!isObject(container)) return ABSENT;
    setMember(container, token, added);
    return null;
  }

  #find(path: Pointer): MutableJson | undefined {
    const { container, token } = this.#locate(path);
    return step(container, token);
  }

  /** What holds the value that a pointer names, or would name; undefined where even that is absent. */
  #locate(path: Pointer): { readonly container: MutableJson | undefined; readonly token: string } {
    let container: MutableJson | undefined = this.#holder;
    let last = DOCUMENT;
    for (const token of path) {
      container = step(container, last);
      last = token;
    }
    return { container, token: last };
  }
}

function isObject(node: MutableJson | undefined): node is MutableObject {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}

function step(node: MutableJson | undefined, token: string): MutableJson | undefined {
  if (Array.isArray(node)) {
    const index = arrayIndex(token);
    return index === null ? undefined : node[index];
  }
  return isObject(node) && Object.hasOwn(node, token) ? node[token] : undefined;
}

/** A copy that shares nothing with the value; undefined where it takes more than the allowance or more than `depth` levels. */
function copyOf(value: Json, allowance: CopyBudget, depth: number): MutableJson | undefined {
  allowance.characters -= typeof value === 'string' ? value.length + 1 : 1;
  if (allowance.characters < 0) return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (depth < 1) return undefined;
  if (isJsonObject(value)) return copyOfObject(value, allowance, depth);
  const items: MutableJson[] = [];
  for (const item of value) {
    const copy = copyOf(item, allowance, depth - 1);
    if (copy === undefined) return undefined;
    items.push(copy);
  }
  return items;
}

function copyOfObject(value: JsonObject, allowance: CopyBudget, depth: number): MutableObject | undefined {
  const members: [string, MutableJson][] = [];
  for (const [name, member] of Object.entries(value)) {
    allowance.characters -= name.length;
    const copy = copyOf(member, allowance, depth - 1);
    if (copy === undefined) return undefined;
    members.push([name, copy]);
  }
  return Object.fromEntries(members);
}
