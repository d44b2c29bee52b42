import { toSingular } from '../../model/compile/fields/names.ts';
import { readObject } from '../../model/values/access.ts';
import { snakeName } from '../field-name.ts';
import { type DescribedApi, referencedComponent } from './described-api.ts';
import type { DescribedResource } from './described-resource.ts';

/** The names by which fields refer to other resources. */
export interface ReferredNames {
  readonly components: ReadonlySet<string>;
  /** `station` of a member `station_id` or `station_ids`. */
  readonly singulars: ReadonlySet<string>;
}

/** Lists the names by which the members of resources refer to others. */
export function listReferredNames(resources: readonly DescribedResource[], api: DescribedApi): ReferredNames {
  const components = new Set<string>();
  const singulars = new Set<string>();
  for (const { schema } of resources) {
    for (const [source, value] of Object.entries(readObject(schema['properties']))) {
      const component = referencedComponent(api.resolve(value)?.['items'] ?? value);
      if (component !== null) components.add(component);
      const name = snakeName(source);
      if (/_ids?$/.test(name)) singulars.add(name.replace(/_ids?$/, ''));
    }
  }
  return { components, singulars };
}

/** Checks if one of the names means a collection. */
export function isReferred({ component, source }: DescribedResource, names: ReferredNames): boolean {
  return (component !== null && names.components.has(component)) || names.singulars.has(toSingular(snakeName(source)));
}
