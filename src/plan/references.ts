import type { Json, JsonObject } from '../conventions/json.ts';
import type { Resource } from '../model/model.ts';
import type { Ancestor } from './plan.ts';

/** A reference in a body: its path (`supplier_id`, `related_ids[2]`) and the row that it refers to. */
export interface FoundReference extends Ancestor {
  readonly field: string;
}

/** All references to other rows in a body, except the parent's id, which comes from the path. */
export function referencesIn(resource: Resource, values: JsonObject): readonly FoundReference[] {
  return resource.fields.flatMap(({ name, reference }) => {
    if (reference === null || name === resource.parent?.field) return [];
    const value: Json = values[name] ?? null;
    const ids = Array.isArray(value)
      ? value.map((id, index) => ({ id, field: `${name}[${index}]` }))
      : [{ id: value, field: name }];
    return ids.flatMap(({ id, field }) =>
      typeof id === 'string' ? [{ field, resource: reference.resource, id }] : [],
    );
  });
}
