import type { JsonObject } from '../../conventions/json/json.ts';
import type { Model, Resource } from '../../model/model.ts';
import { readString } from '../../model/values/access.ts';
import { placeResources } from '../surface/placed-resource.ts';

/** A collection as agents name it. */
export type CollectionEntry = JsonObject & {
  /** Its path: `products/{product_id}/reviews`. */
  readonly collection: string;
};

/**
 * Writes the path by which agents name a collection: `products/{product_id}/reviews`.
 *
 * @param above the resources above it, the nearest first
 */
export function writeCollectionPath({ collection, parent }: Resource, above: readonly Resource[]): string {
  const [nearest, ...further] = above;
  if (parent === null || nearest === undefined) return collection;
  return `${writeCollectionPath(nearest, further)}/{${parent.field}}/${collection}`;
}

/** Lists the collections of an API, parents before their children. */
export function listCollections(model: Model): readonly CollectionEntry[] {
  return placeResources(model).map(({ resource, above }) => {
    const description = readString(resource.schema['description']);
    const collection = writeCollectionPath(resource, above);
    return {
      collection,
      ...(description === null ? {} : { description }),
      ...(resource.readOnly ? { read_only: true } : {}),
    };
  });
}
