import type { Json } from '../conventions/json/json.ts';
import { RESERVED_FIELDS, reservedCollections } from '../model/compile/fields/names.ts';
import type { CollectionFacts } from './collection-facts.ts';
import { DataError } from './data-error.ts';
import { snakeName, safeName } from './field-name.ts';
import type { IdFacts } from './id-facts.ts';
import { type InferredReference, inferReferences, type ReferableCollection } from './infer-references.ts';
import { inferMembers } from './infer-schema.ts';
import type { ModelDraft, ResourceDraft } from './model-draft.ts';
import { type UnrelatedDraft, nameRelations } from './relations.ts';
import { type NamedResource, ResourceNamer } from './resource-name.ts';
import type { ValueFacts } from './value-facts.ts';

/** The columns of a table. */
const MAX_FIELDS = 1_000;

/** A collection with what was decided about it. */
interface Collection extends ReferableCollection, NamedResource {
  /** The name of the id in the data; null where it has none. */
  readonly id: string | null;
}

/**
 * Infers a model that every row of the data passes.
 *
 * @param name of the data, such as the name of its file without extension
 * @throws {DataError} where ids are missing or not unique, and for a row with too many members
 */
export function inferModel(
  name: string,
  collections: readonly CollectionFacts[],
  notes: readonly string[],
): ModelDraft {
  const namer = new ResourceNamer();
  const named = collections.map((facts): Collection => {
    const id = idSource(facts);
    const ids = id === null ? null : (facts.ids.get(id) ?? null);
    return { ...namer.name(facts.source), facts, ids, id };
  });
  const references = inferReferences(named);
  const drafts = named.map((collection) => draftCollection(collection, references.get(collection.name) ?? new Map()));
  return {
    name: modelName(name),
    settings: { version: '1.0.0', ...systemSettings(named.map(({ collection }) => collection)) },
    resources: nameRelations(drafts),
    notes,
  };
}

/** A valid name of a model. */
export function modelName(source: string): string {
  return snakeName(source).replaceAll('_', '-');
}

/** Renames collections of the server whose names the data needs. */
export function systemSettings(collections: readonly string[]): ModelDraft['settings'] {
  const reserved = reservedCollections({});
  const renamed = collections
    .filter((each) => reserved.has(each))
    .map((each): [string, Json] => [each, `server-${each}`]);
  return renamed.length === 0 ? {} : { system: Object.fromEntries(renamed) };
}

/**
 * The name of the id in the data: `id`, or a name like `_id` and `ID`. Null where there is none, or where its values
 * cannot be ids.
 */
function idSource({ ids, source: collection, rows }: CollectionFacts): string | null {
  const [source = null] = [...ids.keys()].toSorted((one, other) => Number(other === 'id') - Number(one === 'id'));
  const facts = source === null ? undefined : ids.get(source);
  if (source === null || facts === undefined || !facts.isUsable || facts.count === 0) return null;
  const { duplicate, missing, isUuid, count } = facts;
  if (duplicate !== null) {
    const { id, first, second } = duplicate;
    const message = `${collection}: rows ${first} and ${second.row} have the same ${source} ${JSON.stringify(id)}; change one of them, or rename the member`;
    throw new DataError(second.line, message);
  }
  if (missing !== null && !isUuid) {
    const message = `${collection}: row ${missing.row} has no ${source}, but ${count} of ${rows} rows have one; add it`;
    throw new DataError(missing.line, message);
  }
  return source;
}

function draftCollection(collection: Collection, references: ReadonlyMap<string, InferredReference>): UnrelatedDraft {
  const { facts, name, settings, id, ids } = collection;
  const system = new Set([id, timeSource('created_at', facts), timeSource('updated_at', facts)]);
  const members = new Map([...facts.members].filter(([source]) => !system.has(source)));
  if (members.size > MAX_FIELDS) {
    throw new DataError(
      null,
      `${facts.source}: the rows have ${members.size} different members; the maximum is ${MAX_FIELDS}`,
    );
  }
  const rename = (field: string, source: string): string =>
    fieldName(field, references.get(source), members.get(source));
  const fields = inferMembers(members, facts.rows, rename);
  const sources = [...members.keys()];
  const bySource = new Map(fields.map((field, index) => [sources[index] ?? '', field.name]));
  const resource: ResourceDraft = {
    name,
    settings: { ...settings, ...idSettings(ids) },
    ...(facts.source === name ? {} : { source: facts.source }),
    fields,
    notes: fields.length === 0 && facts.rows === 0 ? ['the data has no rows: add the fields'] : [],
  };
  return {
    resource,
    references: new Map([...references].map(([source, reference]) => [bySource.get(source) ?? source, reference])),
  };
}

function fieldName(name: string, reference: InferredReference | undefined, facts: ValueFacts | undefined): string {
  const isRelation = reference?.kind === 'reference' && facts?.kinds.has('array') === false;
  const field = isRelation && !name.endsWith('_id') ? `${name}_id` : name;
  return RESERVED_FIELDS.has(field) ? `source_${field}` : safeName(field);
}

/** The rule for ids. If those of the data are numbers, clients go on sending numbers, or no id at all. */
function idSettings(ids: IdFacts | null): ResourceDraft['settings'] {
  if (ids === null || ids.isUuid) return { id: 'uuid' };
  return { id: ids.isNumber ? { client: true, optional: true, number: true } : 'client' };
}

/**
 * The member that an import takes as a time of the server: the first with such a name whose values are all date-times.
 */
function timeSource(name: 'created_at' | 'updated_at', { members }: CollectionFacts): string | null {
  const [found] = [...members].filter(([source]) => snakeName(source) === name);
  if (found === undefined) return null;
  const [source, { kinds, text }] = found;
  const isText = [...kinds].every((kind) => kind === 'text' || kind === 'cell');
  return isText && text.format === 'date-time' ? source : null;
}
