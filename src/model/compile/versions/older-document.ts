import { isJsonObject, type Json, type JsonObject } from '../../../conventions/json/json.ts';
import type { Field, Model, Resource } from '../../model.ts';
import { readObject, readString } from '../../values/access.ts';
import { relationName } from '../fields/names.ts';
import { olderResource } from './older-resource.ts';
import type { StepChanges } from './read-changes.ts';

/**
 * The resources of the newest contract as older ones derive from them. Their schemas say that fields which functions
 * generate are read-only, and that those of the key of a table are immutable.
 */
export function contractResources(resources: Model['resources']): Model['resources'] {
  return new Map([...resources].map(([name, resource]) => [name, { ...resource, schema: contractSchema(resource) }]));
}

function contractSchema({ schema, field }: Resource): JsonObject {
  if (!Object.hasOwn(schema, 'properties')) return schema;
  const properties = Object.entries(readObject(schema['properties'])).map(([name, held]) => [
    name,
    { ...readObject(held), ...impliedKeywords(field.get(name)) },
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

function impliedKeywords(field: Field | undefined): JsonObject {
  return {
    ...((field?.generator ?? null) === null ? {} : { readOnly: true }),
    ...(field?.immutable === true ? { 'x-immutable': true } : {}),
  };
}

/**
 * A model document that compiles to the same contract as the newest one, without `$ref`s.
 *
 * @param resources see {@link contractResources}
 */
export function contractDocument(document: JsonObject, resources: Model['resources']): JsonObject {
  const declared = readObject(document['resources']);
  const contracts = [...resources.values()].map(({ name, schema }) => [
    name,
    { ...readObject(declared[name]), schema },
  ]);
  return { ...document, resources: Object.fromEntries(contracts) };
}

/** The document of a version from that of its successor. @param resources of the successor */
export function olderDocument(document: JsonObject, resources: Model['resources'], step: StepChanges): JsonObject {
  const declared = readObject(document['resources']);
  const kept = [...resources.values()].filter(({ name }) => !step.absent.has(name));
  const older = new Map(
    kept.map((resource) => {
      const { name } = resource;
      const paths = step.paths.get(name);
      if (paths === undefined) throw new TypeError(`${name} has no paths`);
      const changes = step.changes.filter(({ change }) => change.resource === name);
      const inputs = { resource, declared: readObject(declared[name]), changes, paths, names: step.names.get(name) };
      return [name, olderResource(inputs)] as const;
    }),
  );
  const related = kept.map((resource) => {
    const own = older.get(resource.name) ?? {};
    return [resource.name, { ...own, schema: keepReferences(readObject(own['schema']), resource, older, step) }];
  });
  return { ...document, resources: Object.fromEntries(related) };
}

/** The schema with references that the older version can have: one to an absent resource is a plain field. */
function keepReferences(
  schema: JsonObject,
  resource: Resource,
  older: ReadonlyMap<string, JsonObject>,
  { paths }: StepChanges,
): JsonObject {
  const properties = readObject(schema['properties']);
  const computed = resource.computed.flatMap(({ name }) => paths.get(resource.name)?.field(name) ?? []);
  const taken = new Set([...Object.keys(properties), ...computed]);
  const changed = resource.fields.flatMap((field): readonly (readonly [string, Json])[] => {
    const name = paths.get(resource.name)?.field(field.name) ?? null;
    if (name === null || field.reference === null || !Object.hasOwn(properties, name)) return [];
    return [[name, olderReference(readObject(properties[name]), { field, name, taken, older })]];
  });
  return changed.length === 0 ? schema : { ...schema, properties: { ...properties, ...Object.fromEntries(changed) } };
}

/** The place of a reference in the older version. */
interface ReferenceInputs {
  /** Name of the field in the successor. */
  readonly field: Field;
  readonly name: string;
  /** The names of all fields and computed members of its resource. */
  readonly taken: ReadonlySet<string>;
  readonly older: ReadonlyMap<string, JsonObject>;
}

/**
 * The schema of a field with its reference. The name of the relation follows from the older name of the field, else it
 * is that of the successor. If another field has that name, too, the field has no relation.
 */
function olderReference(schema: JsonObject, { field, name, taken, older }: ReferenceInputs): JsonObject {
  const { items } = schema;
  if (isJsonObject(items)) return { ...schema, items: olderReference(items, { field, name, taken, older }) };
  const { 'x-references': declared, ...plain } = schema;
  const long = isJsonObject(declared) ? declared : { resource: declared ?? '' };
  const target = older.get(readString(long['resource']) ?? '');
  if (declared === undefined || target === undefined) return plain;
  const isArray = field.type.kind === 'array';
  const derived = relationName(name, isArray);
  const names = [readString(long['as']) ?? derived, field.reference?.as ?? null];
  const as = names.find((each) => (each === null ? isArray : !taken.has(each)));
  if (as === undefined) return plain;
  const inverse = readString(long['inverse']);
  const isTaken = inverse !== null && Object.hasOwn(readObject(readObject(target['schema'])['properties']), inverse);
  if (as === derived && !isTaken) return schema;
  const { inverse: _inverse, ...others } = long;
  return {
    ...plain,
    'x-references': {
      ...others,
      ...(as === null ? {} : { as }),
      ...(inverse === null || isTaken ? {} : { inverse }),
    },
  };
}
