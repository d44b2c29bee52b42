import type { Model, OlderVersion, Property, Resource, VersionChange } from '../model/model.ts';
import { type Fill, ResourceMapping } from './resource-mapping.ts';
import { olderSources, type FieldSources, storedSources } from './sources.ts';

/** An older contract in terms of the newest one: how its rows, names and queries correspond to what is stored. */
export interface ContractMapping {
  /** By the name of the resource; without an entry where it is the same in both. */
  readonly resources: ReadonlyMap<string, ResourceMapping>;
}

/** The mappings of all older contracts of a model, in their order. Of a retired one nothing is served. */
export function contractMappings(model: Model): readonly ContractMapping[] {
  let sources = new Map([...model.resources.values()].map((each) => [each.name, declaredSources(each)]));
  const fills = new Map<string, readonly Fill[]>();
  return model.versions.map(({ changes, model: older }) => {
    const byResource = Map.groupBy(changes, ({ resource }) => resource);
    // A field that this version fills is one of its successor: what it means there is known before the sources change.
    for (const [name, own] of byResource)
      fills.set(name, [...(fills.get(name) ?? []), ...filled(own, sources.get(name))]);
    sources = new Map([...sources].map(([name, each]) => [name, olderSources(each, byResource.get(name) ?? [])]));
    const { resources } = model;
    const mapped = [...older.resources.values()].flatMap((each): readonly (readonly [string, ResourceMapping])[] => {
      const [stored, fields] = [resources.get(each.name), sources.get(each.name)];
      if (stored === undefined || fields === undefined || haveSameRows(each, stored, fields)) return [];
      const own = { older: each, stored, sources: fields, fills: fills.get(each.name) ?? [], resources };
      return [[each.name, new ResourceMapping(own)]];
    });
    return { resources: new Map(mapped) };
  });
}

/** The mapping of an older contract. It may be one that the model does not list. */
export function findContractMapping(model: Model, version: OlderVersion): ContractMapping {
  const listed = contractMappings(model)[model.versions.indexOf(version)];
  return listed ?? contractMappings({ ...model, versions: [version] })[0] ?? { resources: new Map() };
}

/** The field with the id of the parent follows the singular of the parent. */
function declaredSources({ fields, parent }: Resource): FieldSources {
  return storedSources(fields.flatMap(({ name }) => (name === parent?.field ? [] : [name])));
}

function filled(changes: readonly VersionChange[], sources: FieldSources | undefined): readonly Fill[] {
  return changes.flatMap((change) => {
    if (change.kind !== 'fill') return [];
    const source = sources?.get(change.field);
    return source === undefined ? [] : [{ source, value: change.value }];
  });
}

/** True if rows are the same in both contracts, whatever the resource is called. */
function haveSameRows(older: Resource, stored: Resource, sources: FieldSources): boolean {
  return (
    older.parent?.field === stored.parent?.field &&
    older.fields.length === stored.fields.length &&
    older.fields.every(({ name }, index) => {
      const source = sources.get(name);
      const isParent = name === stored.parent?.field;
      return stored.fields[index]?.name === name && (isParent || (source?.kind === 'field' && source.name === name));
    })
  );
}

/**
 * The model of an older contract as it is served: filters and sorts do not know the properties that are stored at no
 * one place.
 */
export function withStoredProperties(
  { model }: OlderVersion,
  { resources: mappings }: ContractMapping,
  newest: Model,
): Model {
  const resources = new Map(
    [...model.resources].map(([name, resource]): readonly [string, Resource] => {
      const mapping = mappings.get(name);
      const stored = newest.resources.get(name);
      // The newest model has the policies.
      const sameForEveryCaller = resource.sameForEveryCaller && stored?.sameForEveryCaller === true;
      if (mapping === undefined)
        return [name, { ...resource, sameForEveryCaller, rows: stored?.rows ?? resource.rows }];
      const properties = [...resource.properties].map(([path, each]) => [path, storedProperty(each, mapping)] as const);
      return [name, { ...resource, sameForEveryCaller, properties: new Map(properties) }];
    }),
  );
  const collections = new Map([...resources.values()].map((each) => [each.collection, each]));
  return { ...model, resources, collections };
}

/** Values that differ have another order, and a filter on them needs to know all of them. */
function storedProperty(property: Property, mapping: ResourceMapping): Property {
  const { path, filterable } = property;
  const found = mapping.property(path);
  if (found === null) return { ...property, sortable: false, filterable: false };
  if (found.values === null) return property;
  const allowed = mapping.stored.properties.get(found.path)?.allowed ?? null;
  const isKnown = allowed !== null && property.type.kind !== 'array';
  return { ...property, sortable: false, filterable: filterable && isKnown };
}
