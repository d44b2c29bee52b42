import { weakMemoize } from '../../cache/memoize.ts';
import type { Field, Model, Property, Resource } from '../../model/model.ts';
import { listEventTypes } from '../../model/event-types.ts';
import { type Relation, listRelations } from '../../plan/expansion.ts';
import { isSortable } from '../../plan/list/sort.ts';
import { writeRoutePattern } from '../../plan/routes/route-table.ts';

/** A resource of a contract, with everything that clients can read, send, filter by and follow. */
export interface PlacedResource {
  readonly resource: Resource;
  /** The resources above it, the nearest first. */
  readonly above: readonly Resource[];
  /** The path of its collection: `/api/v1/products/{product_id}/reviews`. */
  readonly path: string;
  /** The names of the parameters in that path, as in the path. */
  readonly pathParameters: readonly string[];
  /** The fields of responses. */
  readonly readable: readonly Field[];
  /** The fields of requests; none of a read-only resource. The parent is in the path. */
  readonly writable: readonly Field[];
  readonly filterable: readonly Property[];
  readonly sortable: readonly Property[];
  /** The paths that `sort` knows: sortable properties and the time field. */
  readonly sortKeys: readonly string[];
  readonly relations: readonly Relation[];
  readonly eventTypes: readonly string[];
}

/** The start of all paths below the base: `/api/v1`. */
export function versionedPath({ basePath, version }: Pick<Model, 'basePath' | 'version'>): string {
  return `${basePath}/v${version.major}`;
}

/** Lists the resources of a model with their paths, parents before their children. */
export const placeResources = weakMemoize((model: Model): readonly PlacedResource[] => {
  const base = versionedPath(model);
  return [...model.resources.values()].map((resource) => {
    const above = listAncestors(resource, model);
    const below = [resource, ...above];
    return {
      ...describeMembers(resource, model),
      above,
      path: writeRoutePattern('collection', { model, base, resource }),
      pathParameters: below.flatMap(({ parent }) => (parent === null ? [] : [parent.field])).toReversed(),
    };
  });
});

/** Lists the resources above one, the nearest first. */
export function listAncestors({ parent }: Resource, model: Pick<Model, 'resources'>): readonly Resource[] {
  const above = parent === null ? undefined : model.resources.get(parent.resource);
  return above === undefined ? [] : [above, ...listAncestors(above, model)];
}

/** A resource without its place: its members, relations and events. */
type DescribedMembers = Omit<PlacedResource, 'above' | 'path' | 'pathParameters'>;

/** Describes the members, relations and events of a resource. */
function describeMembers(resource: Resource, model: Pick<Model, 'resources'>): DescribedMembers {
  const { fields, parentKey, properties, readOnly: isReadOnly } = resource;
  return {
    resource,
    readable: fields.filter(({ writeOnly }) => !writeOnly),
    writable: isReadOnly ? [] : fields.filter(({ name, readOnly }) => !readOnly && !parentKey.includes(name)),
    filterable: [...properties.values()].filter(({ filterable }) => filterable),
    sortable: [...properties.values()].filter(({ sortable }) => sortable),
    sortKeys: [...properties.keys()].filter((path) => isSortable(resource, path)),
    relations: listRelations(resource, model),
    eventTypes: listEventTypes(resource),
  };
}

/** Writes the name of a resource in a sentence: `order item`. */
export function words(name: string): string {
  return name.replaceAll(/[_-]/g, ' ');
}
