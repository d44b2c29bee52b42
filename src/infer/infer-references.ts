import type { CollectionFacts, ReferenceFacts } from './collection-facts.ts';
import { snakeName } from './field-name.ts';
import type { IdFacts } from './id-facts.ts';
import type { ValueFacts } from './value-facts.ts';

/** A collection, as far as references matter. */
export interface ReferableCollection {
  readonly facts: CollectionFacts;
  /** Name of the resource. */
  readonly name: string;
  readonly singular: string;
  /** The ids of its rows; null where the data has none. */
  readonly ids: IdFacts | null;
}

/** The target of a reference in the data. */
export type InferredReference =
  | { readonly kind: 'reference'; readonly resource: string }
  /** It may be a reference: a comment says why it is none. */
  | { readonly kind: 'note'; readonly note: string };

/** Names of references to the same collection that do not contain its name. */
const SELF_NAMES: ReadonlySet<string> = new Set([
  'parent',
  'manager',
  'root',
  'previous',
  'original',
  'reply_to',
  'replaces',
]);
const REFERENCE_KINDS: ReadonlySet<string> = new Set(['integer', 'text', 'cell']);

/**
 * Finds the references of all collections: members with the name of a collection whose values are all ids of it. Rows
 * are imported collection by collection, so that references in a circle are not declared.
 *
 * @returns by name of the resource, then by name of the member in the data
 */
export function inferReferences(
  collections: readonly ReferableCollection[],
): ReadonlyMap<string, ReadonlyMap<string, InferredReference>> {
  const edges = new Map(collections.map(({ name }) => [name, new Set<string>()]));
  return new Map(
    collections.map((collection) => {
      const found = new Map<string, InferredReference>();
      for (const [source, values] of collection.facts.members) {
        const reference = inferReference(collection, source, values, collections);
        if (reference !== null) found.set(source, withoutCircle(reference, collection.name, edges));
      }
      return [collection.name, found];
    }),
  );
}

function inferReference(
  collection: ReferableCollection,
  source: string,
  values: ValueFacts,
  collections: readonly ReferableCollection[],
): InferredReference | null {
  const { references, ids } = collection.facts;
  const facts = references.get(source);
  if (facts === undefined || ids.has(source) || !mayRefer(values)) return null;
  const name = snakeName(source);
  const stem = name.replace(/_ids?$/, '');
  if (SELF_NAMES.has(stem)) return selfReference(collection, facts);
  const target = collections.find((each) => isNamed(stem, each));
  if (target === undefined) return stem === name ? null : referenceByValues(collection, facts, collections);
  if (target === collection) return stem === name ? null : selfReference(collection, facts);
  const missing = missingIds(facts, target);
  if (missing === null) return null;
  if (missing === 0) return { kind: 'reference', resource: target.name };
  if (stem === name) return null;
  const what = missing === 1 ? '1 value is' : `${missing} values are`;
  return { kind: 'note', note: `no reference: ${what} not an id of ${target.name}` };
}

function mayRefer({ kinds, items, count, nulls }: ValueFacts): boolean {
  if (count === nulls) return false;
  if (!kinds.has('array')) return [...kinds].every((kind) => REFERENCE_KINDS.has(kind));
  return (
    kinds.size === 1 &&
    items !== null &&
    items.nulls === 0 &&
    [...items.kinds].every((kind) => REFERENCE_KINDS.has(kind))
  );
}

/** True if a member is named after a collection: `customer`, `customers`, `billing_customer`. */
function isNamed(stem: string, { name, singular }: ReferableCollection): boolean {
  return stem === name || stem === singular || stem.endsWith(`_${singular}`);
}

/** A row may refer to rows before it, because these are imported before it. */
function selfReference({ name, ids }: ReferableCollection, facts: ReferenceFacts): InferredReference | null {
  if (ids === null || !facts.isEarlierRow) return null;
  return { kind: 'reference', resource: name };
}

/**
 * A member with a name like `author_id`, which names no collection, and whose values are ids of one collection alone.
 */
function referenceByValues(
  collection: ReferableCollection,
  facts: ReferenceFacts,
  collections: readonly ReferableCollection[],
): InferredReference | null {
  const [target, another] = collections.filter((each) => each !== collection && missingIds(facts, each) === 0);
  if (target === undefined || another !== undefined) return null;
  // Small numbers are ids of many collections.
  if (target.ids?.isInteger === true) return { kind: 'note', note: `maybe x-references: ${target.name}` };
  return { kind: 'reference', resource: target.name };
}

/** The number of values that are not ids of a collection; null where that is not known. */
function missingIds({ ids }: ReferenceFacts, { ids: target }: ReferableCollection): number | null {
  if (ids === null || target === null) return null;
  let missing = 0;
  for (const id of ids) {
    const has = target.has(id);
    if (has === null) return null;
    if (!has) missing += 1;
  }
  return missing;
}

function withoutCircle(
  reference: InferredReference,
  from: string,
  edges: ReadonlyMap<string, Set<string>>,
): InferredReference {
  if (reference.kind === 'note' || reference.resource === from) return reference;
  if (reaches(reference.resource, from, edges)) {
    return { kind: 'note', note: `no reference: ${reference.resource} refers to ${from} already` };
  }
  edges.get(from)?.add(reference.resource);
  return reference;
}

function reaches(from: string, to: string, edges: ReadonlyMap<string, Set<string>>): boolean {
  return from === to || [...(edges.get(from) ?? [])].some((next) => reaches(next, to, edges));
}
