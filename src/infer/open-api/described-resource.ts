import type { JsonObject } from '../../conventions/json/json.ts';

/** A collection of a description: a path with an item path below it, or with POST and a list. */
export interface DescribedResource {
  /** The last segment of its path. */
  readonly source: string;
  /** `/customers/{id}/orders` */
  readonly path: string;
  /** The path of the collection of its parent; null where it has none. */
  readonly parent: string | null;
  /** The parameter of its item path; null where it has none. */
  readonly parameter: string | null;
  /** The component of its items; null for an inline schema. */
  readonly component: string | null;
  /** The schema of its items, an object. */
  readonly schema: JsonObject;
  /** The schema of the body that creates an item; null where there is none. */
  readonly body: JsonObject | null;
  /** Comments for the person who reads the model. */
  readonly notes: readonly string[];
}

/** The resources of a description, and the operations that belong to none. */
export interface DescribedResources {
  readonly resources: readonly DescribedResource[];
  readonly others: readonly string[];
}
