import { isJsonObject, type Json, type JsonObject, setMember } from './json.ts';
import { jsonEquals } from './json-equality.ts';
import { arrayIndex, type Pointer } from './json-pointer.ts';

/** Maximum characters that the `copy` and `move` operations of one patch may insert. Each can double the document. */
const MAX_COPIED = 1_048_576;

/** Maximum depth of a patched document, twice that of a body (REP-7). */
const MAX_DEPTH = 64;

type MutableJson = string | number | boolean | null | MutableJson[] | MutableObject;
interface MutableObject {
  [member: string]: MutableJson;
}

/** The reason why an operation failed. `excess`: the document would become too large or too deep. */
export type PatchFailure = { readonly kind: 'conflict' | 'excess'; readonly reason: string };

/** The members that operations have removed from objects of a document. Some may have been added again. */
export type RemovedMembers = ReadonlyMap<Json, ReadonlySet<string>>;

/** The rest of the budget for copies. Every copy reduces `characters`. */
interface CopyBudget {
  characters: number;
  /** Removed members of the source, which its copy lacks too. */
  readonly removed?: Map<Json, Set<string>>;
}

const DOCUMENT = 'document';
const ABSENT: PatchFailure = { kind: 'conflict', reason: 'path does not exist in the document.' };
const ABSENT_SOURCE: PatchFailure = { kind: 'conflict', reason: 'from does not exist in the document.' };
const EXCESS: PatchFailure = {
  kind: 'excess',
  reason: 'the result would be too large or too deeply nested; send a smaller change.',
};

/**
 * A copy of a document that patch operations change in place. The cost of a patch is linear in the size of document and
 * patch. The document is a member of a root object, so that operations on the whole document need no special case. Each
 * operation (RFC 6902 4) returns null on success; after a failure the copy must be discarded.
 */
export class MutableDocument {
  readonly #root: MutableObject;
  readonly #removed = new Map<Json, Set<string>>();
  readonly #copyBudget: CopyBudget = { characters: MAX_COPIED, removed: this.#removed };

  constructor(document: Json) {
    this.#root = { [DOCUMENT]: deepCopy(document, { characters: Infinity }, Infinity) ?? null };
  }

  get document(): Json {
    return this.#root[DOCUMENT] ?? null;
  }

  get removed(): RemovedMembers {
    return this.#removed;
  }

  add(path: Pointer, value: Json): PatchFailure | null {
    return this.#insert(path, value, { characters: Infinity });
  }

  replace(path: Pointer, value: Json): PatchFailure | null {
    const { container, token } = this.#locate(path);
    const replacement = deepCopy(value, { characters: Infinity }, MAX_DEPTH - path.length);
    if (replacement === undefined) return EXCESS;
    const before = child(container, token);
    if (before === undefined) return ABSENT;
    this.#markLost(before, replacement);
    if (Array.isArray(container)) container[Number(token)] = replacement;
    else if (isObject(container)) setMember(container, token, replacement);
    return null;
  }

  remove(path: Pointer): PatchFailure | null {
    if (path.length === 0) return { kind: 'conflict', reason: 'the whole document cannot be removed.' };
    const { container, token } = this.#locate(path);
    if (child(container, token) === undefined) return ABSENT;
    if (Array.isArray(container)) container.splice(Number(token), 1);
    else if (isObject(container)) {
      delete container[token];
      this.#markRemoved(container, token);
    }
    return null;
  }

  copy(from: Pointer, path: Pointer): PatchFailure | null {
    const value = this.#find(from);
    return value === undefined ? ABSENT_SOURCE : this.#insert(path, value, this.#copyBudget);
  }

  move(from: Pointer, path: Pointer): PatchFailure | null {
    const value = this.#find(from);
    if (value === undefined) return ABSENT_SOURCE;
    if (from.every((token, level) => token === path[level])) {
      return from.length === path.length
        ? null
        : { kind: 'conflict', reason: 'a value cannot be moved into one of its children.' };
    }
    return this.remove(from) ?? this.#insert(path, value, this.#copyBudget);
  }

  test(path: Pointer, expected: Json): PatchFailure | null {
    const value = this.#find(path);
    if (value === undefined) return ABSENT;
    return jsonEquals(value, expected) ? null : { kind: 'conflict', reason: 'the value at path differs.' };
  }

  #insert(path: Pointer, value: Json, budget: CopyBudget): PatchFailure | null {
    const { container, token } = this.#locate(path);
    const added = deepCopy(value, budget, MAX_DEPTH - path.length);
    if (added === undefined) return EXCESS;
    if (Array.isArray(container)) {
      const index = token === '-' ? container.length : arrayIndex(token);
      if (index === null || index > container.length) return ABSENT;
      container.splice(index, 0, added);
      return null;
    }
    if (!isObject(container)) return ABSENT;
    this.#markLost(child(container, token), added);
    setMember(container, token, added);
    return null;
  }

  #markRemoved(container: MutableObject, name: string): void {
    const names = this.#removed.get(container) ?? new Set();
    this.#removed.set(container, names.add(name));
  }

  /** Marks the members that an object lacks of the one whose place it takes. */
  #markLost(before: MutableJson | undefined, after: MutableJson | undefined): void {
    if (!isObject(before) || !isObject(after)) return;
    for (const name of [...Object.keys(before), ...(this.#removed.get(before) ?? [])]) {
      if (!Object.hasOwn(after, name)) this.#markRemoved(after, name);
      else if (Object.hasOwn(before, name)) this.#markLost(before[name], after[name]);
    }
  }

  #find(path: Pointer): MutableJson | undefined {
    const { container, token } = this.#locate(path);
    return child(container, token);
  }

  /** The container and the last token of a pointer; the container is undefined if it does not exist. */
  #locate(path: Pointer): { readonly container: MutableJson | undefined; readonly token: string } {
    let container: MutableJson | undefined = this.#root;
    let last = DOCUMENT;
    for (const token of path) {
      container = child(container, last);
      last = token;
    }
    return { container, token: last };
  }
}

function isObject(node: MutableJson | undefined): node is MutableObject {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}

function child(node: MutableJson | undefined, token: string): MutableJson | undefined {
  if (Array.isArray(node)) {
    const index = arrayIndex(token);
    return index === null ? undefined : node[index];
  }
  return isObject(node) && Object.hasOwn(node, token) ? node[token] : undefined;
}

/** A deep copy; undefined if it exceeds the budget or `depth` levels. */
function deepCopy(value: Json, budget: CopyBudget, depth: number): MutableJson | undefined {
  budget.characters -= typeof value === 'string' ? value.length + 1 : 1;
  if (budget.characters < 0) return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (depth < 1) return undefined;
  if (isJsonObject(value)) return deepCopyObject(value, budget, depth);
  const items: MutableJson[] = [];
  for (const item of value) {
    const copy = deepCopy(item, budget, depth - 1);
    if (copy === undefined) return undefined;
    items.push(copy);
  }
  return items;
}

function deepCopyObject(value: JsonObject, budget: CopyBudget, depth: number): MutableObject | undefined {
  const members: [string, MutableJson][] = [];
  for (const [name, member] of Object.entries(value)) {
    budget.characters -= name.length;
    const copy = deepCopy(member, budget, depth - 1);
    if (copy === undefined) return undefined;
    members.push([name, copy]);
  }
  const copied = Object.fromEntries(members);
  const removed = budget.removed?.get(value);
  if (removed !== undefined) budget.removed?.set(copied, new Set(removed));
  return copied;
}
