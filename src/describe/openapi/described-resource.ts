import type { Model, Resource } from '../../model/model.ts';
import { type SchemaSuffix, typeName } from '../../model/type-names.ts';
import type { Components } from '../components.ts';
import type { DescribedContract, OpenApiEdition } from '../described-contract.ts';

/** What the parts of one description are made with. */
export interface Description {
  readonly contract: DescribedContract;
  readonly edition: OpenApiEdition;
  readonly components: Components;
}

/** A resource with the collections above it. */
export interface PlacedResource {
  readonly resource: Resource;
  /** The resources above it, the nearest first. */
  readonly above: readonly Resource[];
  /** The path of its collection: `/api/v1/products/{product_id}/reviews`. */
  readonly path: string;
}

/** The name of a schema of a resource: `ProductCreate`. */
export function schemaName({ singular }: Resource, suffix: SchemaSuffix): string {
  return typeName(singular) + suffix;
}

/** The name of another component of a resource: `Product.pageResponse`. No resource has a dot in its name. */
export function partName({ singular }: Resource, part: string): string {
  return `${typeName(singular)}.${part}`;
}

/** The start of all paths below the base: `/api/v1`. */
export function basePathOf({ basePath, version }: Model): string {
  return `${basePath}/v${version.major}`;
}

/** The resources of a model with their paths, parents before their children. */
export function describedResources(model: Model): readonly PlacedResource[] {
  const described = new Map<string, PlacedResource>();
  for (const resource of model.resources.values()) {
    const parent = resource.parent === null ? undefined : described.get(resource.parent.resource);
    const above = parent === undefined ? [] : [parent.resource, ...parent.above];
    const start = parent === undefined ? basePathOf(model) : `${parent.path}/{${resource.parent?.field ?? ''}}`;
    described.set(resource.name, { resource, above, path: `${start}/${resource.collection}` });
  }
  return [...described.values()];
}

/** The schema of an id: of UUIDs, too, a client knows only that it is a string (REP-2). */
export const ID_SCHEMA = { type: 'string', minLength: 1, maxLength: 255 } as const;

/** A resource in a sentence: `order item`. */
export function words(name: string): string {
  return name.replaceAll(/[_-]/g, ' ');
}
